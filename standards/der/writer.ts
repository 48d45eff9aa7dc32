// DER encoding. Every function takes finished parts and returns new bytes; nothing here can write what the reader refuses.
import { TAG, universalFault } from './reader.ts'
import { STRING_TAGS, isPrintable, type Oid, type StringType } from './values.ts'

const CONTEXT = 0x80
const CONSTRUCTED = 0x20

/** The parts one behind the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function encode(identifier: number, parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const bytes = headerWithRoom(identifier, length, length)
  let at = bytes.length - length
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** The header of a value of `length` bytes, and room behind it. */
function headerWithRoom(identifier: number, length: number, room: number): Uint8Array {
  const lengthBytes = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4
  const bytes = new Uint8Array(2 + lengthBytes + room)
  bytes[0] = identifier
  bytes[1] = lengthBytes === 0 ? length : 0x80 | lengthBytes
  for (let index = lengthBytes, rest = length; index > 0; index -= 1, rest = Math.floor(rest / 256)) bytes[1 + index] = rest & 0xff
  return bytes
}

/** The header alone of a SEQUENCE whose content of `length` bytes is written elsewhere. */
export function sequenceHeader(length: number): Uint8Array {
  return headerWithRoom(TAG.sequence | CONSTRUCTED, length, 0)
}

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return encode(TAG.sequence | CONSTRUCTED, parts)
}

/** A SET whose parts are in order already. */
export function set(...parts: readonly Uint8Array[]): Uint8Array {
  return encode(TAG.set | CONSTRUCTED, parts)
}

/** A SET OF: the parts are sorted by their encodings (X.690 11.6). */
export function setOf(...parts: readonly Uint8Array[]): Uint8Array {
  return encode(
    TAG.set | CONSTRUCTED,
    parts.toSorted((left, right) => Buffer.compare(left, right)),
  )
}

/** Bytes are taken as an unsigned big-endian number. */
export function integer(value: bigint | number | Uint8Array): Uint8Array {
  return encode(TAG.integer, [integerContent(value)])
}

export function enumerated(value: number): Uint8Array {
  return encode(TAG.enumerated, [integerContent(value)])
}

/** The content bytes of an INTEGER, for an IMPLICIT tag. */
export function integerContent(value: bigint | number | Uint8Array): Uint8Array {
  if (value instanceof Uint8Array) {
    let start = 0
    while (start < value.length - 1 && value[start] === 0) start += 1
    const digits = value.length === 0 ? Uint8Array.of(0) : value.subarray(start)
    return (digits[0] ?? 0) >= 0x80 ? concat(Uint8Array.of(0), digits) : digits
  }
  const number = BigInt(value)
  if (number >= 0n) {
    const hex = number.toString(16)
    return integerContent(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'))
  }
  let length = 1
  while (number < -(1n << BigInt(length * 8 - 1))) length += 1
  return Uint8Array.from(Buffer.from((number + (1n << BigInt(length * 8))).toString(16).padStart(length * 2, '0'), 'hex'))
}

const oidCache = new Map<Oid, Uint8Array>()

/** Throws RangeError for text that is not an object identifier. The result is shared: do not write into it. */
export function oid(dotted: Oid): Uint8Array {
  const known = oidCache.get(dotted)
  if (known !== undefined) return known
  const encoded = encode(TAG.objectIdentifier, [oidContent(dotted)])
  // The identifiers in use are few; the bound only keeps hostile ones from piling up.
  if (oidCache.size < 2000) oidCache.set(dotted, encoded)
  return encoded
}

const DOTTED = /^[0-2](\.(0|[1-9]\d{0,39})){1,127}$/

export function isOid(text: string): boolean {
  return DOTTED.test(text) && (text.startsWith('2.') || Number(text.split('.')[1]) < 40)
}

/** The content bytes of an OBJECT IDENTIFIER, for an IMPLICIT tag. */
export function oidContent(dotted: Oid): Uint8Array {
  const content = isOid(dotted) ? arcBytes(dotted) : undefined
  if (content === undefined || universalFault(TAG.objectIdentifier, false, { content }) !== undefined) {
    throw new RangeError(`"${dotted.slice(0, 80)}" is not an object identifier`)
  }
  return content
}

function arcBytes(dotted: Oid): Uint8Array {
  const [first = 0n, second = 0n, ...others] = dotted.split('.').map(BigInt)
  const bytes: number[] = []
  for (const arc of [first * 40n + second, ...others]) {
    const digits: number[] = []
    let rest = arc
    do {
      digits.unshift(Number(rest & 0x7fn) | (digits.length === 0 ? 0 : 0x80))
      rest >>= 7n
    } while (rest > 0n)
    bytes.push(...digits)
  }
  return Uint8Array.from(bytes)
}

export function boolean(value: boolean): Uint8Array {
  return Uint8Array.of(TAG.boolean, 1, value ? 0xff : 0)
}

export function nullValue(): Uint8Array {
  return Uint8Array.of(TAG.null, 0)
}

export function octetString(...parts: readonly Uint8Array[]): Uint8Array {
  return encode(TAG.octetString, parts)
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return encode(TAG.bitString, [Uint8Array.of(unusedBits), bytes])
}

/** A BIT STRING with these bits set and no trailing zero bits (X.690 11.2.2). */
export function namedBitString(bits: Iterable<number>): Uint8Array {
  return encode(TAG.bitString, [namedBitContent(bits)])
}

/** The content bytes of a named BIT STRING, for an IMPLICIT tag. */
export function namedBitContent(bits: Iterable<number>): Uint8Array {
  const set = [...bits]
  if (set.length === 0) return Uint8Array.of(0)
  const highest = Math.max(...set)
  const bytes = new Uint8Array(2 + (highest >> 3))
  bytes[0] = 7 - (highest & 7)
  for (const bit of set) bytes[1 + (bit >> 3)] = (bytes[1 + (bit >> 3)] ?? 0) | (0x80 >> (bit & 7))
  return bytes
}

/** The content bytes of a character string. Throws RangeError for a character outside the type's set. */
export function stringContent(type: StringType, text: string): Uint8Array {
  const content = ENCODERS[type](text)
  if (content === undefined) throw new RangeError(`"${text.slice(0, 80)}" has characters that a ${type} cannot hold`)
  return content
}

export function characterString(type: StringType, text: string): Uint8Array {
  return encode(STRING_TAGS[type], [stringContent(type, text)])
}
export const utf8String = (text: string): Uint8Array => characterString('utf8String', text)
export const printableString = (text: string): Uint8Array => characterString('printableString', text)
export const ia5String = (text: string): Uint8Array => characterString('ia5String', text)
export const bmpString = (text: string): Uint8Array => characterString('bmpString', text)

const ENCODERS: { readonly [type in StringType]: (text: string) => Uint8Array | undefined } = {
  utf8String: (text) => (text.isWellFormed() ? Buffer.from(text, 'utf8') : undefined),
  numericString: (text) => latin1If(/^[0-9 ]*$/.test(text), text),
  printableString: (text) => latin1If(isPrintable(text), text),
  teletexString: (text) => latin1If(allBelow(text, 0x100), text),
  ia5String: (text) => latin1If(allBelow(text, 0x80), text),
  visibleString: (text) => latin1If(/^[\x20-\x7e]*$/.test(text), text),
  universalString: (text) => {
    if (!text.isWellFormed()) return undefined
    const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
    return Uint8Array.from(points.flatMap((point) => [point >>> 24, (point >> 16) & 0xff, (point >> 8) & 0xff, point & 0xff]))
  },
  bmpString: (text) => (text.isWellFormed() ? Buffer.from(text, 'utf16le').swap16() : undefined),
}

function allBelow(text: string, limit: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= limit) return false
  return true
}

function latin1If(allowed: boolean, text: string): Uint8Array | undefined {
  return allowed ? Buffer.from(text, 'latin1') : undefined
}

/** Throws RangeError outside 1950 to 2049; fractions of a second are cut off. */
export function utcTime(date: Date): Uint8Array {
  const year = date.getUTCFullYear()
  if (!(year >= 1950 && year <= 2049)) throw new RangeError('A UTCTime holds the years 1950 to 2049')
  return encode(TAG.utcTime, [Buffer.from(digitsOf(date).slice(2), 'latin1')])
}

/** Throws RangeError outside the years 0 to 9999; fractions of a second are cut off. */
export function generalizedTime(date: Date): Uint8Array {
  return encode(TAG.generalizedTime, [generalizedTimeContent(date)])
}

function generalizedTimeContent(date: Date): Uint8Array {
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) throw new RangeError('A GeneralizedTime holds the years 0 to 9999')
  return Buffer.from(digitsOf(date), 'latin1')
}

/** UTCTime through 2049, GeneralizedTime from 2050 (RFC 5280 4.1.2.5). */
export function time(date: Date): Uint8Array {
  const year = date.getUTCFullYear()
  return year >= 1950 && year <= 2049 ? utcTime(date) : generalizedTime(date)
}

function digitsOf(date: Date): string {
  return `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
}

/** An EXPLICIT context tag around finished values; also an IMPLICIT one of a SEQUENCE's fields. */
export function explicit(tagNumber: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return encode(contextIdentifier(tagNumber) | CONSTRUCTED, parts)
}

/** An IMPLICIT context tag over a SEQUENCE or SET: `parts` are its elements. */
export const implicitConstructed: (tagNumber: number, ...parts: readonly Uint8Array[]) => Uint8Array = explicit

/** An IMPLICIT context tag over a primitive type: `content` is without its header. */
export function implicitPrimitive(tagNumber: number, content: Uint8Array): Uint8Array {
  return encode(contextIdentifier(tagNumber), [content])
}

function contextIdentifier(tagNumber: number): number {
  if (!Number.isInteger(tagNumber) || tagNumber < 0 || tagNumber > 30) throw new RangeError('A context tag is 0 to 30')
  return CONTEXT | tagNumber
}
