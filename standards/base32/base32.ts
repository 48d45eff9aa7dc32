// Base32 of RFC 4648 section 6, as authenticator apps and people read it: decoding takes lower case, and spaces or
// hyphens between groups, because secrets are typed by hand; everything else that is not the one encoding of its bytes
// is refused, so that two spellings of one secret cannot be told apart by their stray bits.

export class Base32Error extends Error {
  override name = 'Base32Error'
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]))
// Characters in the last group of eight that a whole number of bytes can leave (RFC 4648 section 6).
const POSSIBLE_TAILS = new Set([0, 2, 4, 5, 7])

/** Upper-case Base32, without padding unless asked for: otpauth addresses and people do not want it. */
export function encodeBase32(bytes: Uint8Array, { padding = false }: { padding?: boolean } = {}): string {
  let text = ''
  let pending = 0
  let pendingBits = 0
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    pendingBits += 8
    while (pendingBits >= 5) {
      pendingBits -= 5
      text += ALPHABET.charAt((pending >> pendingBits) & 31)
    }
    pending &= (1 << pendingBits) - 1
  }
  if (pendingBits > 0) text += ALPHABET.charAt((pending << (5 - pendingBits)) & 31)
  return padding ? text.padEnd(Math.ceil(text.length / 8) * 8, '=') : text
}

/** The bytes behind Base32 text, padded or not. Throws Base32Error. */
export function decodeBase32(text: string): Uint8Array {
  const joined = text.replace(/[ -]/g, '').toUpperCase()
  const unpadded = joined.replace(/=+$/, '')
  if (unpadded.length !== joined.length && joined.length !== Math.ceil(unpadded.length / 8) * 8) {
    throw new Base32Error('Base32 padding does not fill the last group of eight characters')
  }
  if (!POSSIBLE_TAILS.has(unpadded.length % 8)) {
    throw new Base32Error(`Base32 text of ${unpadded.length} characters is cut short`)
  }
  const bytes = new Uint8Array(Math.floor((unpadded.length * 5) / 8))
  let pending = 0
  let pendingBits = 0
  let length = 0
  for (let at = 0; at < unpadded.length; at++) {
    const value = VALUES.get(unpadded.charAt(at))
    if (value === undefined) throw new Base32Error(`Character ${at + 1} is not in the Base32 alphabet`)
    pending = (pending << 5) | value
    pendingBits += 5
    if (pendingBits >= 8) {
      pendingBits -= 8
      bytes[length++] = pending >> pendingBits
      pending &= (1 << pendingBits) - 1
    }
  }
  if (pending !== 0) throw new Base32Error('Base32 text ends in stray bits')
  return bytes
}
