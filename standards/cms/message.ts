// What all CMS messages share (RFC 5652): the ContentInfo around them, and the two ways of naming somebody by certificate.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, take, takeContext, type DerFields } from '../der/fields.ts'
import { TAG, readDer, type DerLimits, type DerValue } from '../der/reader.ts'
import {
  bytesEqual,
  explicitContent,
  faultAt,
  isContext,
  isUniversal,
  readOctetString,
  readOid,
  readUnsignedBytes,
  implicit,
  type Oid,
} from '../der/values.ts'
import { explicit, implicitPrimitive, oid, sequence } from '../der/writer.ts'
import type { Certificate } from '../x509/certificate.ts'
import { findExtension } from '../x509/extensions.ts'

/** A message that is well formed, and cannot be verified, opened or made: the reason as a sentence. */
export class CmsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CmsError'
  }
}

export const contentInfo = (contentType: Oid, content: Uint8Array): Uint8Array => sequence(oid(contentType), explicit(0, content))

/** The fields of the content of one of these types. Throws DerError. */
export function openContentInfo(
  der: Uint8Array,
  types: Readonly<Record<Oid, string>>,
  limits: DerLimits = {},
): { contentType: Oid; fields: DerFields } {
  const outer = fieldsOf(readDer(der, limits))
  const contentTypeValue = take(outer, 'contentType')
  const contentType = readOid(contentTypeValue)
  if (types[contentType] === undefined) throw faultAt(contentTypeValue, say`The message is not ${Object.values(types).join(' or ')}`)
  const content = takeContext(outer, 0, 'content')
  if (content === undefined) throw faultAt(contentTypeValue, say`The message has no content`)
  finish(outer)
  return { contentType, fields: fieldsOf(explicitContent(content)) }
}

/** SignerIdentifier and RecipientIdentifier: by issuer (DER Name) and serial number (unsigned), or by subjectKeyIdentifier. */
export type CertificateReference = { issuer: Uint8Array; serialNumber: Uint8Array } | { keyIdentifier: Uint8Array }

export const encodeReference = (certificate: Pick<Certificate, 'issuerEncoded' | 'serialContent'>): Uint8Array =>
  sequence(certificate.issuerEncoded, implicitTagged(certificate.serialContent))

/** The serial number with the very bytes of the certificate, whether they are good or not. */
function implicitTagged(serialContent: Uint8Array): Uint8Array {
  const tagged = implicitPrimitive(0, serialContent)
  tagged[0] = TAG.integer
  return tagged
}

/** `keyIdentifierTag`: the context tag of the second choice. */
export function parseReference(value: DerValue, keyIdentifierTag = 0): CertificateReference {
  if (isContext(value, keyIdentifierTag)) return { keyIdentifier: readOctetString(implicit(value, TAG.octetString)) }
  const fields = fieldsOf(value)
  const issuer = take(fields, 'issuer').encoded
  const serialNumber = readUnsignedBytes(take(fields, 'serialNumber'))
  finish(fields)
  return { issuer, serialNumber }
}

export function isReferenceTo(reference: CertificateReference, certificate: Certificate): boolean {
  if ('keyIdentifier' in reference) {
    const own = findExtension(certificate.extensions, 'subjectKeyIdentifier')?.keyIdentifier
    return own !== undefined && bytesEqual(own, reference.keyIdentifier)
  }
  return bytesEqual(reference.serialNumber, certificate.serialNumber) && bytesEqual(reference.issuer, certificate.issuerEncoded)
}

export interface AlgorithmWithParameters {
  algorithm: Oid
  parameters: DerValue | undefined
  encoded: Uint8Array
}

export function parseAlgorithm(value: DerValue): AlgorithmWithParameters {
  const fields = fieldsOf(value)
  const algorithm = readOid(take(fields, 'algorithm'))
  const parameters = fields.next < value.children.length ? take(fields, 'parameters') : undefined
  finish(fields)
  return { algorithm, parameters, encoded: value.encoded }
}

export const isNullOrAbsent = (parameters: DerValue | undefined): boolean => parameters === undefined || isUniversal(parameters, TAG.null)
