import { hash } from 'node:crypto'
// A certificate of which most is known beforehand. What an authority and a template always say is checked and encoded once; each certificate
// then fills in what is its own (serial, dates, subject, key, alternative names) by laying finished pieces one beside the other. Every
// tbsCertificate is written here: buildTbsCertificate is a template without an open place, filled in once.
import { say } from '#standards/say/say.ts'
import {
  SEQUENCE,
  SET,
  clear,
  newPage,
  put,
  putAscii,
  putBinary,
  putByte,
  putHeader,
  putOid,
  putTime,
  tearOff,
  written,
  type Page,
} from '../der/page.ts'
import { TAG } from '../der/reader.ts'
import { boolean, concat } from '../der/writer.ts'
import { encodeAlgorithmIdentifier, type SignatureAlgorithm } from './algorithms.ts'
import { X509Error } from './error.ts'
import type { Extension } from './extension-types.ts'
import { encodeExtension, extensionOid } from './extensions.ts'
import { encodeGeneralName, type GeneralName } from './general-names.ts'
import { encodeName, encodeRdn, parseName, type Name } from './names.ts'
import { OIDS } from './oids.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { parsePublicKey } from './public-key.ts'

/** An extension of which each certificate has a value of its own. */
export type OpenExtension = 'subjectAltName' | 'subjectKeyIdentifier'

export interface CertificateTemplateInput {
  signatureAlgorithm: SignatureAlgorithm
  issuer: Name | Uint8Array
  extensions: readonly (Extension | OpenExtension)[]
}

export interface CertificateFields {
  /** unsigned, 1 to 20 bytes, not zero (RFC 5280 4.1.2.2) */
  serialNumber: Uint8Array
  notBefore: Date
  notAfter: Date
  subject: Name | Uint8Array
  /** a SubjectPublicKeyInfo, or what parsePublicKey made of one */
  publicKey: Uint8Array | PublicKeyInfo
  /** for the open place of that name; without one the certificate has no such extension. Critical where the subject is empty (RFC 5280 4.2.1.6). */
  subjectAltNames?: readonly GeneralName[] | undefined
}

/** Writes a tbsCertificate, version 3 with extensions and 1 without. Throws X509Error or DerError for what RFC 5280 forbids. */
export type CertificateTemplate = (fields: CertificateFields) => Uint8Array

/** Throws X509Error where the fixed parts are not what RFC 5280 allows. */
export function compileCertificate({ signatureAlgorithm, issuer, extensions }: CertificateTemplateInput): CertificateTemplate {
  const issuerBytes = issuer instanceof Uint8Array ? checkedName(issuer, 'issuer') : encodeName(issuer)
  if (issuerBytes.length === 2) throw new X509Error('issuer: must not be empty (RFC 5280 4.1.2.4)')
  refuseTwice(extensions)
  const algorithmAndIssuer = concat(encodeAlgorithmIdentifier(signatureAlgorithm), issuerBytes)
  const places = neighboursJoined(extensions.map((extension) => (typeof extension === 'string' ? extension : encodeExtension(extension))))

  let pattern: Pattern | undefined

  /** All behind the serial number; whether there are extensions. */
  const layOut = ({ notBefore, notAfter, subject, subjectAltNames }: CertificateFields, key: PublicKeyInfo): boolean => {
    const isNameless = subject instanceof Uint8Array ? subject.length === 2 : subject.length === 0
    let keyIdentifier: number | undefined
    let names: OpenText[] | undefined = []
    clear(page)
    for (let index = places.length - 1; index >= 0; index -= 1) {
      const place = places[index]
      if (place === 'subjectKeyIdentifier') {
        keyIdentifier = written(page)
        putKeyIdentifier(key)
        put(page, KEY_IDENTIFIER_HEAD)
      } else if (place === 'subjectAltName') names = putAlternativeNames(subjectAltNames, isNameless)
      else if (place !== undefined) put(page, place)
    }
    const hasExtensions = written(page) > 0
    if (hasExtensions) {
      putHeader(page, SEQUENCE, 0)
      putHeader(page, CONTEXT_3, 0)
    }
    const spki = written(page)
    put(page, key.spki)
    const attributes = putSubject(subject)
    const dates = written(page)
    putDate(notAfter, 'notAfter')
    putDate(notBefore, 'notBefore')
    const isUtc = written(page) - dates === 2 * UTC_TIME_BYTES
    putHeader(page, SEQUENCE, dates)
    put(page, algorithmAndIssuer)
    const bytes = new Uint8Array(page.bytes.subarray(page.at, page.end))
    pattern =
      attributes && names && isUtc
        ? { bytes, attributes, names, keyIdentifier, spki, spkiBytes: key.spki.length, dates, hasExtensions }
        : undefined
    return hasExtensions
  }

  return (fields) => {
    const { publicKey, serialNumber } = fields
    const key = publicKey instanceof Uint8Array ? parsePublicKey(publicKey) : publicKey
    const hasExtensions = pattern !== undefined && fillInAgain(pattern, fields, key) ? pattern.hasExtensions : layOut(fields, key)
    putSerial(serialNumber)
    if (hasExtensions) put(page, VERSION_3)
    putHeader(page, SEQUENCE, 0)
    return tearOff(page)
  }
}

/** A text in a pattern, and how many bytes stand behind it. One that is plain may be any ASCII of its length, any other itself alone. */
type OpenText = { type: string; stringType: string; value: string; behind: number; isPlain: boolean }

/** The certificate before, and how many bytes stand behind each open place in it. Another whose values are as long is made by writing over a copy of it: half the work. */
type Pattern = {
  bytes: Uint8Array
  attributes: readonly OpenText[]
  names: readonly OpenText[]
  keyIdentifier: number | undefined
  spki: number
  spkiBytes: number
  dates: number
  hasExtensions: boolean
}

const UTC_TIME_BYTES = 15

/** Writes what layOut would. False, and nothing that counts, where something is not as long as in the pattern, or not as plain. */
function fillInAgain(
  { bytes, attributes, names, keyIdentifier, spki, spkiBytes, dates }: Pattern,
  { subject, subjectAltNames, notBefore, notAfter }: CertificateFields,
  key: PublicKeyInfo,
): boolean {
  if (subject instanceof Uint8Array || subject.length !== attributes.length || key.spki.length !== spkiBytes) return false
  if (subjectAltNames === undefined ? names.length > 0 : subjectAltNames.length !== names.length || names.length === 0) return false
  clear(page)
  put(page, bytes)
  const { at, end } = page
  for (let index = 0; index < attributes.length; index += 1) {
    const [rdn, text] = [subject[index], attributes[index]]
    const attribute = rdn?.[0]
    if (
      text === undefined ||
      attribute === undefined ||
      rdn?.length !== 1 ||
      attribute.type !== text.type ||
      attribute.stringType !== text.stringType
    )
      return false
    if (attribute.value !== text.value && !(text.isPlain && putOver(text, attribute.value))) return false
  }
  for (let index = 0; index < names.length; index += 1) {
    const [name, text] = [subjectAltNames?.[index], names[index]]
    if (text === undefined || name?.type !== 'dNSName' || !putOver(text, name.value)) return false
  }
  page.bytes.set(key.spki, end - spki - spkiBytes)
  page.at = end - dates
  putDate(notAfter, 'notAfter')
  putDate(notBefore, 'notBefore')
  if (page.at !== end - dates - 2 * UTC_TIME_BYTES) return false
  if (keyIdentifier !== undefined) {
    page.at = end - keyIdentifier
    putKeyIdentifier(key)
  }
  page.at = at
  return true
}

function putOver({ value: before, behind }: OpenText, value: string): boolean {
  const { length } = value
  if (length !== before.length) return false
  const { bytes, end } = page
  const from = end - behind - length
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    if (code >= 0x80) return false
    bytes[from + index] = code
  }
  return true
}

/** One page serves every certificate, because filling one in never waits. */
const page: Page = newPage()

const CONTEXT_3 = 0xa3
const DNS_NAME = 0x82
const VERSION_3 = Uint8Array.of(0xa0, 3, TAG.integer, 1, 2)
const CRITICAL = boolean(true)

function refuseTwice(extensions: CertificateTemplateInput['extensions']): void {
  const seen = new Set<string>()
  for (const extension of extensions) {
    const identifier = typeof extension === 'string' ? OIDS[extension] : extensionOid(extension)
    const name = typeof extension === 'string' ? extension : extension.type === 'unknown' ? extension.oid : extension.type
    if (seen.has(identifier)) throw new X509Error(say`The extension ${name} stands twice`)
    seen.add(identifier)
  }
}

type Place = Uint8Array | OpenExtension

/** Neighbours that never change become one piece. */
function neighboursJoined(places: readonly Place[]): Place[] {
  const joined: Place[] = []
  for (const place of places) {
    const last = joined.at(-1)
    if (typeof place === 'string' || last === undefined || typeof last === 'string') joined.push(place)
    else joined[joined.length - 1] = concat(last, place)
  }
  return joined
}

const KEY_IDENTIFIER_BYTES = 20
const KEY_IDENTIFIER_HEAD = encodeExtension({
  type: 'subjectKeyIdentifier',
  critical: false,
  keyIdentifier: new Uint8Array(KEY_IDENTIFIER_BYTES),
}).subarray(0, -KEY_IDENTIFIER_BYTES)

/** The same bytes as keyIdentifier gives. As text, because that is the quicker way out of node:crypto. */
function putKeyIdentifier({ keyBytes }: PublicKeyInfo): void {
  putBinary(page, hash('sha256', keyBytes, 'binary'), KEY_IDENTIFIER_BYTES)
}

/** The names as texts of a pattern; undefined where there are others than DNS names in it. */
function putAlternativeNames(names: readonly GeneralName[] | undefined, critical: boolean): OpenText[] | undefined {
  if (names === undefined) return []
  if (names.length === 0) throw new X509Error(say`A list of names must not be empty`)
  const texts: OpenText[] = []
  const since = written(page)
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const name = names[index]
    if (name === undefined) continue
    const behind = written(page)
    if (name.type === 'dNSName' && putAscii(page, DNS_NAME, name.value))
      texts[index] = { type: name.type, stringType: 'ia5String', value: name.value, behind, isPlain: true }
    else put(page, encodeGeneralName(name))
  }
  putHeader(page, SEQUENCE, since)
  putHeader(page, TAG.octetString, since)
  if (critical) put(page, CRITICAL)
  putOid(page, OIDS.subjectAltName)
  putHeader(page, SEQUENCE, since)
  return names.every(({ type }) => type === 'dNSName') ? texts : undefined
}

/** The attributes as texts of a pattern; undefined where it can be none. */
function putSubject(subject: Name | Uint8Array): OpenText[] | undefined {
  if (subject instanceof Uint8Array) {
    put(page, checkedName(subject, 'subject'))
    return undefined
  }
  const texts: OpenText[] = []
  const since = written(page)
  for (let index = subject.length - 1; index >= 0; index -= 1) {
    const rdn = subject[index] ?? []
    const [attribute] = rdn
    const behind = written(page)
    const isPlain = rdn.length === 1 && attribute?.stringType === 'utf8String' && putAscii(page, TAG.utf8String, attribute.value)
    if (isPlain) {
      putOid(page, attribute.type)
      putHeader(page, SEQUENCE, behind)
      putHeader(page, SET, behind)
    } else put(page, encodeRdn(rdn))
    if (attribute !== undefined) texts[index] = { ...attribute, behind, isPlain }
  }
  putHeader(page, SEQUENCE, since)
  return subject.every(({ length }) => length === 1) ? texts : undefined
}

function checkedName(name: Uint8Array, path: string): Uint8Array {
  parseName(name, path)
  return name
}

function putSerial(serial: Uint8Array): void {
  let from = 0
  while (from < serial.length && serial[from] === 0) from += 1
  if (from === serial.length) throw new X509Error('serialNumber: must be positive (RFC 5280 4.1.2.2)')
  const since = written(page)
  put(page, from === 0 ? serial : serial.subarray(from))
  if ((serial[from] ?? 0) >= 0x80) putByte(page, 0)
  if (written(page) - since > 20) throw new X509Error('serialNumber: must not have more than 20 bytes (RFC 5280 4.1.2.2)')
  putHeader(page, TAG.integer, since)
}

function putDate(date: Date, field: string): void {
  if (Number.isNaN(date.getTime())) throw new X509Error(say`${field}: is not a date`)
  try {
    putTime(page, date)
  } catch {
    throw new X509Error(say`${field}: the year must be 0 to 9999`)
  }
}
