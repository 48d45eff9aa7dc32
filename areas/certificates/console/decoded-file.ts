/** The wire carries base64, whatever the file is. */
export const decodedFile = ({ content, mediaType }: { content: string; mediaType: string }): Blob =>
  new Blob([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], { type: mediaType })

/** A name as a file may have it everywhere. */
export const fileStem = (name: string): string => name.replaceAll(/[^\p{L}\p{N}.@-]+/gu, '_')

export const pemFile = (pem: string): Blob => new Blob([pem], { type: 'application/x-pem-file' })
