// What the reader refuses, shown as far as it can be read: a certificate, a request or a revocation list, each field by itself, and what cannot be
// read as its bytes. For a decoder page only, because nothing here may be trusted.
import { say } from '#standards/say/say.ts'
import { piecesIn, within, type Piece } from '../der/pieces.ts'
import { DerError, readDer, TAG, type DerValue } from '../der/reader.ts'
import { explicitContent, hexOf, readBitStringBytes, readOid, readSmallInteger, readTime, expectUniversal } from '../der/values.ts'
import { oid } from '../der/writer.ts'
import { describeAlgorithm, parseAlgorithmIdentifier } from './algorithms.ts'
import { describeExtension } from './describe-extension.ts'
import { describePublicKey } from './describe.ts'
import { describeName, type DescribedField } from './described-field.ts'
import { parseExtension } from './extensions.ts'
import { parseName } from './names.ts'
import { describeOid, OIDS } from './oids.ts'
import { parsePublicKey } from './public-key.ts'

export interface MalformedField {
  field: string
  message: string
}

export type MalformedKind = 'certificate' | 'csr' | 'crl'

const INTEGER = 0x02
const BIT_STRING = 0x03
const SEQUENCE = 0x30
const TIMES = [0x17, 0x18]
const CONTEXT_0 = 0xa0
const CONTEXT_3 = 0xa3
const MOST_ENTRIES = 100

/** What the bytes have the outline of: three values, of which the first tells by its fields. */
export function outlineOf(der: Uint8Array): MalformedKind | undefined {
  const [whole] = piecesIn(der, 0)
  const [signed, algorithm, signature] = whole?.tag === SEQUENCE ? within(whole) : []
  if (signed?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || signature?.tag !== BIT_STRING) return undefined
  const fields = within(signed)
  const tags = fields.map(({ tag }) => tag)
  const numbered = tags[0] === INTEGER ? tags.slice(1) : tags
  if (numbered[0] === SEQUENCE && numbered[1] === SEQUENCE && TIMES.includes(numbered[2] ?? 0)) return 'crl'
  if (fields.length >= 6 && [CONTEXT_0, INTEGER].includes(tags[0] ?? 0)) return 'certificate'
  const [, subject, key] = fields
  const isKey =
    key?.tag === SEQUENCE &&
    within(key)
      .map(({ tag }) => tag)
      .join() === `${SEQUENCE},${BIT_STRING}`
  return tags[0] === INTEGER && subject?.tag === SEQUENCE && isKey && fields.length <= 4 ? 'csr' : undefined
}

type Describe = (value: DerValue) => Partial<DescribedField>
type Read = (label: string, piece: Piece, describe: Describe) => DescribedField
type Layout = {
  label: string
  signed: string
  signature: string
  fields(left: Piece[], read: Read, missing: (label: string) => void): DescribedField[]
}

/** Every field that can be read, and a fault for each that cannot. Undefined where not even the outline is one that is known. */
export function describeMalformed(der: Uint8Array): { field: DescribedField; faults: MalformedField[] } | undefined {
  const kind = outlineOf(der)
  if (kind === undefined) return undefined
  const layout = LAYOUTS[kind]
  const faults: MalformedField[] = []
  const read: Read = (label, piece, describe) => {
    try {
      return { label, offset: piece.offset, ...describe(readDer(piece.encoded, { offset: piece.offset, path: label })) }
    } catch (error) {
      if (!(error instanceof DerError)) throw error
      faults.push({ field: error.path === '' ? label : error.path, message: `${error.fault}.` })
      return holdsSecret(piece)
        ? { label, offset: piece.offset, note: 'This cannot be read, and holds a challenge password: it is not shown.' }
        : { label, offset: piece.offset, value: hexOf(piece.encoded), note: 'This cannot be read, and is shown as its bytes.' }
    }
  }
  const missing = (label: string) => void faults.push({ field: label, message: `The field ${label} is missing.` })
  const [whole] = piecesIn(der, 0)
  const [signed, ...outer] = whole === undefined ? [] : within(whole)
  const children = layout.fields(signed === undefined ? [] : within(signed), read, missing)
  return {
    field: {
      label: layout.label,
      offset: 0,
      children: [
        { label: layout.signed, offset: signed?.offset ?? 0, children },
        ...outer
          .slice(0, 2)
          .map((piece, at) => (at === 0 ? read('signatureAlgorithm', piece, readAlgorithm) : read(layout.signature, piece, readBits))),
      ],
    },
    faults,
  }
}

const LAYOUTS: Record<MalformedKind, Layout> = {
  certificate: {
    label: 'Certificate',
    signed: 'tbsCertificate',
    signature: 'signature',
    fields(left, read, missing) {
      const version = left[0]?.tag === CONTEXT_0 ? left.shift() : undefined
      return [
        ...(version === undefined ? [] : [read('version', version, readVersion)]),
        ...inOrder(CERTIFICATE_FIELDS, left, read, missing),
        ...left.map((piece) =>
          piece.tag === CONTEXT_3 ? readExtensions('extensions', within(piece), read) : readUnknown(UNIQUE_IDS[piece.tag], piece, read),
        ),
      ]
    },
  },
  csr: {
    label: 'CertificationRequest',
    signed: 'certificationRequestInfo',
    signature: 'signature',
    fields: (left, read, missing) => [
      ...inOrder(CSR_FIELDS, left, read, missing),
      ...left.map((piece) =>
        piece.tag === CONTEXT_0
          ? {
              label: 'attributes',
              offset: piece.offset,
              children: within(piece).map((one, at) => readAttribute(`attributes[${at}]`, one, read)),
            }
          : readUnknown(undefined, piece, read),
      ),
    ],
  },
  crl: {
    label: 'CertificateList',
    signed: 'tbsCertList',
    signature: 'signatureValue',
    fields(left, read, missing) {
      const version = left[0]?.tag === INTEGER ? left.shift() : undefined
      const first = [
        ...(version === undefined
          ? []
          : [read('version', version, (value) => ({ value: `v${readSmallInteger(value, { max: 100 }) + 1}` }))]),
        ...inOrder(CRL_FIELDS, left, read, missing),
      ]
      const nextUpdate = TIMES.includes(left[0]?.tag ?? 0) ? left.shift() : undefined
      const entries = left[0]?.tag === SEQUENCE ? left.shift() : undefined
      return [
        ...first,
        ...(nextUpdate === undefined ? [] : [read('nextUpdate', nextUpdate, readMoment)]),
        ...(entries === undefined ? [] : [readEntries(entries, read)]),
        ...left.map((piece) =>
          piece.tag === CONTEXT_0 ? readExtensions('crlExtensions', within(piece), read) : readUnknown(undefined, piece, read),
        ),
      ]
    },
  },
}

type Named = readonly (readonly [label: string, describe: Describe])[]

/** The fields that always stand there; they are taken out of `left`. */
function inOrder(fields: Named, left: Piece[], read: Read, missing: (label: string) => void): DescribedField[] {
  return fields.flatMap(([label, describe]) => {
    const piece = left.shift()
    if (piece !== undefined) return [read(label, piece, describe)]
    missing(label)
    return []
  })
}

const readExtensions = (label: string, lists: readonly Piece[], read: Read): DescribedField => ({
  label,
  ...(lists[0] === undefined ? {} : { offset: lists[0].offset }),
  children: lists.flatMap(within).map((one, at) => read(`${label}[${at}]`, one, (value) => describeExtension(parseExtension(value)))),
})

const readUnknown = (label: string | undefined, piece: Piece, read: Read): DescribedField =>
  read(label ?? 'unexpected', piece, (value) => ({ value: hexOf(value.content) }))

/** Requested extensions one by one; a challenge password is a secret and not for a page. */
function readAttribute(label: string, piece: Piece, read: Read): DescribedField {
  if (holdsSecret(piece)) return { label: describeOid(OIDS.challengePassword), offset: piece.offset, note: 'present, not shown' }
  const [type, values] = within(piece)
  const asksForExtensions = type !== undefined && EXTENSION_REQUESTS.some((one) => Buffer.compare(one, type.encoded) === 0)
  if (asksForExtensions && values !== undefined) return readExtensions('extensionRequest', within(values), read)
  return read(label, piece, (value) => {
    const [name, set] = value.children
    return { ...(name === undefined ? {} : { label: describeOid(readOid(name)) }), value: hexOf(set?.content ?? value.content) }
  })
}

const EXTENSION_REQUESTS = [OIDS.extensionRequest, OIDS.microsoftExtensionRequest].map((type) => oid(type))
/** Its bytes without their header, which may be what is wrong. */
const CHALLENGE_PASSWORD = Buffer.from(oid(OIDS.challengePassword)).subarray(2)
const holdsSecret = ({ encoded }: Piece): boolean =>
  Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).includes(CHALLENGE_PASSWORD)

function readEntries(piece: Piece, read: Read): DescribedField {
  const entries = within(piece)
  const children = entries.slice(0, MOST_ENTRIES).map((entry, at) =>
    read(`revokedCertificates[${at}]`, entry, (value) => {
      const [serial, date, extensions] = value.children
      if (serial === undefined || date === undefined)
        throw new DerError(say`An entry has a serial number and a date`, value.offset, value.path)
      expectUniversal(serial, TAG.integer)
      return {
        label: 'userCertificate',
        value: hexOf(serial.content),
        children: [
          { label: 'revocationDate', ...readMoment(date) },
          ...(extensions?.children ?? []).map((one) => describeExtension(parseExtension(one))),
        ],
      }
    }),
  )
  if (entries.length > MOST_ENTRIES) children.push({ label: '...', note: 'The rest is left out.' })
  return { label: 'revokedCertificates', offset: piece.offset, children }
}

const UNIQUE_IDS: { readonly [tag: number]: string } = { 0x81: 'issuerUniqueID', 0x82: 'subjectUniqueID' }

const readVersion = (value: DerValue) => ({ value: `v${readSmallInteger(explicitContent(value), { max: 100 }) + 1}` })
const readAlgorithm = (value: DerValue) => ({ value: describeAlgorithm(parseAlgorithmIdentifier(value, value.path)) })
const readBits = (value: DerValue) => ({ value: hexOf(readBitStringBytes(value)) })
const readMoment = (value: DerValue) => ({ value: readTime(value).toISOString().replace('.000', '') })

const CERTIFICATE_FIELDS: Named = [
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
      children: value.children.slice(0, 2).map((time, at) => ({ label: at === 0 ? 'notBefore' : 'notAfter', ...readMoment(time) })),
    }),
  ],
  ['subject', (value) => describeName('subject', parseName(value))],
  ['subjectPublicKeyInfo', (value) => describePublicKey('subjectPublicKeyInfo', parsePublicKey(value))],
]

const CSR_FIELDS: Named = [
  ['version', (value) => ({ value: `v${readSmallInteger(value, { max: 100 }) + 1}` })],
  ['subject', (value) => describeName('subject', parseName(value))],
  ['subjectPKInfo', (value) => describePublicKey('subjectPKInfo', parsePublicKey(value))],
]

const CRL_FIELDS: Named = [
  ['signature', readAlgorithm],
  ['issuer', (value) => describeName('issuer', parseName(value))],
  ['thisUpdate', readMoment],
]
