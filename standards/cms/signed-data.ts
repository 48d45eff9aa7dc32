import { createHash, timingSafeEqual } from 'node:crypto'
// Signed messages, CMS SignedData (RFC 5652 section 5). Signing always signs attributes: the type and digest of the content, and the time.
// Verifying tells for each signer whether the signature is right, and by which certificate; whether that certificate is to be trusted
// is for the path validation in standards/verify.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, hasMore, setElementsOf, take, takeContext } from '../der/fields.ts'
import { TAG, type DerValue } from '../der/reader.ts'
import { faultAt, implicit, readOctetString, readOid, readSmallInteger, readTime, explicitContent, type Oid } from '../der/values.ts'
import { explicit, implicitConstructed, integer, nullValue, octetString, oid, sequence, setOf, time } from '../der/writer.ts'
import {
  checkSignature,
  encodeAlgorithmIdentifier,
  parseAlgorithmIdentifier,
  type SignatureAlgorithm,
  type SignatureAlgorithmName,
  type SignatureCheck,
} from '../x509/algorithms.ts'
import { parseCertificate, type Certificate } from '../x509/certificate.ts'
import { OIDS } from '../x509/oids.ts'
import {
  CmsError,
  contentInfo,
  encodeReference,
  isNullOrAbsent,
  isReferenceTo,
  openContentInfo,
  parseAlgorithm,
  parseReference,
  type CertificateReference,
} from './message.ts'

export type CmsDigest = 'sha256' | 'sha384' | 'sha512'
const DIGEST_OF = new Map<Oid, CmsDigest>((['sha256', 'sha384', 'sha512'] as const).map((name) => [OIDS[name], name]))

/** What the content is digested with beside a signature algorithm: its own hash; SHA-512 for Ed25519 (RFC 8419 3.1) and ML-DSA (RFC 9882 3.3). */
function digestFor(algorithm: SignatureAlgorithm): CmsDigest {
  const own = /(?:SHA|sha)(256|384|512)/.exec(algorithm)?.[1]
  if (own !== undefined && !algorithm.startsWith('SLH')) return `sha${own}` as CmsDigest
  if (algorithm === 'Ed25519' || algorithm.startsWith('ML-DSA')) return 'sha512'
  throw new CmsError(say`Messages are not signed by ${algorithm} here`)
}

export interface CmsAttribute {
  type: Oid
  /** DER values, at least one */
  values: Uint8Array[]
}

export interface CmsSigner {
  certificate: Certificate
  algorithm: SignatureAlgorithm
  sign: (toBeSigned: Uint8Array) => Uint8Array | Promise<Uint8Array>
  /** when it is said to be signed; left out for undefined */
  signingTime?: Date
  /** names the signature of an RSA key by rsaEncryption alone (RFC 3370 3.2), because old clients know no other word for it */
  plainRsa?: boolean
  /** beside contentType, messageDigest and signingTime */
  attributes?: readonly CmsAttribute[]
}

export interface SignedDataInput {
  content: Uint8Array
  /** id-data unless said */
  contentType?: Oid
  /** the content travels apart */
  detached?: boolean
  signers: readonly CmsSigner[]
  /** DER; the signers' own are not added by themselves */
  certificates?: readonly Uint8Array[]
}

/** A ContentInfo with a SignedData, in DER. Throws CmsError for an algorithm that CMS does not know, and what `sign` throws. */
export async function buildSignedData({
  content,
  contentType = OIDS.data,
  detached = false,
  signers,
  certificates = [],
}: SignedDataInput): Promise<Uint8Array> {
  const digests = new Set(signers.map(({ algorithm }) => digestFor(algorithm)))
  const infos = await Promise.all(signers.map((signer) => signerInfo(signer, content, contentType)))
  return contentInfo(
    OIDS.signedData,
    sequence(
      integer(contentType === OIDS.data ? 1 : 3),
      setOf(...[...digests].map((name) => sequence(oid(OIDS[name])))),
      sequence(oid(contentType), ...(detached ? [] : [explicit(0, octetString(content))])),
      ...(certificates.length === 0 ? [] : [implicitConstructed(0, ...certificates)]),
      setOf(...infos),
    ),
  )
}

async function signerInfo(
  { certificate, algorithm, sign, signingTime, plainRsa = false, attributes = [] }: CmsSigner,
  content: Uint8Array,
  contentType: Oid,
): Promise<Uint8Array> {
  const digest = digestFor(algorithm)
  const all: CmsAttribute[] = [
    { type: OIDS.contentType, values: [oid(contentType)] },
    { type: OIDS.messageDigest, values: [octetString(createHash(digest).update(content).digest())] },
    ...(signingTime === undefined ? [] : [{ type: OIDS.signingTime, values: [time(signingTime)] }]),
    ...attributes,
  ]
  const signed = setOf(...all.map(({ type, values }) => sequence(oid(type), setOf(...values))))
  const signature = await sign(signed)
  const tagged = Uint8Array.from(signed)
  tagged[0] = 0xa0
  return sequence(
    integer(1),
    encodeReference(certificate),
    sequence(oid(OIDS[digest])),
    tagged,
    plainRsa && algorithm.endsWith('WithRSAEncryption')
      ? sequence(oid(OIDS.rsaEncryption), nullValue())
      : encodeAlgorithmIdentifier(algorithm),
    octetString(signature),
  )
}

export interface ParsedSigner {
  reference: CertificateReference
  digestAlgorithm: Oid
  /** undefined where the content is signed without attributes */
  attributes: CmsAttribute[] | undefined
  /** what is signed: the attributes as a SET, in the bytes they came in */
  signedAttributes: Uint8Array | undefined
  algorithm: SignatureAlgorithmName
  signature: Uint8Array
  signingTime?: Date
}

export interface SignedData {
  contentType: Oid
  /** undefined where it travels apart */
  content: Uint8Array | undefined
  /** DER, in the order of the message */
  certificates: Uint8Array[]
  /** DER */
  crls: Uint8Array[]
  signers: ParsedSigner[]
}

const MOST_SIGNERS = 16
const MOST_CERTIFICATES = 100

/** Reads a SignedData of up to `maxBytes` (1 MiB unless said), in DER. Signatures are not checked: see verifySignedData. Throws DerError. */
export function parseSignedData(der: Uint8Array, limits: { maxBytes?: number } = {}): SignedData {
  const { fields } = openContentInfo(der, { [OIDS.signedData]: 'signed data' }, limits)
  readSmallInteger(take(fields, 'version'), { min: 1, max: 5 })
  setElementsOf(take(fields, 'digestAlgorithms'))
  const encapsulated = fieldsOf(take(fields, 'encapContentInfo'))
  const contentType = readOid(take(encapsulated, 'eContentType'))
  const contentValue = takeContext(encapsulated, 0, 'eContent')
  finish(encapsulated)
  const certificates = carried(takeContext(fields, 0, 'certificates'))
  const crls = carried(takeContext(fields, 1, 'crls'))
  const infos = take(fields, 'signerInfos')
  finish(fields)
  const signers = setElementsOf(infos)
  if (signers.length > MOST_SIGNERS) throw faultAt(infos, say`More than ${MOST_SIGNERS} signers`)
  return {
    contentType,
    content: contentValue === undefined ? undefined : readOctetString(explicitContent(contentValue)),
    certificates,
    crls,
    signers: signers.map(parseSigner),
  }
}

/** Certificates and CRLs of X.509; attribute certificates and other forms carry context tags, and are passed over. */
function carried(tagged: DerValue | undefined): Uint8Array[] {
  if (tagged === undefined) return []
  const values = setElementsOf(implicit(tagged, TAG.set)).filter(({ tagClass }) => tagClass === 'universal')
  if (values.length > MOST_CERTIFICATES) throw faultAt(tagged, say`More than ${MOST_CERTIFICATES} entries`)
  return values.map(({ encoded }) => encoded)
}

function parseSigner(value: DerValue): ParsedSigner {
  const fields = fieldsOf(value)
  readSmallInteger(take(fields, 'version'), { min: 1, max: 3 })
  const reference = parseReference(take(fields, 'sid'))
  const digestValue = take(fields, 'digestAlgorithm')
  const digest = parseAlgorithm(digestValue)
  if (!isNullOrAbsent(digest.parameters)) throw faultAt(digestValue, say`The parameters of the digest must be NULL or absent`)
  const attributesValue = takeContext(fields, 0, 'signedAttrs')
  const algorithm = parseSignatureAlgorithm(take(fields, 'signatureAlgorithm'), digest.algorithm)
  const signature = readOctetString(take(fields, 'signature'))
  if (hasMore(fields)) takeContext(fields, 1, 'unsignedAttrs')
  finish(fields)
  if (attributesValue === undefined)
    return { reference, digestAlgorithm: digest.algorithm, attributes: undefined, signedAttributes: undefined, algorithm, signature }
  const attributes = parseAttributes(implicit(attributesValue, TAG.set))
  // A copy: slice of a Buffer is a window.
  const signedAttributes = Uint8Array.from(attributesValue.encoded)
  signedAttributes[0] = 0x31
  const at = attributes.find(({ type }) => type === OIDS.signingTime)?.values[0]
  return {
    reference,
    digestAlgorithm: digest.algorithm,
    attributes: attributes.map(({ type, values }) => ({ type, values: values.map(({ encoded }) => encoded) })),
    signedAttributes,
    algorithm,
    signature,
    ...(at === undefined ? {} : { signingTime: readTime(at) }),
  }
}

/** rsaEncryption stands for PKCS#1 with the signer's digest (RFC 3370 3.2). */
function parseSignatureAlgorithm(value: DerValue, digest: Oid): SignatureAlgorithmName {
  const { algorithm, parameters } = parseAlgorithm(value)
  if (algorithm !== OIDS.rsaEncryption || !isNullOrAbsent(parameters)) return parseAlgorithmIdentifier(value)
  const name = DIGEST_OF.get(digest)
  return name === undefined ? (`${digest}` as `${number}.${string}`) : `${name}WithRSAEncryption`
}

/** Each attribute once, with at least one value (RFC 5652 5.3). */
function parseAttributes(value: DerValue): { type: Oid; values: readonly DerValue[] }[] {
  const seen = new Set<Oid>()
  return setElementsOf(value, 1).map((element) => {
    const fields = fieldsOf(element)
    const type = readOid(take(fields, 'attrType'))
    const values = setElementsOf(take(fields, 'attrValues'), 1)
    finish(fields)
    if (seen.has(type)) throw faultAt(element, say`The attribute ${type} stands twice`)
    seen.add(type)
    return { type, values }
  })
}

export type VerifiedSigner = ParsedSigner & {
  /** of the signer, where the message or the caller has it */
  certificate: Certificate | undefined
  check: SignatureCheck
}

export interface VerifyOptions {
  /** of a message whose content travels apart */
  detachedContent?: Uint8Array
  /** DER, beside those of the message */
  certificates?: readonly Uint8Array[]
}

/** Checks every signer of a parsed message. Throws DerError for a certificate that cannot be read; no signer at all gives an empty list. */
export function verifySignedData(message: SignedData, { detachedContent, certificates = [] }: VerifyOptions = {}): VerifiedSigner[] {
  const content = message.content ?? detachedContent
  const known = [...message.certificates, ...certificates].map((der) => parseCertificate(der))
  return message.signers.map((signer) => {
    const certificate = known.find((each) => isReferenceTo(signer.reference, each))
    return {
      ...signer,
      certificate,
      check:
        content === undefined
          ? failed('The content of the message is missing.')
          : checkSigner(signer, certificate, content, message.contentType),
    }
  })
}

const failed = (reason: string): SignatureCheck => ({ ok: false, reason })

function checkSigner(signer: ParsedSigner, certificate: Certificate | undefined, content: Uint8Array, contentType: Oid): SignatureCheck {
  if (certificate === undefined) return failed('The certificate of the signer is missing.')
  const digest = DIGEST_OF.get(signer.digestAlgorithm)
  if (digest === undefined) return failed(`The digest ${signer.digestAlgorithm} is too weak or not known.`)
  const { attributes, signedAttributes, algorithm, signature } = signer
  // A signature by an algorithm with a hash of its own says nothing of another digest (RFC 5754 3.2).
  const own = /(?:SHA|sha)(256|384|512)/.exec(algorithm)?.[1]
  if (own !== undefined && !algorithm.startsWith('SLH') && digest !== `sha${own}`)
    return failed(`The digest ${digest} does not go with ${algorithm}.`)
  if (attributes === undefined || signedAttributes === undefined) {
    // Without attributes the content could be read as the attributes of another message (RFC 5652 11).
    if (contentType !== OIDS.data) return failed('Content that is not plain data must be signed with attributes.')
    return checkSignature(algorithm, certificate.publicKey.spki, content, signature)
  }
  const valueOf = (type: Oid): Uint8Array | undefined => {
    const values = attributes.find((each) => each.type === type)?.values
    return values?.length === 1 ? values[0] : undefined
  }
  if (!same(valueOf(OIDS.contentType), oid(contentType))) return failed('The signed content type is not that of the message.')
  if (!same(valueOf(OIDS.messageDigest), octetString(createHash(digest).update(content).digest())))
    return failed('The content is not what was signed.')
  return checkSignature(algorithm, certificate.publicKey.spki, signedAttributes, signature)
}

const same = (left: Uint8Array | undefined, right: Uint8Array): boolean =>
  left !== undefined && left.length === right.length && timingSafeEqual(left, right)
