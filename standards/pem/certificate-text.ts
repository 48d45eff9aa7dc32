// What a person pastes or drops: certificates, requests, CRLs, PKCS#7 and keys, as PEM, hex or bare base64, several at
// once. Each piece is recognised by its structure, not by its label, because labels are often wrong; only a piece too
// broken to be recognised is called what its label says, so that its own reader can say what is wrong with it.
import { say } from '#standards/say/say.ts'
import { DerError, splitDer } from '../der/reader.ts'
import { LARGEST_FILE, LONGEST_TEXT } from './limits.ts'
import { PemError, decodeBase64, decodePem, restoreLineEnds } from './pem.ts'
import { decodeText, isUtf16 } from './text-encoding.ts'

export type CertificateTextKind = 'certificate' | 'csr' | 'crl' | 'pkcs7' | 'privateKey' | 'publicKey' | 'unknown'

export interface CertificateTextItem {
  kind: CertificateTextKind
  bytes: Uint8Array
  /** of the PEM block it came from */
  label?: string
}

const MAXIMUM_ITEMS = 20_000
/** Lines of 64 characters in ten megabytes have less than half of it. */
const MOST_SEPARATORS = 1_000_000
const LIMITS = { maxBytes: LARGEST_FILE, maxValues: MAXIMUM_ITEMS }

const KIND_OF_LABEL: { readonly [label: string]: CertificateTextKind } = {
  CERTIFICATE: 'certificate',
  'X509 CERTIFICATE': 'certificate',
  'TRUSTED CERTIFICATE': 'certificate',
  'CERTIFICATE REQUEST': 'csr',
  'NEW CERTIFICATE REQUEST': 'csr',
  'X509 CRL': 'crl',
  PKCS7: 'pkcs7',
  CMS: 'pkcs7',
  'PUBLIC KEY': 'publicKey',
  'PRIVATE KEY': 'privateKey',
  'ENCRYPTED PRIVATE KEY': 'privateKey',
  'RSA PRIVATE KEY': 'privateKey',
  'EC PRIVATE KEY': 'privateKey',
}

/** The pieces of a text, at least one. `expected`: the label of PEM that is asked for. Throws PemError with the line, or DerError where text is right and bytes are not. */
export function splitCertificateText(text: string, expected?: string): CertificateTextItem[] {
  if (text.length > LONGEST_TEXT) throw new PemError(say`The text is longer than 10 MiB of content`, 1)
  if (text.trim() === '') throw new PemError(say`The text is empty`, 1)
  if (text.includes('-----BEGIN')) {
    refuseTooMany(text)
    const items: CertificateTextItem[] = []
    for (const { label, bytes } of decodePem(restoreLineEnds(text), expected)) {
      for (const piece of pieces(bytes)) items.push({ kind: kindOf(piece, label), bytes: piece, label })
      if (items.length > MAXIMUM_ITEMS) throw new PemError(say`The text holds more than ${MAXIMUM_ITEMS} items`, 1)
    }
    if (items.length === 0)
      throw new PemError(say`A BEGIN line must stand alone on its line`, lineCount(text.slice(0, text.indexOf('-----BEGIN'))))
    return items
  }
  const bare = decodeBare(text)
  try {
    return splitDer(bare, LIMITS).map((bytes) => ({ kind: recognise(bytes), bytes }))
  } catch (error) {
    // A word is base64, too. All that is taken begins with a SEQUENCE; of what does not, no byte is worth naming.
    if (error instanceof DerError && bare[0] !== 0x30) throw new PemError(say`This is neither PEM nor DER as base64 or hexadecimal text`, 1)
    throw error
  }
}

/** The pieces of a file: DER values one behind the other, or any text that splitCertificateText takes. */
export function splitCertificateBytes(bytes: Uint8Array): CertificateTextItem[] {
  if (bytes[0] === 0x30 && bytes[1] !== undefined && (bytes[1] >= 0x80 || bytes.length === bytes[1] + 2)) {
    return splitDer(bytes, LIMITS).map((piece) => ({ kind: recognise(piece), bytes: piece }))
  }
  if (bytes.length > LARGEST_FILE) throw new PemError(say`The file is larger than 10 MiB`, 1)
  return splitCertificateText(
    isUtf16(bytes) ? decodeText(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
  )
}

/** A block that is not a series of DER values stays whole: its reader will name the fault. */
function pieces(bytes: Uint8Array): Uint8Array[] {
  try {
    return splitDer(bytes, LIMITS)
  } catch (error) {
    if (error instanceof DerError) return [bytes]
    throw error
  }
}

function kindOf(bytes: Uint8Array, label: string): CertificateTextKind {
  const kind = recognise(bytes)
  return kind === 'unknown' ? (KIND_OF_LABEL[label] ?? 'unknown') : kind
}

function decodeBare(text: string): Uint8Array {
  refuseLoose(text)
  const compact = text.replaceAll(/\s/g, '')
  const digits = compact.replace(/^0x/i, '').replaceAll(':', '')
  if (/^[0-9a-f]+$/i.test(digits)) {
    if (digits.length % 2 !== 0) throw new PemError(say`The hexadecimal text has an odd number of digits`, lineCount(text))
    return Buffer.from(digits, 'hex')
  }
  const bad = /[^A-Za-z0-9+/=\s]/u.exec(text)
  if (bad !== null) {
    const line = lineCount(text.slice(0, bad.index))
    throw new PemError(say`${JSON.stringify(bad[0])} belongs to neither PEM, hexadecimal nor base64 text`, line)
  }
  // Padding ends a piece of base64; pieces without padding decode the same joined as apart.
  const decoded = (compact.match(/[^=]+=*/g) ?? []).map(decodeBase64)
  const parts = decoded.filter((part) => part !== undefined)
  if (parts.length < decoded.length || parts.length === 0) throw new PemError(say`The text is not valid base64`, 1)
  return Buffer.concat(parts)
}

/** Each blank, colon and end of padding costs whoever takes it out, or decodes what lies between: ten megabytes of them half a second, or minutes. */
function refuseLoose(text: string): void {
  let [separators, ends] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === 0x3a) separators += 1
    else if (code === 0x3d) ends += 1
    if (separators > MOST_SEPARATORS) throw new PemError(say`The text has more than ${MOST_SEPARATORS} blanks and colons`, 1)
    if (ends > 2 * MAXIMUM_ITEMS) throw new PemError(say`The text holds more than ${MAXIMUM_ITEMS} items`, 1)
  }
}

/** Before anything is made of them: ten megabytes may hold a quarter of a million empty blocks. */
function refuseTooMany(text: string): void {
  let count = 0
  for (let at = text.indexOf('-----BEGIN'); at >= 0; at = text.indexOf('-----BEGIN', at + 10))
    if ((count += 1) > MAXIMUM_ITEMS) throw new PemError(say`The text holds more than ${MAXIMUM_ITEMS} items`, 1)
}

function lineCount(text: string): number {
  return text.split('\n').length
}

const SEQUENCE = 0x30
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const CONTEXT_0 = 0xa0
const TIMES: readonly (number | undefined)[] = [0x17, 0x18]
/** 1.2.840.113549.1.7, the arc of PKCS#7 content types */
const PKCS7_ARC = Buffer.from('2a864886f70d0107', 'hex')

/** What the DER value is, by the tags of its first two levels. */
function recognise(bytes: Uint8Array): CertificateTextKind {
  try {
    if (bytes[0] !== SEQUENCE) return 'unknown'
    const fields = inside(bytes)
    const tags = fields.map((field) => field[0])
    const [first, second] = fields
    if (first === undefined || second === undefined) return 'unknown'
    if (matches(tags, [OBJECT_IDENTIFIER, CONTEXT_0])) return Buffer.compare(first.subarray(2, 10), PKCS7_ARC) === 0 ? 'pkcs7' : 'unknown'
    if (matches(tags, [SEQUENCE, SEQUENCE, BIT_STRING])) return recogniseSigned(first)
    if (PRIVATE_KEYS.some((shape) => matches(tags.slice(0, shape.length), shape))) return 'privateKey'
    if (first[0] !== SEQUENCE) return 'unknown'
    const algorithm = inside(first)[0]?.[0] === OBJECT_IDENTIFIER
    if (matches(tags, [SEQUENCE, BIT_STRING])) return algorithm ? 'publicKey' : 'unknown'
    if (matches(tags, [SEQUENCE, OCTET_STRING])) return algorithm ? 'privateKey' : 'unknown'
    return 'unknown'
  } catch (error) {
    if (error instanceof DerError) return 'unknown'
    throw error
  }
}

/** PKCS#8, PKCS#1 and SEC 1, by their first fields. */
const PRIVATE_KEYS = [
  [INTEGER, SEQUENCE, OCTET_STRING],
  [INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER],
  [INTEGER, OCTET_STRING, CONTEXT_0],
]

function recogniseSigned(toBeSigned: Uint8Array): CertificateTextKind {
  const fields = inside(toBeSigned)
  const tags = fields.map((field) => field[0])
  const [, , third] = fields
  if (matches(tags.slice(0, 3), [INTEGER, SEQUENCE, SEQUENCE]) && (tags.length === 3 || matches(tags.slice(3), [CONTEXT_0]))) {
    if (third !== undefined && inside(third)[1]?.[0] === BIT_STRING) return 'csr'
  }
  const afterVersion = tags[0] === CONTEXT_0 ? tags.slice(1) : tags
  if (matches(afterVersion.slice(0, 6), [INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE])) return 'certificate'
  const crl = tags[0] === INTEGER ? tags.slice(1) : tags
  return matches(crl.slice(0, 2), [SEQUENCE, SEQUENCE]) && TIMES.includes(crl[2]) ? 'crl' : 'unknown'
}

function inside(bytes: Uint8Array): Uint8Array[] {
  const second = bytes[1] ?? 0
  return splitDer(bytes.subarray(second < 0x80 ? 2 : 2 + (second & 0x7f)), { maxBytes: LARGEST_FILE, maxValues: 64 })
}

function matches(tags: readonly (number | undefined)[], shape: readonly number[]): boolean {
  return tags.length === shape.length && shape.every((tag, index) => tags[index] === tag)
}
