// A strict reader of DER (X.690, Distinguished Encoding Rules). One pass checks the whole tree before anyone looks at a
// value: definite minimal lengths, no constructed strings, canonical BOOLEAN, INTEGER, BIT STRING and OBJECT IDENTIFIER.
// Nothing is copied: every value is a window on the bytes handed in, and knows its offset there, so that a fault can
// name the byte. Depth, size and number of values are bounded before they can cost anything.

import { say } from '#standards/say/say.ts'

export type TagClass = 'universal' | 'application' | 'context' | 'private'

export interface DerValue {
  readonly tagClass: TagClass
  readonly constructed: boolean
  readonly tagNumber: number
  /** of the first header byte, counted from the start of the outermost bytes */
  readonly offset: number
  readonly headerLength: number
  readonly content: Uint8Array
  /** header and content */
  readonly encoded: Uint8Array
  /** empty for a primitive value */
  readonly children: readonly DerValue[]
  /** the name given by the reader of the structure, such as `tbsCertificate.validity.notBefore`; empty until then */
  path: string
}

export interface DerLimits {
  /** 1 MiB unless said */
  maxBytes?: number
  /** 32 unless said */
  maxDepth?: number
  /** 100,000 unless said; a small input cannot explode, but each value costs about 200 bytes */
  maxValues?: number
  /** where `bytes` begins in the outermost encoding, for values wrapped in an OCTET STRING */
  offset?: number
  /** the name of this value, put before every fault */
  path?: string
}

/** Universal tag numbers (X.680 8.4). */
export const TAG = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  objectIdentifier: 6,
  enumerated: 10,
  utf8String: 12,
  relativeOid: 13,
  sequence: 16,
  set: 17,
  numericString: 18,
  printableString: 19,
  teletexString: 20,
  videotexString: 21,
  ia5String: 22,
  utcTime: 23,
  generalizedTime: 24,
  graphicString: 25,
  visibleString: 26,
  generalString: 27,
  universalString: 28,
  bmpString: 30,
} as const

export class DerError extends Error {
  /** the byte at fault, from the start of the outermost bytes */
  readonly offset: number
  /** such as `tbsCertificate.extensions[2].extnValue`; empty where the fault has no name */
  readonly path: string
  /** the sentence without path and byte */
  readonly fault: string

  constructor(fault: string, offset: number, path = '') {
    super(path === '' ? say`${fault} (byte ${offset})` : say`${path}: ${fault} (byte ${offset})`)
    this.name = 'DerError'
    this.offset = offset
    this.path = path
    this.fault = fault
  }
}

const CLASSES = ['universal', 'application', 'context', 'private'] as const
/** SEQUENCE, SET, EXTERNAL, EMBEDDED PDV and CHARACTER STRING; all other universal types are primitive in DER. */
const CONSTRUCTED_UNIVERSAL = new Set<number>([8, 11, TAG.sequence, TAG.set, 29])

interface Reading {
  bytes: Uint8Array
  base: number
  path: string
  maxDepth: number
  valuesLeft: number
  /** the child numbers that lead to the value being read, for the path of a fault */
  indexes: number[]
}

/** Reads exactly one DER value; trailing bytes are refused. Throws DerError. */
export function readDer(bytes: Uint8Array, limits: DerLimits = {}): DerValue {
  const reading = begin(bytes, limits)
  const value = readValue(reading, 0, bytes.length)
  const { end } = value
  if (end < bytes.length) {
    throw fail(reading, say`${bytes.length - end} bytes follow the end of the value`, end)
  }
  value.path = reading.path
  return value
}

/** Reads DER values that stand one behind the other, at least one. Throws DerError. */
export function readDerSeries(bytes: Uint8Array, limits: DerLimits = {}): DerValue[] {
  const reading = begin(bytes, limits)
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length || values.length === 0;) {
    reading.indexes = [values.length]
    const value = readValue(reading, at, bytes.length)
    values.push(value)
    at = value.end
  }
  return values
}

/**
 * Cuts values that stand one behind the other, looking at nothing but their outermost headers; `maxValues` bounds the
 * pieces. For sorting what came in before anyone reads it. Throws DerError.
 */
export function splitDer(bytes: Uint8Array, limits: DerLimits = {}): Uint8Array[] {
  const reading = begin(bytes, limits)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    if (pieces.length >= reading.valuesLeft) throw fail(reading, say`The encoding holds too many values`, at)
    const { to } = readHeader(reading, at, bytes.length)
    pieces.push(bytes.subarray(at, to))
    at = to
  }
  return pieces
}

function begin(bytes: Uint8Array, limits: DerLimits): Reading {
  const { maxBytes = 1 << 20, maxDepth = 32, maxValues = 100_000, offset = 0, path = '' } = limits
  if (bytes.length > maxBytes) {
    throw new DerError(say`The value has ${bytes.length} bytes; at most ${maxBytes} are read`, offset, path)
  }
  return { bytes, base: offset, path, maxDepth, valuesLeft: maxValues, indexes: [] }
}

function fail(reading: Reading, fault: string, at: number): DerError {
  const steps = reading.indexes.map((index) => `[${index}]`).join('')
  return new DerError(fault, reading.base + at, reading.path + steps)
}

interface Header {
  tagClass: TagClass
  constructed: boolean
  tagNumber: number
  /** where the content begins and ends */
  from: number
  to: number
}

function readHeader(reading: Reading, start: number, end: number): Header {
  const { bytes } = reading
  const identifier = bytes[start]
  if (identifier === undefined || start >= end) throw fail(reading, say`The encoding ends where a value should begin`, start)

  const tagClass = CLASSES[identifier >> 6] ?? 'universal'
  const constructed = (identifier & 0x20) !== 0
  let tagNumber = identifier & 0x1f
  let at = start + 1
  if (tagNumber === 0x1f) {
    tagNumber = 0
    for (;;) {
      const byte = at < end ? bytes[at] : undefined
      if (byte === undefined) throw fail(reading, say`The encoding ends inside a tag`, at)
      if (tagNumber === 0 && byte === 0x80) throw fail(reading, say`The tag number has a needless leading zero`, at)
      if (tagNumber > 0xff_ffff) throw fail(reading, say`The tag number is too large`, at)
      tagNumber = tagNumber * 128 + (byte & 0x7f)
      at += 1
      if ((byte & 0x80) === 0) break
    }
    if (tagNumber < 0x1f) throw fail(reading, say`Tag number ${tagNumber} must be written in the short form`, start)
  }

  const first = at < end ? bytes[at] : undefined
  if (first === undefined) throw fail(reading, say`The encoding ends where a length should stand`, at)
  at += 1
  let length = first
  if (first === 0x80) throw fail(reading, say`Indefinite lengths are not allowed in DER`, at - 1)
  if (first > 0x80) {
    const count = first & 0x7f
    if (count > 4) throw fail(reading, say`The length is too large`, at - 1)
    length = 0
    for (let index = 0; index < count; index += 1, at += 1) {
      const byte = at < end ? bytes[at] : undefined
      if (byte === undefined) throw fail(reading, say`The encoding ends inside a length`, at)
      if (index === 0 && byte === 0) throw fail(reading, say`The length has a needless leading zero`, at)
      length = length * 256 + byte
    }
    if (length < 0x80) throw fail(reading, say`Length ${length} must be written in the short form`, at - 1)
  }
  if (length > end - at) {
    throw fail(reading, say`The value claims ${length} bytes where ${end - at} are left`, start)
  }
  return { tagClass, constructed, tagNumber, from: at, to: at + length }
}

function readValue(reading: Reading, start: number, end: number): ReadValue {
  if (reading.indexes.length > reading.maxDepth) throw fail(reading, say`Values are nested more than ${reading.maxDepth} deep`, start)
  reading.valuesLeft -= 1
  if (reading.valuesLeft < 0) throw fail(reading, say`The encoding holds too many values`, start)
  const header = readHeader(reading, start, end)
  const value = new ReadValue(reading, start, header, header.constructed ? readChildren(reading, header) : none)
  if (header.tagClass === 'universal') {
    const fault = universalFault(header.tagNumber, header.constructed, value)
    if (fault !== undefined) throw fail(reading, fault, start)
  }
  return value
}

function readChildren(reading: Reading, { from, to }: Header): ReadValue[] {
  const children: ReadValue[] = []
  const depth = reading.indexes.length
  for (let at = from, index = 0; at < to; index += 1) {
    reading.indexes[depth] = index
    const child = readValue(reading, at, to)
    children.push(child)
    at = child.end
  }
  reading.indexes.length = depth
  return children
}
const none: readonly never[] = []

/** Its windows are opened when somebody looks: most values of a structure are never looked at as bytes, and a window costs more than reading the value. */
class ReadValue implements DerValue {
  readonly tagClass: TagClass
  readonly constructed: boolean
  readonly tagNumber: number
  readonly offset: number
  readonly headerLength: number
  readonly children: readonly DerValue[]
  path = ''
  /** where it ends in the bytes that it was read from */
  readonly end: number
  readonly #bytes: Uint8Array
  readonly #start: number
  #content: Uint8Array | undefined
  #encoded: Uint8Array | undefined

  constructor(
    { bytes, base }: Reading,
    start: number,
    { tagClass, constructed, tagNumber, from, to }: Header,
    children: readonly DerValue[],
  ) {
    this.tagClass = tagClass
    this.constructed = constructed
    this.tagNumber = tagNumber
    this.offset = base + start
    this.headerLength = from - start
    this.children = children
    this.end = to
    this.#bytes = bytes
    this.#start = start
  }

  get content(): Uint8Array {
    return (this.#content ??= this.#bytes.subarray(this.#start + this.headerLength, this.end))
  }

  get encoded(): Uint8Array {
    return (this.#encoded ??= this.#bytes.subarray(this.#start, this.end))
  }
}

/** What DER forbids in a value of this universal type, as a sentence; undefined when it is well formed. */
export function universalFault(tagNumber: number, constructed: boolean, value: Pick<DerValue, 'content'>): string | undefined {
  if (tagNumber === 0 || tagNumber === 15) return `Universal tag ${tagNumber} is reserved`
  if (constructed !== CONSTRUCTED_UNIVERSAL.has(tagNumber)) {
    return constructed ? `${tagName(tagNumber)} must not be constructed in DER` : `${tagName(tagNumber)} must be constructed`
  }
  return CONTENT_RULES[tagNumber]?.(value.content)
}

const CONTENT_RULES: { readonly [tagNumber: number]: (content: Uint8Array) => string | undefined } = {
  [TAG.boolean]: (content) => {
    if (content.length !== 1) return 'A BOOLEAN has exactly one byte'
    return content[0] === 0 || content[0] === 0xff ? undefined : 'A BOOLEAN must be 00 or FF in DER'
  },
  [TAG.integer]: integerFault,
  [TAG.enumerated]: integerFault,
  [TAG.bitString]: (content) => {
    const unused = content[0]
    if (unused === undefined) return 'A BIT STRING must say its number of unused bits'
    if (unused > 7) return 'A BIT STRING has at most 7 unused bits'
    if (content.length === 1) return unused === 0 ? undefined : 'An empty BIT STRING has no unused bits'
    const last = content[content.length - 1] ?? 0
    return (last & ((1 << unused) - 1)) === 0 ? undefined : 'The unused bits of a BIT STRING must be zero in DER'
  },
  [TAG.null]: (content) => (content.length === 0 ? undefined : 'NULL must be empty'),
  [TAG.objectIdentifier]: oidFault,
  [TAG.relativeOid]: oidFault,
}

function integerFault(content: Uint8Array): string | undefined {
  const [first, second] = content
  if (first === undefined) return 'An INTEGER has at least one byte'
  if (second === undefined) return undefined
  if ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)) return 'The INTEGER is longer than needed'
  return undefined
}

function oidFault(content: Uint8Array): string | undefined {
  if (content.length === 0) return 'An OBJECT IDENTIFIER must not be empty'
  // 128 bytes hold every identifier in use, and 19 bytes the largest arc, a UUID's 128 bits (X.667).
  if (content.length > 128) return 'The OBJECT IDENTIFIER is too long'
  let arcLength = 0
  for (const byte of content) {
    if (arcLength === 0 && byte === 0x80) return 'An arc of the OBJECT IDENTIFIER has a needless leading zero'
    arcLength = byte < 0x80 ? 0 : arcLength + 1
    if (arcLength > 18) return 'An arc of the OBJECT IDENTIFIER is too large'
  }
  return arcLength === 0 ? undefined : 'The OBJECT IDENTIFIER ends inside an arc'
}

const TAG_NAMES: { readonly [tagNumber: number]: string } = {
  1: 'BOOLEAN',
  2: 'INTEGER',
  3: 'BIT STRING',
  4: 'OCTET STRING',
  5: 'NULL',
  6: 'OBJECT IDENTIFIER',
  10: 'ENUMERATED',
  12: 'UTF8String',
  13: 'RELATIVE-OID',
  16: 'SEQUENCE',
  17: 'SET',
  18: 'NumericString',
  19: 'PrintableString',
  20: 'TeletexString',
  21: 'VideotexString',
  22: 'IA5String',
  23: 'UTCTime',
  24: 'GeneralizedTime',
  25: 'GraphicString',
  26: 'VisibleString',
  27: 'GeneralString',
  28: 'UniversalString',
  30: 'BMPString',
}

/** The ASN.1 name of a universal type, such as `OCTET STRING`. */
export function tagName(tagNumber: number): string {
  return TAG_NAMES[tagNumber] ?? `universal type ${tagNumber}`
}

/** What a person would call the tag of this value: `SEQUENCE`, `[0]`, `[APPLICATION 1]`. */
export function describeTag(value: Pick<DerValue, 'tagClass' | 'tagNumber'>): string {
  if (value.tagClass === 'universal') return tagName(value.tagNumber)
  return value.tagClass === 'context' ? `[${value.tagNumber}]` : `[${value.tagClass.toUpperCase()} ${value.tagNumber}]`
}
