import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, setElementsOf, take, takeContext } from '../der/fields.ts'
// Certification requests, PKCS#10 (RFC 2986). What a stranger asks for must mean one thing only: an attribute or an
// extension that stands twice, an empty collection, or two extension requests (one of which a reviewer might not see)
// are refused.
import { TAG, type DerValue } from '../der/reader.ts'
import { faultAt, implicit, readOid, readSmallInteger, type Oid } from '../der/values.ts'
import { implicitConstructed, integer, oid, sequence, setOf, concat } from '../der/writer.ts'
import {
  checkSignature,
  keyFitsAlgorithm,
  isSignatureAlgorithm,
  parseAlgorithmIdentifier,
  type SignatureAlgorithmName,
  type SignatureCheck,
} from './algorithms.ts'
import { readSigned } from './certificate.ts'
import { X509Error } from './error.ts'
import type { Extension } from './extension-types.ts'
import { encodeExtensions, parseExtensions } from './extensions.ts'
import { checkPublicKey } from './key-checks.ts'
import type { KeyFinding } from './key-finding.ts'
import { encodeName, parseName, type Name } from './names.ts'
import { OIDS, describeOid } from './oids.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { parsePublicKey } from './public-key.ts'
import { rawKeyUse } from './raw-keys.ts'

export interface CsrAttribute {
  type: Oid
  /** DER values, at least one */
  values: Uint8Array[]
}

export interface CsrInfo {
  subject: Name
  subjectEncoded: Uint8Array
  publicKey: PublicKeyInfo
  attributes: CsrAttribute[]
  requestedExtensions: Extension[]
  /** the bytes that are signed */
  info: Uint8Array
}

export interface Csr extends CsrInfo {
  signatureAlgorithm: SignatureAlgorithmName
  signature: Uint8Array
  /** the whole request */
  encoded: Uint8Array
}

/** A request with more than this is no request for a certificate. */
const MAXIMUM_BYTES = 256 * 1024
/** Nobody's name has so many parts, and no certificate so many extensions; reading thousands takes seconds. */
const MOST_PARTS = 64

function expectFew(value: DerValue, what: string): void {
  if (value.children.length > MOST_PARTS) throw faultAt(value, say`There are more than ${MOST_PARTS} ${what}`)
}

/** Reads a request. The signature is not checked: see verifyCsr. Throws DerError or X509Error with path and byte. */
export function parseCsr(der: Uint8Array): Csr {
  const { toBeSigned, algorithm, signature, encoded } = readSigned(der, 'certificationRequestInfo', { maxBytes: MAXIMUM_BYTES })
  return { ...readInfo(toBeSigned), signatureAlgorithm: parseAlgorithmIdentifier(algorithm), signature, encoded }
}

function readInfo(value: DerValue): CsrInfo {
  const fields = fieldsOf(value)
  const versionValue = take(fields, 'version')
  if (readSmallInteger(versionValue) !== 0) throw faultAt(versionValue, say`The version of a certification request must be 1, written 0`)
  const subjectValue = take(fields, 'subject')
  expectFew(subjectValue, 'parts of the subject')
  const subject = parseName(subjectValue)
  const publicKey = parsePublicKey(take(fields, 'subjectPKInfo'), 'subjectPKInfo')
  // The attributes are not optional (RFC 2986 4.1), but requests without them are met and harmless.
  const wrapper = takeContext(fields, 0, 'attributes')
  finish(fields)
  const { attributes, requestedExtensions } = readAttributes(wrapper)
  return { subject, subjectEncoded: subjectValue.encoded, publicKey, attributes, requestedExtensions, info: value.encoded }
}

// Attributes out of order are let pass: their order is in the signed bytes and says nothing, and node-forge does not sort.
function readAttributes(wrapper: DerValue | undefined): Pick<CsrInfo, 'attributes' | 'requestedExtensions'> {
  const attributes: CsrAttribute[] = []
  const seen = new Set<Oid>()
  let request: DerValue | undefined
  if (wrapper !== undefined) expectFew(wrapper, 'attributes')
  for (const element of wrapper === undefined ? [] : setElementsOf(implicit(wrapper, TAG.set))) {
    const fields = fieldsOf(element)
    const type = readOid(take(fields, 'type'))
    const values = setElementsOf(take(fields, 'values'), 1)
    finish(fields)
    if (seen.has(type)) throw new X509Error(say`The attribute ${describeOid(type)} stands twice`, element)
    seen.add(type)
    attributes.push({ type, values: values.map((each) => each.encoded) })
    if (type === OIDS.challengePassword || type === OIDS.extensionRequest || type === OIDS.microsoftExtensionRequest) {
      if (values.length > 1) throw new X509Error(say`The attribute ${describeOid(type)} must have one value`, element)
    }
    if (type !== OIDS.extensionRequest && type !== OIDS.microsoftExtensionRequest) continue
    if (request !== undefined) throw new X509Error(say`Extensions are requested in two attributes`, element)
    request = values[0]
  }
  return { attributes, requestedExtensions: request === undefined ? [] : readRequestedExtensions(request) }
}

function readRequestedExtensions(request: DerValue): Extension[] {
  expectFew(request, 'extensions')
  const extensions = parseExtensions(request)
  // RFC 5280 4.2.1.3. Certificates that were issued so are read all the same, to be shown.
  if (extensions.some((extension) => extension.type === 'keyUsage' && extension.usages.length === 0))
    throw new X509Error(say`The key usage is empty`, request)
  return extensions
}

/** A key that only exchanges keys, whose request cannot be signed by it. */
export function signsNot({ algorithm }: Pick<PublicKeyInfo, 'algorithm'>): boolean {
  const use = rawKeyUse(algorithm)
  return use === 'agree' || use === 'encapsulate'
}

const SHORT_BUT_PRIVATE: ReadonlySet<KeyFinding['code']> = new Set(['rsaTooShort', 'curveWeak', 'pointCompressed'])

/** Proof of possession: whether the request is signed by the key it is for. Never throws. */
export function verifyCsr(csr: Pick<Csr, 'publicKey' | 'signatureAlgorithm' | 'info' | 'signature'>): SignatureCheck {
  const { publicKey, signatureAlgorithm } = csr
  if (signsNot(publicKey)) {
    return {
      ok: false,
      reason: `A key for ${publicKey.algorithm} cannot sign, so the request cannot prove by itself that its maker holds the private key (RFC 9883).`,
    }
  }
  if (isSignatureAlgorithm(signatureAlgorithm) && !keyFitsAlgorithm(publicKey, signatureAlgorithm)) {
    return { ok: false, reason: `A key for ${publicKey.algorithm} does not fit ${signatureAlgorithm}.` }
  }
  // By a key whose private half anyone can compute, or does not even need, a signature proves nothing; and OpenSSL verifies it all the same.
  const unsound = checkPublicKey(publicKey).find(({ code, severity }) => severity === 'error' && !SHORT_BUT_PRIVATE.has(code))
  if (unsound !== undefined) return { ok: false, reason: unsound.message }
  const checked = checkSignature(signatureAlgorithm, publicKey.spki, csr.info, csr.signature)
  if (checked.ok || !checked.reason.includes('does not match')) return checked
  return { ok: false, reason: 'The signature of the request does not match its key: whoever made it may not hold the private key.' }
}

export interface CsrInfoInput {
  subject: Name | Uint8Array
  /** a SubjectPublicKeyInfo */
  publicKey: Uint8Array
  requestedExtensions?: readonly Extension[]
  /** beside the extension request */
  attributes?: readonly CsrAttribute[]
}

/** Writes a CertificationRequestInfo; sign it and hand both to assembleSigned. Throws X509Error. */
export function buildCsrInfo({ subject, publicKey, requestedExtensions = [], attributes = [] }: CsrInfoInput): Uint8Array {
  const all = [...attributes]
  if (requestedExtensions.length > 0) all.push({ type: OIDS.extensionRequest, values: [encodeExtensions(requestedExtensions)] })
  if (new Set(all.map((attribute) => attribute.type)).size < all.length) throw new X509Error(say`An attribute stands twice`)
  const encoded = all.map(({ type, values }) => sequence(oid(type), setOf(...values)))
  encoded.sort((left, right) => Buffer.compare(left, right))
  return sequence(
    integer(0),
    subject instanceof Uint8Array ? subject : encodeName(subject),
    parsePublicKey(publicKey).spki,
    implicitConstructed(0, concat(...encoded)),
  )
}
