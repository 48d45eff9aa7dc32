// A certificate of which most is known beforehand. What an authority and a template always say is checked and encoded once; each certificate
// then fills in what is its own (serial, dates, subject, key, alternative names) by laying finished pieces one beside the other. Every
// tbsCertificate is written here: buildTbsCertificate is a template without an open place, filled in once.
import { hash } from 'node:crypto'
import { SEQUENCE, SET, clear, newPage, put, putAscii, putBinary, putByte, putHeader, putOid, putTime, tearOff, written, type Page } from '../der/page.ts'
import { TAG } from '../der/reader.ts'
import { boolean, concat } from '../der/writer.ts'
import { encodeAlgorithmIdentifier, type SignatureAlgorithm } from './algorithms.ts'
import { X509Error } from './error.ts'
import { encodeExtension, extensionOid } from './extensions.ts'
import type { Extension } from './extension-types.ts'
import { encodeGeneralName, type GeneralName } from './general-names.ts'
import { encodeName, encodeRdn, parseName, type Name } from './names.ts'
import { OIDS } from './oids.ts'
import { parsePublicKey, type PublicKeyInfo } from './public-key.ts'

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

  return ({ serialNumber, notBefore, notAfter, subject, publicKey, subjectAltNames }) => {
    const key = publicKey instanceof Uint8Array ? parsePublicKey(publicKey) : publicKey
    const isNameless = subject instanceof Uint8Array ? subject.length === 2 : subject.length === 0
    clear(page)
    for (let index = places.length - 1; index >= 0; index -= 1) {
      const place = places[index]
      if (place === 'subjectKeyIdentifier') putKeyIdentifier(key)
      else if (place === 'subjectAltName') putAlternativeNames(subjectAltNames, isNameless)
      else if (place !== undefined) put(page, place)
    }
    const hasExtensions = written(page) > 0
    if (hasExtensions) {
      putHeader(page, SEQUENCE, 0)
      putHeader(page, CONTEXT_3, 0)
    }
    put(page, key.spki)
    putSubject(subject)
    const beforeValidity = written(page)
    putDate(notAfter, 'notAfter')
    putDate(notBefore, 'notBefore')
    putHeader(page, SEQUENCE, beforeValidity)
    put(page, algorithmAndIssuer)
    putSerial(serialNumber)
    if (hasExtensions) put(page, VERSION_3)
    putHeader(page, SEQUENCE, 0)
    return tearOff(page)
  }
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
    if (seen.has(identifier)) throw new X509Error(`The extension ${name} stands twice`)
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
const KEY_IDENTIFIER_HEAD = encodeExtension({ type: 'subjectKeyIdentifier', critical: false, keyIdentifier: new Uint8Array(KEY_IDENTIFIER_BYTES) }).subarray(0, -KEY_IDENTIFIER_BYTES)

/** The same bytes as keyIdentifier gives. As text, because that is the quicker way out of node:crypto. */
function putKeyIdentifier({ keyBytes }: PublicKeyInfo): void {
  putBinary(page, hash('sha256', keyBytes, 'binary'), KEY_IDENTIFIER_BYTES)
  put(page, KEY_IDENTIFIER_HEAD)
}

function putAlternativeNames(names: readonly GeneralName[] | undefined, critical: boolean): void {
  if (names === undefined) return
  if (names.length === 0) throw new X509Error('A list of names must not be empty')
  const since = written(page)
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const name = names[index]
    if (name === undefined || (name.type === 'dNSName' && putAscii(page, DNS_NAME, name.value))) continue
    put(page, encodeGeneralName(name))
  }
  putHeader(page, SEQUENCE, since)
  putHeader(page, TAG.octetString, since)
  if (critical) put(page, CRITICAL)
  putOid(page, OIDS.subjectAltName)
  putHeader(page, SEQUENCE, since)
}

function putSubject(subject: Name | Uint8Array): void {
  if (subject instanceof Uint8Array) return put(page, checkedName(subject, 'subject'))
  const since = written(page)
  for (let index = subject.length - 1; index >= 0; index -= 1) {
    const rdn = subject[index] ?? []
    const [attribute] = rdn
    const beforeRdn = written(page)
    const isPlain = rdn.length === 1 && attribute?.stringType === 'utf8String' && putAscii(page, TAG.utf8String, attribute.value)
    if (isPlain) {
      putOid(page, attribute.type)
      putHeader(page, SEQUENCE, beforeRdn)
      putHeader(page, SET, beforeRdn)
    } else put(page, encodeRdn(rdn))
  }
  putHeader(page, SEQUENCE, since)
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
  if (Number.isNaN(date.getTime())) throw new X509Error(`${field}: is not a date`)
  try {
    putTime(page, date)
  } catch {
    throw new X509Error(`${field}: the year must be 0 to 9999`)
  }
}
