// Typed reading of single DER values. Each function checks the tag, then the content, and throws DerError with the
// value's path. For an IMPLICIT context tag, first turn the value into what it stands for with `implicit(value, TAG.x)`.
import { say } from '#standards/say/say.ts'
import { DerError, TAG, describeTag, tagName, universalFault, type DerValue } from './reader.ts'

/** A dotted object identifier such as `2.5.4.3`. */
export type Oid = string

export const STRING_TAGS = {
  utf8String: TAG.utf8String,
  numericString: TAG.numericString,
  printableString: TAG.printableString,
  teletexString: TAG.teletexString,
  ia5String: TAG.ia5String,
  visibleString: TAG.visibleString,
  universalString: TAG.universalString,
  bmpString: TAG.bmpString,
} as const
export type StringType = keyof typeof STRING_TAGS

/** The fault as an error at this value. */
export function faultAt(value: DerValue, fault: string): DerError {
  return new DerError(fault, value.offset, value.path)
}

export function isUniversal(value: DerValue, tagNumber: number): boolean {
  return value.tagClass === 'universal' && value.tagNumber === tagNumber
}

export function isContext(value: DerValue, tagNumber: number): boolean {
  return value.tagClass === 'context' && value.tagNumber === tagNumber
}

export function expectUniversal(value: DerValue, tagNumber: number): void {
  if (!isUniversal(value, tagNumber)) throw faultAt(value, say`Expected ${tagName(tagNumber)}, found ${describeTag(value)}`)
}

/** The value read as if it carried the universal tag it stands for (X.690 8.14.3); checked as that type. */
export function implicit(value: DerValue, tagNumber: number): DerValue {
  const fault = universalFault(tagNumber, value.constructed, value)
  if (fault !== undefined) throw faultAt(value, fault)
  const { constructed, offset, headerLength, content, encoded, children, path } = value
  return { tagClass: 'universal', constructed, tagNumber, offset, headerLength, content, encoded, children, path }
}

/** The one value inside an EXPLICIT tag. */
export function explicitContent(value: DerValue): DerValue {
  const [inner, second] = value.children
  if (!value.constructed || inner === undefined || second !== undefined) throw faultAt(value, say`The tag must hold exactly one value`)
  inner.path = value.path
  return inner
}

/** Two's complement, any size up to 16 kbit. */
export function readInteger(value: DerValue): bigint {
  expectUniversal(value, TAG.integer)
  return toBigint(value)
}

export function readEnumerated(value: DerValue): number {
  expectUniversal(value, TAG.enumerated)
  return Number(toBigint(value))
}

function toBigint(value: DerValue): bigint {
  // Turning hex into bigint grows faster than linear; nothing in X.509 has more than 16 kbit.
  if (value.content.length > 2049) throw faultAt(value, say`The INTEGER is too large`)
  const magnitude = BigInt(`0x${hexOf(value.content)}`)
  return (value.content[0] ?? 0) < 0x80 ? magnitude : magnitude - (1n << BigInt(value.content.length * 8))
}

/** A whole number within bounds; `max` is 2^31-1 unless said. */
export function readSmallInteger(value: DerValue, bounds: { min?: number; max?: number } = {}): number {
  const { min = 0, max = 0x7fff_ffff } = bounds
  const number = readInteger(value)
  if (number < BigInt(min) || number > BigInt(max)) throw faultAt(value, say`The number must be between ${min} and ${max}`)
  return Number(number)
}

/** The bytes of a non-negative INTEGER without the sign byte; zero is one byte 00. */
export function readUnsignedBytes(value: DerValue): Uint8Array {
  expectUniversal(value, TAG.integer)
  const { content } = value
  if ((content[0] ?? 0) >= 0x80) throw faultAt(value, say`The INTEGER must not be negative`)
  return content[0] === 0 && content.length > 1 ? content.subarray(1) : content
}

export function readBoolean(value: DerValue): boolean {
  expectUniversal(value, TAG.boolean)
  return value.content[0] === 0xff
}

export function readNull(value: DerValue): void {
  expectUniversal(value, TAG.null)
}

export function readOctetString(value: DerValue): Uint8Array {
  expectUniversal(value, TAG.octetString)
  return value.content
}

export function readBitString(value: DerValue): { bytes: Uint8Array; unusedBits: number } {
  expectUniversal(value, TAG.bitString)
  return { bytes: value.content.subarray(1), unusedBits: value.content[0] ?? 0 }
}

/** A BIT STRING of whole bytes, such as a signature or a public key. */
export function readBitStringBytes(value: DerValue): Uint8Array {
  const { bytes, unusedBits } = readBitString(value)
  if (unusedBits !== 0) throw faultAt(value, say`The BIT STRING must hold whole bytes`)
  return bytes
}

/** Whether a named BIT STRING ends with a zero bit, which X.690 11.2.2 forbids. */
export function endsWithZeroBit(value: DerValue): boolean {
  const { bytes, unusedBits } = readBitString(value)
  const last = bytes[bytes.length - 1]
  return last !== undefined && ((last >> unusedBits) & 1) === 0
}

/** The numbers of the bits that are set, ascending; at most 64 bits. Trailing zero bits are refused unless `lenient`. */
export function readNamedBits(value: DerValue, lenient = false): number[] {
  const { bytes } = readBitString(value)
  if (bytes.length > 8) throw faultAt(value, say`The BIT STRING has too many bits`)
  if (!lenient && endsWithZeroBit(value)) throw faultAt(value, say`The BIT STRING must not end with a zero bit`)
  const set: number[] = []
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    if (((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0) set.push(bit)
  }
  return set
}

export function readOid(value: DerValue): Oid {
  expectUniversal(value, TAG.objectIdentifier)
  let text = ''
  let small = 0
  let large: bigint | undefined
  for (const byte of value.content) {
    if (large === undefined && small < 0x10_0000_0000) small = small * 128 + (byte & 0x7f)
    else large = ((large ?? BigInt(small)) << 7n) | BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    text = text === '' ? firstArcs(large ?? small) : `${text}.${large ?? small}`
    small = 0
    large = undefined
  }
  return text
}

/** The first two arcs share a number (X.690 8.19.4). */
function firstArcs(both: number | bigint): string {
  if (both >= 80) return `2.${typeof both === 'bigint' ? both - 80n : both - 80}`
  return both >= 40 ? `1.${Number(both) - 40}` : `0.${both}`
}

export function isString(value: DerValue): boolean {
  return stringTypeOf(value) !== undefined
}

function stringTypeOf(value: DerValue): StringType | undefined {
  if (value.tagClass !== 'universal') return undefined
  return STRING_TYPES.get(value.tagNumber)
}
const STRING_TYPES = new Map(Object.entries(STRING_TAGS).map(([type, tag]) => [Number(tag), type as StringType]))

/** A character string with its type. Throws for bytes outside the type's character set. */
export function readString(value: DerValue): { type: StringType; value: string } {
  const type = stringTypeOf(value)
  if (type === undefined) throw faultAt(value, say`Expected a character string, found ${describeTag(value)}`)
  const text = DECODERS[type](value.content)
  if (text === undefined) throw faultAt(value, say`The bytes are not a valid ${tagName(value.tagNumber)}`)
  return { type, value: text }
}

/** A character string of one given type. */
export function readStringOf(value: DerValue, type: StringType): string {
  expectUniversal(value, STRING_TAGS[type])
  return readString(value).value
}

const ASCII = /^\p{ASCII}*$/u
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const DECODERS: { readonly [type in StringType]: (content: Uint8Array) => string | undefined } = {
  utf8String: (content) => {
    try {
      return utf8.decode(content)
    } catch {
      return undefined
    }
  },
  numericString: (content) => matching(latin1(content), /^[0-9 ]*$/),
  printableString: (content) => matching(latin1(content), PRINTABLE),
  // T.61 has escape sequences that nobody writes; what is met in the field is Latin-1.
  teletexString: latin1,
  ia5String: (content) => matching(latin1(content), ASCII),
  visibleString: (content) => matching(latin1(content), /^[\x20-\x7e]*$/),
  universalString: (content) => {
    if (content.length % 4 !== 0) return undefined
    const parts: string[] = []
    for (let at = 0; at < content.length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = content.subarray(at, at + 4)
      const point = ((a * 256 + b) * 256 + c) * 256 + d
      if (point > 0x10_ffff || (point >= 0xd800 && point < 0xe000)) return undefined
      parts.push(String.fromCodePoint(point))
    }
    return parts.join('')
  },
  bmpString: (content) => {
    if (content.length % 2 !== 0) return undefined
    const parts: string[] = []
    for (let at = 0; at < content.length; at += 2) {
      parts.push(String.fromCharCode((content[at] ?? 0) * 256 + (content[at + 1] ?? 0)))
    }
    const text = parts.join('')
    return text.isWellFormed() ? text : undefined
  },
}

function matching(text: string, pattern: RegExp): string | undefined {
  return pattern.test(text) ? text : undefined
}

function latin1(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1')
}

export function isPrintable(text: string): boolean {
  return PRINTABLE.test(text)
}

/** Lower-case hex without separators. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

export function bytesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && Buffer.compare(left, right) === 0
}

/** UTCTime (1950 to 2049) or GeneralizedTime, with seconds and Z, without fractions (RFC 5280 4.1.2.5). */
export function readTime(value: DerValue): Date {
  const isUtc = isUniversal(value, TAG.utcTime)
  if (!isUtc && !isUniversal(value, TAG.generalizedTime)) throw faultAt(value, say`Expected a time, found ${describeTag(value)}`)
  const text = latin1(value.content)
  if (!(isUtc ? UTC_TIME : GENERALIZED_TIME).test(text))
    throw faultAt(value, say`The time must have the form ${isUtc ? 'YYMMDDHHMMSSZ' : 'YYYYMMDDHHMMSSZ'}`)
  const number = (from: number, to: number) => Number(text.slice(from, to))
  const yearDigits = isUtc ? 2 : 4
  const written = number(0, yearDigits)
  const year = !isUtc ? written : written < 50 ? 2000 + written : 1900 + written
  const [month, day, hour, minute, second] = [0, 2, 4, 6, 8].map((at) => number(yearDigits + at, yearDigits + at + 2)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const date = new Date(Date.UTC(2000, 0, 1, hour, minute, second))
  date.setUTCFullYear(year, month - 1, day)
  // A day such as 31 February rolls over; then the parts no longer agree.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) {
    throw faultAt(value, say`The time is not a real date and time of day`)
  }
  return date
}
const UTC_TIME = /^\d{12}Z$/
const GENERALIZED_TIME = /^\d{14}Z$/

/** Throws unless the children of a SET OF stand in ascending order of their encodings (X.690 11.6). */
export function checkSetOfOrder(value: DerValue): void {
  value.children.forEach((child, index) => {
    const before = value.children[index - 1]
    if (before !== undefined && Buffer.compare(before.encoded, child.encoded) > 0) {
      throw faultAt(value, say`The elements of a SET OF must be in ascending order in DER`)
    }
  })
}
