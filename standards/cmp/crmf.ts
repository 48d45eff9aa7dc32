// Certificate requests of CRMF (RFC 4211), as ir, cr and kur of CMP carry them, and the certificate that a revocation request means.
import { elementsOf, fieldsOf, finish, hasMore, take, takeContext } from '../der/fields.ts'
import { readDer, TAG, type DerValue } from '../der/reader.ts'
import {
  bytesEqual,
  explicitContent,
  faultAt,
  implicit,
  isContext,
  readBitStringBytes,
  readEnumerated,
  readOctetString,
  readOid,
  readSmallInteger,
  readUnsignedBytes,
} from '../der/values.ts'
import { checkSignature, parseAlgorithmIdentifier } from '../x509/algorithms.ts'
import type { Extension } from '../x509/extension-types.ts'
import { parseExtensions } from '../x509/extensions.ts'
import { OIDS } from '../x509/oids.ts'
import { parsePublicKey } from '../x509/public-key.ts'

export interface CertificateTemplateRequest {
  requestId: number
  /** DER Name; undefined where it is left to the authority */
  subject: Uint8Array | undefined
  /** SubjectPublicKeyInfo in DER; undefined where a key is to be made elsewhere */
  spki: Uint8Array | undefined
  extensions: Extension[]
  /** The certificate that is updated (RFC 4211 6.5), where the request names it. */
  replaces: { issuer: Uint8Array; serial: Uint8Array } | undefined
  /** of the key: right, wrong, or not by a signature at all */
  possession: 'proven' | 'wrong' | 'raVerified' | 'none'
}

/** CertReqMessages with one request: whoever wants several certificates sends several messages. Throws DerError. */
export function readCertificateRequest(content: DerValue): CertificateTemplateRequest {
  const [message, second] = elementsOf(content, 1)
  if (message === undefined || second !== undefined) throw faultAt(content, 'A message asks for one certificate')
  const fields = fieldsOf(message)
  const request = take(fields, 'certReq')
  const popValue = hasMore(fields) ? take(fields, 'popo') : undefined
  const inner = fieldsOf(request)
  const requestId = readSmallInteger(take(inner, 'certReqId'), { min: -1 })
  const template = fieldsOf(take(inner, 'certTemplate'))
  const controls = hasMore(inner) ? take(inner, 'controls') : undefined
  takeContext(template, 0, 'version')
  takeContext(template, 1, 'serialNumber')
  takeContext(template, 2, 'signingAlg')
  takeContext(template, 3, 'issuer')
  takeContext(template, 4, 'validity')
  const subjectValue = takeContext(template, 5, 'subject')
  const keyValue = takeContext(template, 6, 'publicKey')
  takeContext(template, 7, 'issuerUID')
  takeContext(template, 8, 'subjectUID')
  const extensionsValue = takeContext(template, 9, 'extensions')
  finish(template)
  const spki = keyValue === undefined ? undefined : parsePublicKey(asSequence(keyValue), 'publicKey').spki
  const extensions = extensionsValue === undefined ? [] : parseExtensions(implicit(extensionsValue, TAG.sequence))
  return {
    requestId,
    subject: subjectValue === undefined ? undefined : explicitContent(subjectValue).encoded,
    spki,
    extensions,
    replaces: controls === undefined ? undefined : replacedBy(controls),
    possession: possessionOf(popValue, request, spki),
  }
}

/** A value with the tag of a SEQUENCE in place of an implicit one, in its bytes as well. */
function asSequence({ encoded }: DerValue): Uint8Array {
  const copy = Uint8Array.from(encoded)
  copy[0] = 0x30
  return copy
}

const OLD_CERTIFICATE = '1.3.6.1.5.5.7.5.1.5'

function replacedBy(controls: DerValue): CertificateTemplateRequest['replaces'] {
  for (const control of elementsOf(controls)) {
    const fields = fieldsOf(control)
    if (readOid(take(fields, 'type')) !== OLD_CERTIFICATE) continue
    const value = fieldsOf(take(fields, 'value'))
    const issuer = explicitContent(take(value, 'issuer')).encoded
    return { issuer, serial: readUnsignedBytes(take(value, 'serialNumber')) }
  }
  return undefined
}

/** ProofOfPossession (RFC 4211 4.1): a signature over the request, where its template names subject and key. */
function possessionOf(
  pop: DerValue | undefined,
  request: DerValue,
  spki: Uint8Array | undefined,
): CertificateTemplateRequest['possession'] {
  if (pop === undefined) return 'none'
  if (isContext(pop, 0)) return 'raVerified'
  if (!isContext(pop, 1) || spki === undefined) return 'none'
  const fields = fieldsOf(implicit(pop, TAG.sequence))
  const input = takeContext(fields, 0, 'poposkInput')
  const algorithm = parseAlgorithmIdentifier(take(fields, 'algorithmIdentifier'))
  const signature = readBitStringBytes(take(fields, 'signature'))
  finish(fields)
  let signed = request.encoded
  if (input !== undefined) {
    // Written where the template leaves subject or key out: then those are named here, and the key must be the same.
    const parts = elementsOf(implicit(input, TAG.sequence))
    const key = parts.at(-1)
    if (key === undefined || !bytesEqual(parsePublicKey(key, 'poposkInput').spki, spki)) return 'wrong'
    signed = asSequence(input)
  }
  return checkSignature(algorithm, spki, signed, signature).ok ? 'proven' : 'wrong'
}

/** RevReqContent with one certificate (RFC 9810 5.3.9). `reason`: as a CRL numbers it. */
export function readRevocationRequest(content: DerValue): {
  issuer: Uint8Array | undefined
  serial: Uint8Array | undefined
  reason: number
} {
  const [details, second] = elementsOf(content, 1)
  if (details === undefined || second !== undefined) throw faultAt(content, 'A message revokes one certificate')
  const fields = fieldsOf(details)
  const template = fieldsOf(take(fields, 'certDetails'))
  const extensionsValue = hasMore(fields) ? take(fields, 'crlEntryDetails') : undefined
  takeContext(template, 0, 'version')
  const serialValue = takeContext(template, 1, 'serialNumber')
  takeContext(template, 2, 'signingAlg')
  const issuerValue = takeContext(template, 3, 'issuer')
  let reason = 0
  for (const extension of extensionsValue === undefined ? [] : elementsOf(extensionsValue)) {
    const parts = elementsOf(extension)
    const [type] = parts
    const value = parts.at(-1)
    if (type !== undefined && value !== undefined && readOid(type) === OIDS.reasonCode)
      reason = readEnumerated(readDer(readOctetString(value)))
  }
  return {
    serial: serialValue === undefined ? undefined : readUnsignedBytes(implicit(serialValue, TAG.integer)),
    issuer: issuerValue === undefined ? undefined : explicitContent(issuerValue).encoded,
    reason,
  }
}
