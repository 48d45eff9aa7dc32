/** The wire carries base64, whatever the file is. */
export const decodedFile = ({ content, mediaType }: { content: string; mediaType: string }): Blob =>
  new Blob([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], { type: mediaType })

export { fileStem } from '#core/console/save-file.ts'

export const pemFile = (pem: string): Blob => new Blob([pem], { type: 'application/x-pem-file' })
