/** The wire carries base64. */
export const fileBlob = ({ content, mediaType }: { content: string; mediaType: string }): Blob =>
  new Blob([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], { type: mediaType })
