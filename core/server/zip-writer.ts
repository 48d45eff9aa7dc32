// Writes a ZIP file piece by piece: each file is packed for itself, so that a long archive needs no memory and a crash loses one file. Without the extension
// for more than 4 GiB.

import { crc32, deflateRawSync } from 'node:zlib'

export type ZipEntry = { name: string; crc: number; size: number; packedSize: number }
export type PackedFile = ZipEntry & { packed: Buffer }

export function packFile(name: string, content: Uint8Array): PackedFile {
  const packed = deflateRawSync(content)
  return { name, crc: crc32(content), size: content.length, packedSize: packed.length, packed }
}

const deflated = 8
const utf8Names = 0x0800
const version = 20

/** What stands before the packed bytes of a file. */
export function zipHead({ name, crc, size, packedSize }: ZipEntry): Buffer {
  const text = Buffer.from(name, 'utf8')
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(version, 4)
  head.writeUInt16LE(utf8Names, 6)
  head.writeUInt16LE(deflated, 8)
  head.writeUInt32LE(crc, 14)
  head.writeUInt32LE(packedSize, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(text.length, 26)
  return Buffer.concat([head, text])
}

/** The directory at the end, of the files in the order in which they were written. */
export function zipEnd(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const text = Buffer.from(entry.name, 'utf8')
    const head = Buffer.alloc(46)
    head.writeUInt32LE(0x02014b50, 0)
    head.writeUInt16LE(version, 4)
    head.writeUInt16LE(version, 6)
    head.writeUInt16LE(utf8Names, 8)
    head.writeUInt16LE(deflated, 10)
    head.writeUInt32LE(entry.crc, 16)
    head.writeUInt32LE(entry.packedSize, 20)
    head.writeUInt32LE(entry.size, 24)
    head.writeUInt16LE(text.length, 28)
    head.writeUInt32LE(offset, 42)
    parts.push(head, text)
    offset += 30 + text.length + entry.packedSize
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, end])
}
