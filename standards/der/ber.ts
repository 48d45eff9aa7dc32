// Rewrites BER (X.690 8) as DER, for the few formats whose writers send indefinite lengths and strings in pieces: CMS of old enrolment clients. The strict reader
// then judges the result. It bounds depth, size and the number of values first, because whatever sends these is a stranger.
import { say } from '#standards/say/say.ts'
import { DerError, TAG } from './reader.ts'
import { concat } from './writer.ts'

export interface BerLimits {
  /** 1 MiB unless said */
  maxBytes?: number
}

const MOST_DEPTH = 32
const MOST_VALUES = 20_000

interface Header {
  tag: Uint8Array
  constructed: boolean
  /** undefined: up to the end-of-contents */
  length: number | undefined
  headerEnd: number
}

interface Reading {
  bytes: Uint8Array
  valuesLeft: number
}

/** One value in the definite, minimal form. Throws DerError for what is no BER, or is too large. */
export function berToDer(bytes: Uint8Array, { maxBytes = 1024 * 1024 }: BerLimits = {}): Uint8Array {
  if (bytes.length > maxBytes) throw new DerError(say`The value has more than ${maxBytes} bytes`, 0)
  const reading = { bytes, valuesLeft: MOST_VALUES }
  const { encoded, end } = convert(reading, 0, bytes.length, 0)
  if (end < bytes.length) throw new DerError(say`${bytes.length - end} bytes follow the end of the value`, end)
  return encoded
}

interface Converted {
  encoded: Uint8Array
  end: number
  tag: Uint8Array
  /** of the values inside, for whoever joins pieces */
  children: Converted[]
  content: Uint8Array
}

function readHeader({ bytes }: Reading, at: number, limit: number): Header {
  const cut = (): DerError => new DerError(say`The value is cut off`, at)
  const first = bytes[at]
  if (first === undefined || at >= limit) throw cut()
  let next = at + 1
  if ((first & 0x1f) === 0x1f) {
    while (next < limit && ((bytes[next] ?? 0) & 0x80) !== 0) next += 1
    next += 1
    if (next - at > 5) throw new DerError(say`The tag is too long`, at)
  }
  const tag = bytes.subarray(at, next)
  const lengthByte = bytes[next]
  if (lengthByte === undefined || next >= limit) throw cut()
  next += 1
  const constructed = (first & 0x20) !== 0
  if (lengthByte === 0x80) {
    if (!constructed) throw new DerError(say`A primitive value has no indefinite length`, at)
    return { tag, constructed, length: undefined, headerEnd: next }
  }
  let length = lengthByte
  if (lengthByte > 0x80) {
    const count = lengthByte & 0x7f
    if (count > 8 || next + count > limit) throw cut()
    length = 0
    for (let index = 0; index < count; index += 1) length = length * 256 + (bytes[next + index] ?? 0)
    next += count
  }
  if (length > limit - next) throw cut()
  return { tag, constructed, length, headerEnd: next }
}

function convert(reading: Reading, at: number, limit: number, depth: number): Converted {
  if (depth > MOST_DEPTH) throw new DerError(say`Values stand more than ${MOST_DEPTH} deep in each other`, at)
  reading.valuesLeft -= 1
  if (reading.valuesLeft < 0) throw new DerError(say`There are more than ${MOST_VALUES} values`, at)
  const { tag, constructed, length, headerEnd } = readHeader(reading, at, limit)
  if (!constructed) {
    const end = headerEnd + (length ?? 0)
    const content = reading.bytes.subarray(headerEnd, end)
    return { encoded: withHeader(tag, content), end, tag, children: [], content }
  }
  const children: Converted[] = []
  let next = headerEnd
  const last = length === undefined ? limit : headerEnd + length
  for (;;) {
    if (length === undefined && reading.bytes[next] === 0 && reading.bytes[next + 1] === 0 && next + 2 <= limit) {
      next += 2
      break
    }
    if (length !== undefined && next === last) break
    const child = convert(reading, next, last, depth + 1)
    children.push(child)
    next = child.end
  }
  return { ...joined(tag, children), end: next, tag, children }
}

const CONSTRUCTED = 0x20
const OCTETS = TAG.octetString

/** Types that are strings, which BER may send in pieces. BIT STRING in pieces is met nowhere in these formats, and stays for the strict reader to refuse. */
const STRINGS: ReadonlySet<number> = new Set([
  TAG.octetString,
  TAG.utf8String,
  TAG.printableString,
  TAG.teletexString,
  TAG.ia5String,
  TAG.bmpString,
])

function joined(tag: Uint8Array, children: Converted[]): { encoded: Uint8Array; content: Uint8Array } {
  const first = tag[0] ?? 0
  if (tag.length === 1 && (first & 0xc0) === 0 && STRINGS.has(first & 0x1f)) {
    const content = concat(...children.map((child) => child.content))
    return { encoded: withHeader(Uint8Array.of(first & ~CONSTRUCTED), content), content }
  }
  const content = concat(...children.map((child, index) => (isEncryptedContent(children, index) ? joinedContent(child) : child.encoded)))
  return { encoded: withHeader(tag, content), content }
}

/** The encryptedContent of an EncryptedContentInfo (RFC 5652 6.1) is `[0] IMPLICIT OCTET STRING`: a string in pieces that only its place tells from an explicit tag. */
const isEncryptedContent = (siblings: Converted[], index: number): boolean =>
  index === 2 &&
  siblings.length === 3 &&
  siblings[0]?.tag[0] === TAG.objectIdentifier &&
  siblings[1]?.tag[0] === (TAG.sequence | CONSTRUCTED) &&
  siblings[2]?.tag[0] === 0xa0 &&
  siblings[2].children.every((child) => child.tag[0] === OCTETS || child.tag[0] === (OCTETS | CONSTRUCTED))

const joinedContent = ({ children }: Converted): Uint8Array =>
  withHeader(Uint8Array.of(0x80), concat(...children.map((child) => child.content)))

function withHeader(tag: Uint8Array, content: Uint8Array): Uint8Array {
  const { length } = content
  if (length < 0x80) return concat(tag, Uint8Array.of(length), content)
  const digits: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return concat(tag, Uint8Array.of(0x80 | digits.length, ...digits), content)
}
