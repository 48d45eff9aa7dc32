// Hands a file to the person. The object URL is kept for 40 seconds, as the specification says, and then given back.

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
