// The regular files of a tar archive (POSIX ustar, with the long names of pax and GNU), in memory: no name in it is a place of this machine.

const block = 512

export type TarFile = { name: string; content: Uint8Array }

/** Throws where the archive is cut. */
export function readTar(archive: Buffer): TarFile[] {
  const files: TarFile[] = []
  let longName: string | undefined
  let at = 0
  while (at + block <= archive.length) {
    const head = archive.subarray(at, at + block)
    if (head.every((byte) => byte === 0)) return files
    const size = Number.parseInt(textAt(head, 124, 12).trim() || '0', 8)
    const end = at + block + size
    if (!Number.isSafeInteger(size) || size < 0 || end > archive.length) throw new Error(`The archive is cut at byte ${at}`)
    const content = archive.subarray(at + block, end)
    const kind = String.fromCharCode(head[156] ?? 0)
    const short = [textAt(head, 345, 155), textAt(head, 0, 100)].filter((part) => part !== '').join('/')
    if (kind === 'L') longName = textAt(content, 0, content.length)
    else if (kind === 'x') longName = /(?:^|\n)\d+ path=([^\n]+)\n/.exec(content.toString('utf8'))?.[1]
    else {
      if (kind === '0' || kind === '\0') files.push({ name: longName ?? short, content })
      longName = undefined
    }
    at += block + Math.ceil(size / block) * block
  }
  throw new Error(`The archive is cut at byte ${archive.length}`)
}

const textAt = (bytes: Buffer, from: number, length: number): string => {
  const text = bytes.toString('utf8', from, from + length)
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}
