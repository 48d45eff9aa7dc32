// Hands a file to the person. The object URL is kept for 40 seconds, as the specification says, and then given back.

/** What a file may be called after something: letters of any language, nothing that a system takes for more, and never hidden. */
export const fileStem = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}.@-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80) || 'file'

const objectUrlMilliseconds = 40_000

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), objectUrlMilliseconds)
}
