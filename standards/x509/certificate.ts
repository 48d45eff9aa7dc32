import { createHash } from 'node:crypto'
// X.509 version 3 certificates (RFC 5280 4.1), read strictly and written canonically. Reading keeps windows on the bytes
// that were signed, so that a signature is always checked over what came in, never over what we would have written.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, take, takeContext } from '../der/fields.ts'
import { SEQUENCE, clear, newPage, put, putByte, putHeader, tearOff } from '../der/page.ts'
import { DerError, TAG, readDer, type DerLimits, type DerValue } from '../der/reader.ts'
import {
  bytesEqual,
  explicitContent,
  faultAt,
  hexOf,
  implicit,
  readBitStringBytes,
  readSmallInteger,
  readTime,
  expectUniversal,
} from '../der/values.ts'
import {
  checkSignature,
  encodeAlgorithmIdentifier,
  parseAlgorithmIdentifier,
  type SignatureAlgorithm,
  type SignatureAlgorithmName,
  type SignatureCheck,
} from './algorithms.ts'
import { X509Error } from './error.ts'
import type { Extension } from './extension-types.ts'
import { parseExtensions } from './extensions.ts'
import { parseName, type Name } from './names.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { parsePublicKey } from './public-key.ts'
import { compileCertificate, type CertificateFields } from './template.ts'

export interface TbsCertificate {
  version: 1 | 2 | 3
  /** unsigned, without a sign byte; for a negative number (RFC 5280 forbids it) the bytes as they stand */
  serialNumber: Uint8Array
  /** lower-case hex of it */
  serialHex: string
  /** the content of the INTEGER as it stands: the serial's identity for CRL and OCSP */
  serialContent: Uint8Array
  signatureAlgorithm: SignatureAlgorithmName
  issuer: Name
  issuerEncoded: Uint8Array
  notBefore: Date
  notAfter: Date
  subject: Name
  subjectEncoded: Uint8Array
  publicKey: PublicKeyInfo
  extensions: Extension[]
  /** the bytes that are signed */
  tbs: Uint8Array
}

export interface Certificate extends TbsCertificate {
  signature: Uint8Array
  /** the whole certificate */
  encoded: Uint8Array
}

export interface TbsCertificateInput extends Omit<CertificateFields, 'subjectAltNames'> {
  signatureAlgorithm: SignatureAlgorithm
  issuer: Name | Uint8Array
  extensions: readonly Extension[]
}

/** The three fields that certificates, requests and CRLs share (RFC 5280 4.1.1). */
export interface SignedParts {
  toBeSigned: DerValue
  algorithm: DerValue
  signature: Uint8Array
  encoded: Uint8Array
}

/** Reads the outside of anything signed; `name` is what the inside is called, such as `tbsCertificate`. Throws DerError. */
export function readSigned(der: Uint8Array, name: string, limits: DerLimits = {}): SignedParts {
  const value = readNamed(der, name, limits)
  const fields = fieldsOf(value)
  const toBeSigned = take(fields, name)
  const algorithm = take(fields, 'signatureAlgorithm')
  const signature = readBitStringBytes(take(fields, 'signature'))
  finish(fields)
  return { toBeSigned, algorithm, signature, encoded: value.encoded }
}

/** A fault of the DER itself is found before the fields have names; of the outermost three the names are known all the same. */
function readNamed(der: Uint8Array, name: string, limits: DerLimits): DerValue {
  try {
    return readDer(der, limits)
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    const path = error.path.replace(/^\[(\d+)\]/, (index, number) => [name, 'signatureAlgorithm', 'signature'][Number(number)] ?? index)
    throw new DerError(error.fault, error.offset, path)
  }
}

/** Puts a signature to what was signed: a certificate, a certification request or a CRL. */
export function assembleSigned(toBeSigned: Uint8Array, algorithm: SignatureAlgorithm, signature: Uint8Array): Uint8Array {
  clear(page)
  put(page, signature)
  putByte(page, 0)
  putHeader(page, TAG.bitString, 0)
  put(page, encodeAlgorithmIdentifier(algorithm))
  put(page, toBeSigned)
  putHeader(page, SEQUENCE, 0)
  return tearOff(page)
}
const page = newPage()

/** Reads a certificate. Throws DerError or X509Error with the path and byte of the first fault. */
export function parseCertificate(der: Uint8Array): Certificate {
  const { toBeSigned, algorithm, signature, encoded } = readSigned(der, 'tbsCertificate')
  const { inner, ...tbs } = readTbs(toBeSigned)
  if (!bytesEqual(inner.encoded, algorithm.encoded)) {
    throw new X509Error(say`The algorithm differs from the one inside tbsCertificate (RFC 5280 4.1.1.2)`, algorithm)
  }
  return { ...tbs, signature, encoded }
}

/** Reads a certificate that is not signed yet. Throws like parseCertificate. */
export function parseTbsCertificate(tbs: Uint8Array | DerValue): TbsCertificate {
  const { inner: _, ...certificate } = readTbs(tbs instanceof Uint8Array ? readDer(tbs, { path: 'tbsCertificate' }) : tbs)
  return certificate
}

function readTbs(value: DerValue): TbsCertificate & { inner: DerValue } {
  const fields = fieldsOf(value)
  const version = readVersion(takeContext(fields, 0, 'version'))
  const serial = take(fields, 'serialNumber')
  expectUniversal(serial, TAG.integer)
  const serialContent = serial.content
  if (serialContent.length > MAXIMUM_SERIAL_BYTES) throw faultAt(serial, say`The serial number has more than ${MAXIMUM_SERIAL_BYTES} bytes`)
  const serialNumber = serialContent[0] === 0 && serialContent.length > 1 ? serialContent.subarray(1) : serialContent
  const inner = take(fields, 'signature')
  const signatureAlgorithm = parseAlgorithmIdentifier(inner)
  const issuerValue = take(fields, 'issuer')
  const issuer = parseName(issuerValue)
  const validity = fieldsOf(take(fields, 'validity'))
  const notBefore = readTime(take(validity, 'notBefore'))
  const notAfter = readTime(take(validity, 'notAfter'))
  finish(validity)
  const subjectValue = take(fields, 'subject')
  const subject = parseName(subjectValue)
  const publicKey = parsePublicKey(take(fields, 'subjectPublicKeyInfo'))
  for (const [tag, name] of UNIQUE_IDS) {
    const id = takeContext(fields, tag, name)
    if (id === undefined) continue
    implicit(id, TAG.bitString)
    if (version === 1) throw faultAt(id, say`A version 1 certificate has no unique identifiers`)
  }
  const wrapper = takeContext(fields, 3, 'extensions')
  finish(fields)
  if (wrapper !== undefined && version !== 3) throw faultAt(wrapper, say`Only a version 3 certificate has extensions`)
  const extensions = wrapper === undefined ? [] : parseExtensions(explicitContent(wrapper))
  return {
    version,
    serialNumber,
    serialHex: hexOf(serialNumber),
    serialContent,
    signatureAlgorithm,
    issuer,
    issuerEncoded: issuerValue.encoded,
    notBefore,
    notAfter,
    subject,
    subjectEncoded: subjectValue.encoded,
    publicKey,
    extensions,
    tbs: value.encoded,
    inner,
  }
}
/** RFC 5280 allows 20; some old authorities wrote more, and a decoder should show them. */
const MAXIMUM_SERIAL_BYTES = 64
const UNIQUE_IDS = [
  [1, 'issuerUniqueID'],
  [2, 'subjectUniqueID'],
] as const

function readVersion(wrapper: DerValue | undefined): 1 | 2 | 3 {
  if (wrapper === undefined) return 1
  const value = explicitContent(wrapper)
  const version = readSmallInteger(value, { max: 2 })
  if (version === 0) throw faultAt(value, say`Version 1 is the default and must be left out in DER`)
  return version === 1 ? 2 : 3
}

/** Writes a tbsCertificate, version 3 with extensions and 1 without. Throws X509Error for input that RFC 5280 forbids. */
export function buildTbsCertificate({ signatureAlgorithm, issuer, extensions, ...fields }: TbsCertificateInput): Uint8Array {
  return compileCertificate({ signatureAlgorithm, issuer, extensions })(fields)
}

/** Whether `issuer`'s key made the signature of `certificate`. Names and rights are not looked at. */
export function checkIssuedBy(certificate: Certificate, issuer: Pick<Certificate, 'publicKey'>): SignatureCheck {
  return checkSignature(certificate.signatureAlgorithm, issuer.publicKey.spki, certificate.tbs, certificate.signature)
}

/** Subject and issuer are the same name; whether it also signed itself is for checkIssuedBy. */
export function isSelfIssued(certificate: Pick<TbsCertificate, 'subjectEncoded' | 'issuerEncoded'>): boolean {
  return bytesEqual(certificate.subjectEncoded, certificate.issuerEncoded)
}

/** Lower-case hex of the hash over the whole certificate. */
export function fingerprint(certificate: Pick<Certificate, 'encoded'>, hash: 'sha256' | 'sha1' = 'sha256'): string {
  return createHash(hash).update(certificate.encoded).digest('hex')
}
