// A certificate that the reader refuses, shown as far as it can be read: each field by itself, and what cannot be read as its bytes. For a decoder
// page only, because nothing here may be trusted: lengths are taken as they come, and what is cut short ends where the bytes do.
import { DerError, readDer, TAG, type DerValue } from '../der/reader.ts'
import { explicitContent, hexOf, readBitStringBytes, readSmallInteger, readTime, expectUniversal } from '../der/values.ts'
import { describeAlgorithm, parseAlgorithmIdentifier } from './algorithms.ts'
import { describeExtension } from './describe-extension.ts'
import { describePublicKey } from './describe.ts'
import { describeName, type DescribedField } from './described-field.ts'
import { parseExtension } from './extensions.ts'
import { parseName } from './names.ts'
import { parsePublicKey } from './public-key.ts'

export interface MalformedField {
  field: string
  message: string
}

/** One value by its header alone. */
interface Piece {
  tag: number
  offset: number
  contentOffset: number
  encoded: Uint8Array
  content: Uint8Array
}

const SEQUENCE = 0x30
const BIT_STRING = 0x03
const MOST_PIECES = 200

/** Whether the bytes have the outline of a certificate: three values, the first of which is a list that begins with a version or a number. */
export function hasOutlineOfCertificate(der: Uint8Array): boolean {
  const [whole] = piecesIn(der, 0)
  const [tbs, algorithm, signature] = whole?.tag === SEQUENCE ? within(whole) : []
  const fields = tbs?.tag === SEQUENCE ? within(tbs) : []
  return algorithm?.tag === SEQUENCE && signature?.tag === BIT_STRING && fields.length >= 6 && [0xa0, 0x02].includes(fields[0]?.tag ?? 0)
}

/** Every field that can be read, and a fault for each that cannot. Undefined where not even the outline is one of a certificate. */
export function describeMalformed(der: Uint8Array): { field: DescribedField; faults: MalformedField[] } | undefined {
  if (!hasOutlineOfCertificate(der)) return undefined
  const faults: MalformedField[] = []
  const read = (label: string, piece: Piece, describe: (value: DerValue) => Partial<DescribedField>): DescribedField => {
    try {
      return { label, offset: piece.offset, ...describe(readDer(piece.encoded, { offset: piece.offset, path: label })) }
    } catch (error) {
      if (!(error instanceof DerError)) throw error
      faults.push({ field: error.path === '' ? label : error.path, message: `${error.fault}.` })
      return { label, offset: piece.offset, value: hexOf(piece.encoded), note: 'This cannot be read, and is shown as its bytes.' }
    }
  }
  const [whole] = piecesIn(der, 0)
  const [tbs, ...outer] = whole === undefined ? [] : within(whole)
  const left = tbs === undefined ? [] : within(tbs)
  const children: DescribedField[] = []
  const version = left[0]?.tag === 0xa0 ? left.shift() : undefined
  if (version !== undefined) children.push(read('version', version, readVersion))
  for (const [label, describe] of FIELDS) {
    const piece = left.shift()
    if (piece === undefined) faults.push({ field: label, message: `The field ${label} is missing.` })
    else children.push(read(label, piece, describe))
  }
  for (const piece of left)
    children.push(
      piece.tag === 0xa3
        ? {
            label: 'extensions',
            offset: piece.offset,
            children: within(piece)
              .flatMap(within)
              .map((one, at) => read(`extensions[${at}]`, one, (value) => describeExtension(parseExtension(value)))),
          }
        : read(UNIQUE_IDS[piece.tag] ?? 'unexpected', piece, (value) => ({ value: hexOf(value.content) })),
    )
  return {
    field: {
      label: 'Certificate',
      offset: 0,
      children: [
        { label: 'tbsCertificate', offset: tbs?.offset ?? 0, children },
        ...outer
          .slice(0, 2)
          .map((piece, at) => (at === 0 ? read('signatureAlgorithm', piece, readAlgorithm) : read('signature', piece, readBits))),
      ],
    },
    faults,
  }
}

const UNIQUE_IDS: { readonly [tag: number]: string } = { 0x81: 'issuerUniqueID', 0x82: 'subjectUniqueID' }

const readVersion = (value: DerValue) => ({ value: `v${readSmallInteger(explicitContent(value), { max: 100 }) + 1}` })
const readAlgorithm = (value: DerValue) => ({ value: describeAlgorithm(parseAlgorithmIdentifier(value, value.path)) })
const readBits = (value: DerValue) => ({ value: hexOf(readBitStringBytes(value)) })

const FIELDS: readonly (readonly [label: string, describe: (value: DerValue) => Partial<DescribedField>])[] = [
  [
    'serialNumber',
    (value) => {
      expectUniversal(value, TAG.integer)
      return { value: hexOf(value.content) }
    },
  ],
  ['signature', readAlgorithm],
  ['issuer', (value) => describeName('issuer', parseName(value))],
  [
    'validity',
    (value) => ({
      children: value.children.slice(0, 2).map((time, at) => ({
        label: at === 0 ? 'notBefore' : 'notAfter',
        value: readTime(time).toISOString().replace('.000', ''),
      })),
    }),
  ],
  ['subject', (value) => describeName('subject', parseName(value))],
  ['subjectPublicKeyInfo', (value) => describePublicKey('subjectPublicKeyInfo', parsePublicKey(value))],
]

const within = ({ content, contentOffset }: Piece): Piece[] => piecesIn(content, contentOffset)

/** Values one behind the other, by their headers; it ends at the first header that says nothing. */
function piecesIn(bytes: Uint8Array, offset: number): Piece[] {
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
