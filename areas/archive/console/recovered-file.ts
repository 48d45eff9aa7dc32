/** A PKCS#12 file out of its base64. */
export const fileOf = (pkcs12: string): Blob =>
  new Blob([Uint8Array.from(atob(pkcs12), (character) => character.charCodeAt(0))], { type: 'application/x-pkcs12' })
