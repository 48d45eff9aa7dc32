// The names in a ZIP file, as its central directory and the entries themselves tell them. Two readers that see two different lists are how something is hidden, so a file
// in which they differ is refused.

const endRecord = 0x06054b50
const centralEntry = 0x02014b50
const localEntry = 0x04034b50
const endLength = 22
const most = 10_000

/** Undefined where the file is cut, longer than it says, in several parts, of 64 bits, or tells two stories. */
export function zipNames(bytes: Uint8Array): string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return undefined
  const count = view.getUint16(end + 10, true)
  const start = view.getUint32(end + 16, true)
  if (view.getUint16(end + 8, true) !== count || count === 0 || count > most) return undefined
  if (start + view.getUint32(end + 12, true) !== end) return undefined
  const names: string[] = []
  let at = start
  for (let entry = 0; entry < count; entry += 1) {
    if (at + 46 > end || view.getUint32(at, true) !== centralEntry) return undefined
    const length = view.getUint16(at + 28, true)
    const next = at + 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    const local = view.getUint32(at + 42, true)
    if (next > end || local + 30 + length > start || view.getUint32(local, true) !== localEntry) return undefined
    const name = latin1(bytes, at + 46, length)
    if (view.getUint16(local + 26, true) !== length || latin1(bytes, local + 30, length) !== name) return undefined
    names.push(name)
    at = next
  }
  return at === end ? names : undefined
}

const latin1 = (bytes: Uint8Array, at: number, length: number): string => Buffer.from(bytes.subarray(at, at + length)).toString('latin1')

/** The last record, whose comment must reach the end of the file. */
function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - endLength - 65_535)
  for (let at = view.byteLength - endLength; at >= first; at -= 1)
    if (view.getUint32(at, true) === endRecord) return at + endLength + view.getUint16(at + 20, true) === view.byteLength ? at : undefined
  return undefined
}
