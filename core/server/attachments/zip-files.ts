// The files in a ZIP file, unpacked in memory under a bound: a file says less than it unpacks to, so the bound is of what comes out.

import { inflateRawSync } from 'node:zlib'
import { zipNames } from './zip-names.ts'

const stored = 0
const deflated = 8

/** By name, as the archive has them, folders left out. Undefined where it is no such file, is locked, or unpacks to more than `most` bytes. */
export function zipFiles(bytes: Uint8Array, most: number): Map<string, Uint8Array> | undefined {
  const names = zipNames(bytes)
  if (names === undefined) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const files = new Map<string, Uint8Array>()
  let left = most
  // `zipNames` has held the central directory and the entries to each other and to the length of the file.
  let at = startOf(view)
  for (const name of names) {
    const [method, size, local] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)]
    const locked = (view.getUint16(at + 8, true) & 1) !== 0
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (/[\\/]$/.test(name)) continue
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    if (locked || files.has(name) || start + size > bytes.length || (method !== stored && method !== deflated)) return undefined
    const packed = bytes.subarray(start, start + size)
    const content = method === stored ? packed : unpack(packed, left)
    if (content === undefined || content.length > left) return undefined
    left -= content.length
    files.set(name, content)
  }
  return files
}

function unpack(packed: Uint8Array, most: number): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) })
  } catch {
    return undefined
  }
}

function startOf(view: DataView): number {
  let end = view.byteLength - 22
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1
  return view.getUint32(end + 16, true)
}
