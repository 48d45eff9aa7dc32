// Writes ZIP archives as tests want them.

import { crc32 } from 'node:zlib'

/** A ZIP with stored entries; `local` names them otherwise where they stand. */
export function zip(
  names: readonly string[],
  {
    local,
    comment = '',
    contents = () => Buffer.from('x'),
  }: { local?: string; comment?: string; contents?: (name: string) => Buffer } = {},
): Buffer {
  const entries: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const name of names) {
    const data = contents(name)
    const head = Buffer.alloc(30)
    const inside = Buffer.from(local ?? name)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt32LE(crc32(data), 14)
    head.writeUInt32LE(data.length, 18)
    head.writeUInt32LE(data.length, 22)
    head.writeUInt16LE(inside.length, 26)
    const entry = Buffer.concat([head, inside, data])
    const row = Buffer.alloc(46)
    row.writeUInt32LE(0x02014b50, 0)
    row.writeUInt32LE(data.length, 20)
    row.writeUInt32LE(data.length, 24)
    row.writeUInt16LE(Buffer.byteLength(name), 28)
    row.writeUInt32LE(at, 42)
    central.push(row, Buffer.from(name))
    entries.push(entry)
    at += entry.length
  }
  const list = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(names.length, 8)
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...entries, list, end, Buffer.from(comment)])
}
