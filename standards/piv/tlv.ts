// BER-TLV (ISO/IEC 7816-4 5.2.2) as smartcards use it: tags of one to three bytes, definite lengths. What a card sends is hostile: lengths are judged before
// anything is taken, and nesting is the caller's, one level at a time.

export type Tlv = { tag: number; value: Uint8Array }

export class TlvError extends Error {
  override name = 'TlvError'
}

/** More than any data object of a card has. */
const mostBytes = 65_536

export function encodeTlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const tagBytes = tag > 0xffff ? [tag >> 16, (tag >> 8) & 0xff, tag & 0xff] : tag > 0xff ? [tag >> 8, tag & 0xff] : [tag]
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : length < 0x10000 ? [0x82, length >> 8, length & 0xff] : undefined
  if (lengthBytes === undefined) throw new TlvError('A data object has less than 64 KB')
  return Buffer.concat([Uint8Array.from([...tagBytes, ...lengthBytes]), ...parts])
}

/** The data objects that stand one behind another. Throws TlvError where they are not whole. */
export function readTlvs(bytes: Uint8Array): Tlv[] {
  if (bytes.length > mostBytes) throw new TlvError('Data objects of more than 64 KB')
  const found: Tlv[] = []
  let at = 0
  const next = (): number => {
    const byte = bytes[at]
    if (byte === undefined) throw new TlvError('A data object is cut off')
    at += 1
    return byte
  }
  while (at < bytes.length) {
    let tag = next()
    if ((tag & 0x1f) === 0x1f) {
      let more = true
      for (let count = 0; more; count += 1) {
        if (count === 2) throw new TlvError('A tag has more than three bytes')
        const byte = next()
        tag = (tag << 8) | byte
        more = (byte & 0x80) !== 0
      }
    }
    const first = next()
    let length = first
    if (first >= 0x80) {
      const count = first - 0x80
      if (count === 0 || count > 3) throw new TlvError('A length is indefinite or too long')
      length = 0
      for (let index = 0; index < count; index += 1) length = (length << 8) | next()
    }
    if (length > bytes.length - at) throw new TlvError('A data object is cut off')
    found.push({ tag, value: bytes.subarray(at, at + length) })
    at += length
  }
  return found
}

export const findTlv = (bytes: Uint8Array, tag: number): Uint8Array | undefined => readTlvs(bytes).find((one) => one.tag === tag)?.value

/** Throws TlvError where it is not there. */
export function takeTlv(bytes: Uint8Array, tag: number): Uint8Array {
  const value = findTlv(bytes, tag)
  if (value === undefined) throw new TlvError(`The data object ${tag.toString(16).toUpperCase()} is missing`)
  return value
}
