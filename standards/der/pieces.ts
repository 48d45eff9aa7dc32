// Values by their headers alone, for bytes that the reader refuses: lengths are taken as they come, and what is cut short ends where the bytes do.

/** One value by its header alone. */
export interface Piece {
  tag: number
  offset: number
  contentOffset: number
  encoded: Uint8Array
  content: Uint8Array
}

const MOST_PIECES = 200

export const within = ({ content, contentOffset }: Piece): Piece[] => piecesIn(content, contentOffset)

/** Values one behind the other, by their headers; it ends at the first header that says nothing. */
export function piecesIn(bytes: Uint8Array, offset: number): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at + 2 <= bytes.length && pieces.length < MOST_PIECES;) {
    const tag = bytes[at] ?? 0
    let length = bytes[at + 1] ?? 0
    let content = at + 2
    if (length >= 0x80) {
      const count = length & 0x7f
      if (count === 0 || count > 4) break
      length = bytes.subarray(content, content + count).reduce((sum, byte) => sum * 256 + byte, 0)
      content += count
    }
    const end = Math.min(content + length, bytes.length)
    pieces.push({
      tag,
      offset: offset + at,
      contentOffset: offset + content,
      encoded: bytes.subarray(at, end),
      content: bytes.subarray(content, end),
    })
    at = Math.max(end, content)
  }
  return pieces
}
