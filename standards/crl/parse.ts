// Reading a CRL, strictly. A list may hold a million entries, so it is not read as one tree: header and end are, the
// entries are checked one by one and then kept as the bytes they came in, to be decoded again when someone asks.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, hasMore, take, takeContext, takeUniversal } from '../der/fields.ts'
import { DerError, readDer, readDerSeries, TAG, type DerValue } from '../der/reader.ts'
import {
  bytesEqual,
  expectUniversal,
  explicitContent,
  faultAt,
  implicit,
  isContext,
  isUniversal,
  readBitStringBytes,
  readBoolean,
  readEnumerated,
  readInteger,
  readTime,
  readUnsignedBytes,
  type Oid,
} from '../der/values.ts'
import { parseAlgorithmIdentifier, type SignatureAlgorithmName } from '../x509/algorithms.ts'
import type { Extension, ReasonFlag, UnknownExtension } from '../x509/extension-types.ts'
import { extensionOid, parseExtensions } from '../x509/extensions.ts'
import { parseGeneralNames } from '../x509/general-names.ts'
import { encodeName, nameEquals, parseName, type Name } from '../x509/names.ts'
import { OIDS, oidName } from '../x509/oids.ts'
import { parseReasonFlags } from '../x509/policies.ts'
import type { IssuingDistributionPoint } from './certificate-list.ts'
import { endOfPlainEntry, standsAt } from './plain-entry.ts'
import { reasonFromCode, type RevocationReason } from './reasons.ts'

export interface ParsedCrlEntry {
  /** unsigned big-endian, without a leading zero; for a negative number the bytes as they stand, as parseCertificate gives them */
  serialNumber: Uint8Array
  /** RFC 5280 4.1.2.2 forbids it; one such entry must not hide all the others */
  negative: boolean
  revocationDate: Date
  reason: RevocationReason
  invalidityDate: Date | undefined
  /** who issued the certificate, as a DER Name, where an indirect list names another than its own issuer (RFC 5280 5.3.3) */
  certificateIssuer?: Uint8Array | undefined
}

export interface ParsedIssuingDistributionPoint extends IssuingDistributionPoint {
  uris: readonly string[]
  onlyContainsUserCerts: boolean
  onlyContainsCaCerts: boolean
  onlyContainsAttributeCerts: boolean
  /** the list says nothing about other reasons; undefined covers all */
  onlySomeReasons: readonly ReasonFlag[] | undefined
  indirectCrl: boolean
}

export interface ParsedCrl {
  version: 1 | 2
  /** the TBSCertList that the signature covers */
  tbsCertList: Uint8Array
  signatureAlgorithm: SignatureAlgorithmName
  signature: Uint8Array
  issuer: Name
  encodedIssuer: Uint8Array
  thisUpdate: Date
  nextUpdate: Date | undefined
  entryCount: number
  entries(): Iterable<ParsedCrlEntry>
  /**
   * the entry with this serial number, by one pass over the bytes; in an indirect list that of `issuer`, a DER Name, or of the list's own. `negative`: the
   * number of the certificate is, so that it is not taken for the positive one of the same bytes.
   */
  find(serialNumber: Uint8Array, issuer?: Uint8Array, negative?: boolean): ParsedCrlEntry | undefined
  extensions: readonly Extension[]
  crlNumber?: bigint | undefined
  authorityKeyIdentifier?: Uint8Array | undefined
  deltaBase?: bigint | undefined
  issuingDistributionPoint?: ParsedIssuingDistributionPoint | undefined
  /** extensions that this reader does not know and must not be passed over (RFC 5280 5.2) */
  unknownCritical: readonly Oid[]
}

// 64 MiB holds more than a million entries.
const MAX_BYTES = 1 << 26
const MAX_ENTRY_BYTES = 4096

/** Throws DerError with byte and field. Checks no signature. */
export function parseCrl(der: Uint8Array, { maxBytes = MAX_BYTES }: { maxBytes?: number } = {}): ParsedCrl {
  if (der.length > maxBytes) throw new DerError(say`The list has ${der.length} bytes; at most ${maxBytes} are read`, 0)
  const outer = fieldsOf(outline(der))
  const tbs = take(outer, 'tbsCertList')
  const outerAlgorithm = take(outer, 'signatureAlgorithm')
  const signature = readBitStringBytes(take(outer, 'signatureValue'))
  finish(outer)

  const fields = fieldsOf(tbs)
  const version = takeUniversal(fields, TAG.integer, 'version')
  if (version !== undefined && readInteger(version) !== 1n) throw faultAt(version, say`The version must be 2, or absent for 1`)
  const algorithm = take(fields, 'signature')
  if (!bytesEqual(algorithm.encoded, outerAlgorithm.encoded))
    throw faultAt(outerAlgorithm, say`The algorithm is not the one that the signature covers`)
  const issuerValue = take(fields, 'issuer')
  const issuer = parseName(issuerValue, issuerValue.path)
  if (issuer.length === 0) throw faultAt(issuerValue, say`The issuer must not be empty`)
  const thisUpdate = readTime(take(fields, 'thisUpdate'))
  const nextUpdate = takeUniversal(fields, TAG.utcTime, 'nextUpdate') ?? takeUniversal(fields, TAG.generalizedTime, 'nextUpdate')
  const revoked = takeUniversal(fields, TAG.sequence, 'revokedCertificates')
  const extensionsValue = takeContext(fields, 0, 'crlExtensions')
  if (extensionsValue !== undefined && version === undefined) throw faultAt(extensionsValue, say`A list of version 1 has no extensions`)
  finish(fields)

  const extensions = extensionsValue === undefined ? [] : parseExtensions(explicitContent(extensionsValue))
  const known: KnownFields = {}
  const unknownCritical: Oid[] = []
  for (const extension of extensions) {
    if (extension.type === 'authorityKeyIdentifier') known.authorityKeyIdentifier = extension.keyIdentifier
    if (extension.type !== 'unknown') continue
    const read = KNOWN[extension.oid]
    if (read !== undefined) Object.assign(known, read(inside(extension, der, 'tbsCertList.crlExtensions')))
    else if (extension.critical) unknownCritical.push(extension.oid)
  }

  const kind: EntryKind = {
    mayHaveExtensions: version !== undefined,
    indirect: known.issuingDistributionPoint?.indirectCrl === true,
    own: issuer,
  }
  const entryCount = revoked === undefined ? 0 : checkEntries(der, revoked, kind)
  if (revoked !== undefined && entryCount === 0) throw faultAt(revoked, say`An empty list of entries must be left out`)
  return {
    version: version === undefined ? 1 : 2,
    tbsCertList: tbs.encoded,
    signatureAlgorithm: parseAlgorithmIdentifier(algorithm),
    signature,
    issuer,
    encodedIssuer: issuerValue.encoded,
    thisUpdate,
    nextUpdate: nextUpdate === undefined ? undefined : readTime(nextUpdate),
    entryCount,
    entries: () => entriesOf(der, revoked, kind),
    find(serialNumber, of = issuerValue.encoded, negative = false) {
      const wanted = withoutLeadingZeros(serialNumber)
      if (revoked === undefined) return undefined
      if (kind.indirect) return findIndirect(entriesOf(der, revoked, kind), { serialNumber: wanted, negative }, parseName(of), issuer)
      for (const span of entrySpans(der, revoked)) {
        const serial = spanAt(der, span.content, span.end, '')
        if ((der[serial.content] ?? 0) >= 0x80 !== negative) continue
        const lead = serial.end - serial.content > 1 && der[serial.content] === 0 ? 1 : 0
        if (serial.end - serial.content - lead === wanted.length && standsAt(der, serial.content + lead, wanted))
          return readEntry(entryAt(der, span, revoked.path), der, kind)
      }
      return undefined
    },
    extensions,
    ...known,
    unknownCritical,
  }
}

/** The list as a tree in which the entries are one value without children. */
function outline(der: Uint8Array): DerValue {
  const whole = spanAt(der, 0, der.length, '')
  if (whole.end < der.length) throw new DerError(say`${der.length - whole.end} bytes follow the end of the value`, whole.end)
  const signed = spanAt(der, whole.content, whole.end, 'tbsCertList')
  const fields: DerValue[] = []
  for (let at = signed.content; at < signed.end;) {
    const span = spanAt(der, at, signed.end, 'tbsCertList')
    const before = fields.at(-1)
    const afterTime = before !== undefined && (isUniversal(before, TAG.utcTime) || isUniversal(before, TAG.generalizedTime))
    const isEntries = afterTime && der[at] === SEQUENCE
    fields.push(isEntries ? valueOver(der, span, []) : readDer(der.subarray(at, span.end), { offset: at, path: 'tbsCertList' }))
    at = span.end
  }
  const rest = signed.end < whole.end ? readDerSeries(der.subarray(signed.end, whole.end), { offset: signed.end }) : []
  return valueOver(der, whole, [valueOver(der, signed, fields), ...rest])
}

const SEQUENCE = 0x30

interface Span {
  start: number
  content: number
  end: number
}

/** Header and length of the value at `at`, as strict about them as the DER reader. */
function spanAt(bytes: Uint8Array, at: number, limit: number, path: string): Span {
  const fail = (fault: string) => new DerError(fault, at, path)
  const first = bytes[at + 1]
  if (first === undefined || at + 2 > limit) throw fail(say`The encoding ends where a value should stand`)
  if (((bytes[at] ?? 0) & 0x1f) === 0x1f) throw fail(say`The tag does not occur in a list`)
  let content = at + 2
  let length = first
  if (first >= 0x80) {
    const count = first & 0x7f
    if (count === 0 || count > 4 || content + count > limit) throw fail(say`The length is indefinite, too large or cut short`)
    length = 0
    for (const byte of bytes.subarray(content, content + count)) length = length * 256 + byte
    if (length < (count === 1 ? 0x80 : 256 ** (count - 1))) throw fail(say`The length is longer than needed`)
    content += count
  }
  if (length > limit - content) throw fail(say`The value claims ${length} bytes where ${limit - content} are left`)
  return { start: at, content, end: content + length }
}

function valueOver(bytes: Uint8Array, { start, content, end }: Span, children: readonly DerValue[]): DerValue {
  const value: DerValue = {
    tagClass: 'universal',
    constructed: true,
    tagNumber: TAG.sequence,
    offset: start,
    headerLength: content - start,
    content: bytes.subarray(content, end),
    encoded: bytes.subarray(start, end),
    children,
    path: '',
  }
  if (bytes[start] !== SEQUENCE) throw faultAt(value, say`Expected SEQUENCE`)
  return value
}

/** Where each entry stands in the whole list. */
function* entrySpans(der: Uint8Array, revoked: DerValue): Generator<Span> {
  const limit = revoked.offset + revoked.encoded.length
  for (let at = revoked.offset + revoked.headerLength; at < limit;) {
    const span = spanAt(der, at, limit, revoked.path)
    yield span
    at = span.end
  }
}

/** How many there are. Throws DerError for the first that is wrong. */
function checkEntries(der: Uint8Array, revoked: DerValue, kind: EntryKind): number {
  const limit = revoked.offset + revoked.encoded.length
  let count = 0
  for (let at = revoked.offset + revoked.headerLength; at < limit; count += 1) {
    const plain = endOfPlainEntry(der, at, limit, kind.mayHaveExtensions)
    if (plain === undefined) {
      const span = spanAt(der, at, limit, revoked.path)
      readEntry(entryAt(der, span, `${revoked.path}[${count}]`), der, kind)
      at = span.end
    } else at = plain
  }
  return count
}

function* entryValues(der: Uint8Array, revoked: DerValue): Generator<DerValue> {
  let index = 0
  for (const span of entrySpans(der, revoked)) {
    yield entryAt(der, span, `${revoked.path}[${index}]`)
    index += 1
  }
}

interface EntryKind {
  mayHaveExtensions: boolean
  /** entries may name the issuer of their certificate */
  indirect: boolean
  /** the list's own issuer */
  own: Name
}

/** What names no issuer belongs to that of the entry before it, the first to the list's own (RFC 5280 5.3.3). */
function* entriesOf(der: Uint8Array, revoked: DerValue | undefined, kind: EntryKind): Generator<ParsedCrlEntry> {
  let certificateIssuer: Uint8Array | undefined
  for (const value of revoked === undefined ? [] : entryValues(der, revoked)) {
    const entry = readEntry(value, der, kind)
    if (entry.certificateIssuer !== undefined)
      certificateIssuer = nameEquals(parseName(entry.certificateIssuer), kind.own) ? undefined : entry.certificateIssuer
    yield kind.indirect ? { ...entry, certificateIssuer } : entry
  }
}

function findIndirect(
  entries: Iterable<ParsedCrlEntry>,
  { serialNumber, negative }: Pick<ParsedCrlEntry, 'serialNumber' | 'negative'>,
  issuer: Name,
  own: Name,
): ParsedCrlEntry | undefined {
  for (const entry of entries) {
    if (entry.negative !== negative || !bytesEqual(entry.serialNumber, serialNumber)) continue
    if (nameEquals(entry.certificateIssuer === undefined ? own : parseName(entry.certificateIssuer), issuer)) return entry
  }
  return undefined
}

function entryAt(der: Uint8Array, { start, end }: Span, path: string): DerValue {
  return readDer(der.subarray(start, end), { offset: start, path, maxBytes: MAX_ENTRY_BYTES, maxDepth: 12 })
}

function readEntry(value: DerValue, der: Uint8Array, { mayHaveExtensions, indirect }: EntryKind): ParsedCrlEntry {
  const fields = fieldsOf(value)
  const serial = take(fields, 'userCertificate')
  expectUniversal(serial, TAG.integer)
  const negative = (serial.content[0] ?? 0) >= 0x80
  const serialNumber = negative ? serial.content : readUnsignedBytes(serial)
  if (serialNumber.length > 20) throw faultAt(serial, say`A serial number has at most 20 bytes`)
  const revocationDate = readTime(take(fields, 'revocationDate'))
  let reason: RevocationReason = 'unspecified'
  let invalidityDate: Date | undefined
  let certificateIssuer: Uint8Array | undefined
  if (hasMore(fields)) {
    const list = take(fields, 'crlEntryExtensions')
    if (!mayHaveExtensions) throw faultAt(list, say`An entry of version 1 has no extensions`)
    for (const extension of parseExtensions(list)) {
      if (extension.type === 'unknown' && extension.oid === OIDS.reasonCode) reason = readReason(inside(extension, der, list.path))
      else if (extension.type === 'unknown' && extension.oid === OIDS.invalidityDate)
        invalidityDate = readInvalidityDate(inside(extension, der, list.path))
      else if (extension.type === 'unknown' && extension.oid === OIDS.certificateIssuer && indirect)
        certificateIssuer = readCertificateIssuer(inside(extension, der, list.path))
      // The certificate issuer among them, in a list that is not indirect: passed over, it would put the entry on the wrong authority.
      else if (extension.critical) throw faultAt(list, say`The critical extension ${extensionOid(extension)} of an entry is not known here`)
    }
  }
  finish(fields)
  return {
    serialNumber,
    negative,
    revocationDate,
    reason,
    invalidityDate,
    ...(certificateIssuer === undefined ? {} : { certificateIssuer }),
  }
}

/** One name in the form of X.500: an authority has no other. */
function readCertificateIssuer(value: DerValue): Uint8Array {
  const names = parseGeneralNames(value).flatMap((name) => (name.type === 'directoryName' ? [name.name] : []))
  const [name] = names
  if (name === undefined || names.length > 1) throw faultAt(value, say`The issuer of a certificate must be one directoryName`)
  return encodeName(name)
}

function readReason(value: DerValue): RevocationReason {
  const reason = reasonFromCode(readEnumerated(value))
  if (reason === undefined) throw faultAt(value, say`The number is no reason for revocation`)
  return reason
}

function readInvalidityDate(value: DerValue): Date {
  expectUniversal(value, TAG.generalizedTime)
  return readTime(value)
}

/** The DER in an extension's value, which is a window on `der`. */
function inside(extension: UnknownExtension, der: Uint8Array, path: string): DerValue {
  const { oid, value } = extension
  return readDer(value, { offset: value.byteOffset - der.byteOffset, path: `${path}(${oidName(oid) ?? oid})` })
}

type KnownFields = Partial<Pick<ParsedCrl, 'crlNumber' | 'authorityKeyIdentifier' | 'deltaBase' | 'issuingDistributionPoint'>>

const KNOWN: { readonly [oid: Oid]: (value: DerValue) => KnownFields } = {
  [OIDS.cRLNumber]: (value) => ({ crlNumber: readCrlNumber(value) }),
  [OIDS.deltaCRLIndicator]: (value) => ({ deltaBase: readCrlNumber(value) }),
  [OIDS.issuingDistributionPoint]: (value) => ({ issuingDistributionPoint: readIssuingDistributionPoint(value) }),
}

function readCrlNumber(value: DerValue): bigint {
  if (readUnsignedBytes(value).length > 20) throw faultAt(value, say`A CRL number has at most 20 bytes`)
  return readInteger(value)
}

function readIssuingDistributionPoint(value: DerValue): ParsedIssuingDistributionPoint {
  const fields = fieldsOf(value)
  const uris: string[] = []
  const name = takeContext(fields, 0, 'distributionPoint')
  if (name !== undefined) {
    const fullName = explicitContent(name)
    // A name relative to the issuer [1] is allowed and says nothing about an address.
    for (const general of isContext(fullName, 0) ? parseGeneralNames(implicit(fullName, TAG.sequence)) : []) {
      if (general.type === 'uniformResourceIdentifier') uris.push(general.value)
    }
  }
  const flag = (tagNumber: number, field: string) => {
    const tagged = takeContext(fields, tagNumber, field)
    return tagged !== undefined && readBoolean(implicit(tagged, TAG.boolean))
  }
  const onlyContainsUserCerts = flag(1, 'onlyContainsUserCerts')
  const onlyContainsCaCerts = flag(2, 'onlyContainsCACerts')
  const someReasons = takeContext(fields, 3, 'onlySomeReasons')
  const onlySomeReasons = someReasons && parseReasonFlags(implicit(someReasons, TAG.bitString))
  const indirectCrl = flag(4, 'indirectCRL')
  const onlyContainsAttributeCerts = flag(5, 'onlyContainsAttributeCerts')
  finish(fields)
  return { uris, onlyContainsUserCerts, onlyContainsCaCerts, onlyContainsAttributeCerts, onlySomeReasons, indirectCrl }
}

function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? bytes.subarray(-1) : bytes.subarray(first)
}
