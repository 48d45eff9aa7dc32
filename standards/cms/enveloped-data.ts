import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
// Encrypted messages, CMS EnvelopedData (RFC 5652 section 6) and AuthEnvelopedData (RFC 5083). The content is encrypted by a key of its own,
// and that key once for each recipient: by RSA (RFC 3560, RFC 8017) or by an agreement with the recipient's EC key (RFC 5753).
// Whatever goes wrong with a well-formed message has one answer, so that nobody learns anything by asking often.
import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, hasMore, setElementsOf, take, takeContext, takeUniversal, type DerFields } from '../der/fields.ts'
import { TAG, readDer, type DerValue } from '../der/reader.ts'
import {
  explicitContent,
  faultAt,
  implicit,
  isContext,
  readBitStringBytes,
  readOctetString,
  readOid,
  readSmallInteger,
  type Oid,
} from '../der/values.ts'
import {
  bitString,
  concat,
  explicit,
  implicitConstructed,
  implicitPrimitive,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  setOf,
} from '../der/writer.ts'
import type { Certificate } from '../x509/certificate.ts'
import { CURVES, pointFault, type CurveName } from '../x509/curves.ts'
import { OIDS } from '../x509/oids.ts'
import { ecPublicKey, parsePublicKey } from '../x509/public-key.ts'
import {
  CmsError,
  contentInfo,
  encodeReference,
  isNullOrAbsent,
  isReferenceTo,
  openContentInfo,
  parseAlgorithm,
  parseReference,
  type AlgorithmWithParameters,
  type CertificateReference,
} from './message.ts'

/** Ours to encrypt by; triple DES is only opened, for old SCEP clients. */
const CIPHERS = {
  'aes-128-cbc': { keyBytes: 16, blockBytes: 16, gcm: false },
  'aes-192-cbc': { keyBytes: 24, blockBytes: 16, gcm: false },
  'aes-256-cbc': { keyBytes: 32, blockBytes: 16, gcm: false },
  'aes-128-gcm': { keyBytes: 16, blockBytes: 12, gcm: true },
  'aes-192-gcm': { keyBytes: 24, blockBytes: 12, gcm: true },
  'aes-256-gcm': { keyBytes: 32, blockBytes: 12, gcm: true },
  'des-ede3-cbc': { keyBytes: 24, blockBytes: 8, gcm: false },
} as const
type CipherName = keyof typeof CIPHERS
export type CmsCipher = Exclude<CipherName, 'des-ede3-cbc'>
const CIPHER_OF = new Map<Oid, CipherName>((Object.keys(CIPHERS) as CipherName[]).map((name) => [OIDS[name], name]))

const WRAPS = { 'aes128-wrap': 16, 'aes192-wrap': 24, 'aes256-wrap': 32 } as const
type WrapName = keyof typeof WRAPS
const WRAP_OF = new Map<Oid, WrapName>((Object.keys(WRAPS) as WrapName[]).map((name) => [OIDS[name], name]))
/** RFC 3394 2.2.3.1 */
const WRAP_IV = Buffer.alloc(8, 0xa6)

const AGREEMENTS = new Map<Oid, 'sha1' | 'sha256' | 'sha384' | 'sha512'>([
  [OIDS['dhSinglePass-stdDH-sha1kdf'], 'sha1'],
  [OIDS['dhSinglePass-stdDH-sha256kdf'], 'sha256'],
  [OIDS['dhSinglePass-stdDH-sha384kdf'], 'sha384'],
  [OIDS['dhSinglePass-stdDH-sha512kdf'], 'sha512'],
])

const OAEP_SHA256 = sequence(
  oid(OIDS.rsaesOaep),
  sequence(
    explicit(0, sequence(oid(OIDS.sha256), nullValue())),
    explicit(1, sequence(oid(OIDS.mgf1), sequence(oid(OIDS.sha256), nullValue()))),
  ),
)
const PKCS1 = sequence(oid(OIDS.rsaEncryption), nullValue())

export interface EnvelopedDataInput {
  content: Uint8Array
  /** id-data unless said */
  contentType?: Oid
  /** aes-256-cbc unless said; with GCM the message is an AuthEnvelopedData */
  cipher?: CmsCipher
  /** with RSA or EC keys, at least one */
  recipients: readonly Certificate[]
  /** how RSA keys transport: OAEP unless said */
  rsa?: 'oaep' | 'pkcs1'
}

/** A ContentInfo in DER. Throws CmsError for a recipient whose key cannot receive. */
export function buildEnvelopedData({
  content,
  contentType = OIDS.data,
  cipher = 'aes-256-cbc',
  recipients,
  rsa = 'oaep',
}: EnvelopedDataInput): Uint8Array {
  if (recipients.length === 0) throw new CmsError(say`A message needs a recipient`)
  const { keyBytes, blockBytes, gcm } = CIPHERS[cipher]
  const key = randomBytes(keyBytes)
  const iv = randomBytes(blockBytes)
  const infos = recipients.map((recipient) => recipientInfo(recipient, key, rsa))
  const parameters = gcm ? sequence(octetString(iv), integer(16)) : octetString(iv)
  const { encrypted, tag } = encrypt(cipher, key, iv, content)
  const encryptedContentInfo = sequence(oid(contentType), sequence(oid(OIDS[cipher]), parameters), implicitPrimitive(0, encrypted))
  if (tag !== undefined)
    return contentInfo(OIDS.authEnvelopedData, sequence(integer(0), setOf(...infos), encryptedContentInfo, octetString(tag)))
  // RFC 5652 6.1: 0 where every recipient is named by issuer and serial and takes the key by transport, 2 otherwise.
  const onlyTransport = recipients.every(({ publicKey }) => publicKey.algorithm === 'RSA')
  return contentInfo(OIDS.envelopedData, sequence(integer(onlyTransport ? 0 : 2), setOf(...infos), encryptedContentInfo))
}

const BEGIN = (identifier: number): Uint8Array => Uint8Array.of(identifier, 0x80)
const END = Uint8Array.of(0, 0)

/**
 * An EnvelopedData written as its content comes, of indefinite lengths (BER, as RFC 5652 allows), so that content of any length needs no memory.
 * Throws CmsError for a recipient whose key cannot receive.
 */
export async function* envelopedDataParts({
  content,
  recipients,
}: {
  content: AsyncIterable<Uint8Array>
  recipients: readonly Certificate[]
}): AsyncGenerator<Uint8Array> {
  if (recipients.length === 0) throw new CmsError(say`A message needs a recipient`)
  const cipher = 'aes-256-cbc'
  const key = randomBytes(CIPHERS[cipher].keyBytes)
  const iv = randomBytes(CIPHERS[cipher].blockBytes)
  const infos = recipients.map((recipient) => recipientInfo(recipient, key, 'oaep'))
  const onlyTransport = recipients.every(({ publicKey }) => publicKey.algorithm === 'RSA')
  const work = createCipheriv(cipher, key, iv)
  yield concat(BEGIN(0x30), oid(OIDS.envelopedData), BEGIN(0xa0), BEGIN(0x30), integer(onlyTransport ? 0 : 2), setOf(...infos))
  yield concat(BEGIN(0x30), oid(OIDS.data), sequence(oid(OIDS[cipher]), octetString(iv)), BEGIN(0xa0))
  for await (const part of content) {
    const encrypted = work.update(part)
    if (encrypted.length > 0) yield octetString(encrypted)
  }
  yield concat(octetString(work.final()), END, END, END, END, END)
}

function encrypt(
  cipher: CmsCipher,
  key: Uint8Array,
  iv: Uint8Array,
  content: Uint8Array,
): { encrypted: Uint8Array; tag: Uint8Array | undefined } {
  if (cipher === 'aes-128-gcm' || cipher === 'aes-192-gcm' || cipher === 'aes-256-gcm') {
    const work = createCipheriv(cipher, key, iv, { authTagLength: 16 })
    const encrypted = Buffer.concat([work.update(content), work.final()])
    return { encrypted, tag: work.getAuthTag() }
  }
  const work = createCipheriv(cipher, key, iv)
  return { encrypted: Buffer.concat([work.update(content), work.final()]), tag: undefined }
}

const importKey = (spki: Uint8Array): KeyObject => createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })

/** Whether a message can be encrypted to this key. */
export const receives = ({ publicKey }: Certificate): boolean => publicKey.algorithm === 'RSA' || publicKey.algorithm === 'EC'

function recipientInfo(recipient: Certificate, key: Uint8Array, rsa: 'oaep' | 'pkcs1'): Uint8Array {
  const { publicKey } = recipient
  if (publicKey.algorithm === 'RSA') {
    const padding =
      rsa === 'oaep' ? { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } : { padding: constants.RSA_PKCS1_PADDING }
    const encrypted = publicEncrypt({ key: importKey(publicKey.spki), ...padding }, key)
    return sequence(integer(0), encodeReference(recipient), rsa === 'oaep' ? OAEP_SHA256 : PKCS1, octetString(encrypted))
  }
  if (publicKey.algorithm !== 'EC') throw new CmsError(say`A key for ${publicKey.algorithm} cannot receive messages here`)
  const theirs = importKey(publicKey.spki)
  const namedCurve = theirs.asymmetricKeyDetails?.namedCurve ?? ''
  const ephemeral = generateKeyPairSync('ec', { namedCurve })
  const own = parsePublicKey(ephemeral.publicKey.export({ format: 'der', type: 'spki' }))
  const wrap: WrapName = key.length === 16 ? 'aes128-wrap' : key.length === 24 ? 'aes192-wrap' : 'aes256-wrap'
  const wrapIdentifier = sequence(oid(OIDS[wrap]))
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: theirs })
  const work = createCipheriv(`id-${wrap}`, deriveKey('sha256', secret, wrapIdentifier, WRAPS[wrap], undefined), WRAP_IV)
  const wrapped = Buffer.concat([work.update(key), work.final()])
  const originator = implicitConstructed(1, sequence(oid(OIDS.ecPublicKey)), bitString(own.keyBytes))
  return implicitConstructed(
    1,
    integer(3),
    explicit(0, originator),
    sequence(oid(OIDS['dhSinglePass-stdDH-sha256kdf']), wrapIdentifier),
    sequence(sequence(encodeReference(recipient), octetString(wrapped))),
  )
}

/** X9.63 with the ECC-CMS-SharedInfo of RFC 5753 7.2. */
function deriveKey(digest: string, secret: Uint8Array, wrapIdentifier: Uint8Array, bytes: number, ukm: Uint8Array | undefined): Uint8Array {
  const bits = Buffer.alloc(4)
  bits.writeUInt32BE(bytes * 8)
  const shared = sequence(wrapIdentifier, ...(ukm === undefined ? [] : [explicit(0, octetString(ukm))]), explicit(2, octetString(bits)))
  const parts: Uint8Array[] = []
  for (let counter = 1, have = 0; have < bytes; counter += 1) {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(counter)
    const part = createHash(digest).update(secret).update(number).update(shared).digest()
    parts.push(part)
    have += part.length
  }
  return Buffer.concat(parts).subarray(0, bytes)
}

type Recipient =
  | { type: 'transport'; reference: CertificateReference; algorithm: AlgorithmWithParameters; encryptedKey: Uint8Array }
  | {
      type: 'agreement'
      references: { reference: CertificateReference; encryptedKey: Uint8Array }[]
      algorithm: AlgorithmWithParameters
      originator: Uint8Array | undefined
      ukm: Uint8Array | undefined
    }
  | { type: 'other' }

export interface EnvelopedData {
  contentType: Oid
  recipients: Recipient[]
  cipher: CipherName | undefined
  /** `tag` of GCM, with the attributes that are authenticated besides */
  iv: Uint8Array
  encrypted: Uint8Array
  tag: Uint8Array | undefined
  authenticatedAttributes: Uint8Array | undefined
}

const MOST_RECIPIENTS = 64

/** Reads an EnvelopedData or AuthEnvelopedData of up to `maxBytes` (1 MiB unless said), in DER. Throws DerError. */
export function parseEnvelopedData(der: Uint8Array, limits: { maxBytes?: number } = {}): EnvelopedData {
  const { contentType: outer, fields } = openContentInfo(
    der,
    { [OIDS.envelopedData]: 'enveloped data', [OIDS.authEnvelopedData]: 'authenticated enveloped data' },
    limits,
  )
  readSmallInteger(take(fields, 'version'), { max: 4 })
  takeContext(fields, 0, 'originatorInfo')
  const infos = take(fields, 'recipientInfos')
  if (setElementsOf(infos, 1).length > MOST_RECIPIENTS) throw faultAt(infos, say`More than ${MOST_RECIPIENTS} recipients`)
  const recipients = setElementsOf(infos).map(parseRecipient)
  const encrypted = fieldsOf(take(fields, 'encryptedContentInfo'))
  const contentType = readOid(take(encrypted, 'contentType'))
  const algorithm = parseAlgorithm(take(encrypted, 'contentEncryptionAlgorithm'))
  const content = takeContext(encrypted, 0, 'encryptedContent')
  finish(encrypted)
  if (content === undefined) throw faultAt(encrypted.parent, say`The field encryptedContent is missing`)
  const cipher = CIPHER_OF.get(algorithm.algorithm)
  const authenticated = outer === OIDS.authEnvelopedData
  const attributes = takeContext(fields, 1, authenticated ? 'authAttrs' : 'unprotectedAttrs')
  const tag = authenticated ? readOctetString(take(fields, 'mac')) : undefined
  if (authenticated && hasMore(fields)) takeContext(fields, 2, 'unauthAttrs')
  finish(fields)
  return {
    contentType,
    recipients,
    cipher,
    tag,
    encrypted: readOctetString(implicit(content, TAG.octetString)),
    iv: cipher === undefined ? new Uint8Array() : readIv(algorithm, cipher),
    authenticatedAttributes: authenticated && attributes !== undefined ? asSet(attributes.encoded) : undefined,
  }
}

function asSet(tagged: Uint8Array): Uint8Array {
  const set = Uint8Array.from(tagged)
  set[0] = 0x31
  return set
}

function readIv({ parameters, encoded }: AlgorithmWithParameters, cipher: CipherName): Uint8Array {
  if (parameters === undefined) throw faultAt(readDer(encoded), say`The parameters of the cipher are missing`)
  const { gcm, blockBytes } = CIPHERS[cipher]
  let iv: Uint8Array
  if (gcm) {
    const fields = fieldsOf(parameters)
    iv = readOctetString(take(fields, 'aes-nonce'))
    if (takeTagLength(fields) !== 16) throw faultAt(parameters, say`The tag must have 16 bytes`)
    finish(fields)
  } else iv = readOctetString(parameters)
  if (iv.length !== blockBytes) throw faultAt(parameters, say`The initialisation vector has ${iv.length} bytes, not ${blockBytes}`)
  return iv
}

function takeTagLength(fields: DerFields): number {
  const value = takeUniversal(fields, TAG.integer, 'aes-ICVlen')
  return value === undefined ? 12 : readSmallInteger(value)
}

function parseRecipient(value: DerValue): Recipient {
  if (isContext(value, 1)) return parseAgreement(implicit(value, TAG.sequence))
  if (value.tagClass === 'context') return { type: 'other' }
  const fields = fieldsOf(value)
  readSmallInteger(take(fields, 'version'), { max: 2 })
  const reference = parseReference(take(fields, 'rid'))
  const algorithm = parseAlgorithm(take(fields, 'keyEncryptionAlgorithm'))
  const encryptedKey = readOctetString(take(fields, 'encryptedKey'))
  finish(fields)
  return { type: 'transport', reference, algorithm, encryptedKey }
}

function parseAgreement(value: DerValue): Recipient {
  const fields = fieldsOf(value)
  readSmallInteger(take(fields, 'version'), { min: 3, max: 3 })
  const originatorValue = explicitContent(take(fields, 'originator'))
  const ukmValue = takeContext(fields, 1, 'ukm')
  const algorithm = parseAlgorithm(take(fields, 'keyEncryptionAlgorithm'))
  const keys = take(fields, 'recipientEncryptedKeys')
  finish(fields)
  const references = elementsOf(keys, 1).map((element) => {
    const inner = fieldsOf(element)
    const rid = take(inner, 'rid')
    // rKeyId [0] is a SEQUENCE whose first field is the key identifier.
    const reference = isContext(rid, 0)
      ? { keyIdentifier: readOctetString(take(fieldsOf(implicit(rid, TAG.sequence)), 'subjectKeyIdentifier')) }
      : parseReference(rid, 31)
    const encryptedKey = readOctetString(take(inner, 'encryptedKey'))
    finish(inner)
    return { reference, encryptedKey }
  })
  let originator: Uint8Array | undefined
  if (isContext(originatorValue, 1)) {
    const key = fieldsOf(implicit(originatorValue, TAG.sequence))
    take(key, 'algorithm')
    originator = readBitStringBytes(take(key, 'publicKey'))
    finish(key)
  }
  return {
    type: 'agreement',
    references,
    algorithm,
    originator,
    ukm: ukmValue === undefined ? undefined : readOctetString(explicitContent(ukmValue)),
  }
}

export interface Opener {
  certificate: Certificate
  privateKey: KeyObject
}

/** The content of a parsed message for one of its recipients. Throws CmsError: not for them, or not to be opened, without saying why. */
export function openEnvelopedData(message: EnvelopedData, { certificate, privateKey }: Opener): Uint8Array {
  const { cipher, iv, encrypted, tag } = message
  if (cipher === undefined || CIPHERS[cipher].gcm !== (tag !== undefined))
    throw new CmsError(say`The message is encrypted by an algorithm that is not known here`)
  let found = false
  for (const recipient of message.recipients) {
    if (recipient.type === 'transport' && isReferenceTo(recipient.reference, certificate)) {
      found = true
      const key = attempt(() => transportedKey(recipient.algorithm, recipient.encryptedKey, privateKey))
      return decrypt(cipher, key ?? randomBytes(CIPHERS[cipher].keyBytes), iv, encrypted, tag, message.authenticatedAttributes)
    }
    if (recipient.type !== 'agreement') continue
    const own = recipient.references.find(({ reference }) => isReferenceTo(reference, certificate))
    if (own === undefined) continue
    found = true
    const key = attempt(() =>
      agreedKey(recipient.algorithm, recipient.originator, recipient.ukm, own.encryptedKey, certificate, privateKey),
    )
    return decrypt(cipher, key ?? randomBytes(CIPHERS[cipher].keyBytes), iv, encrypted, tag, message.authenticatedAttributes)
  }
  throw new CmsError(found ? NOT_OPENED : say`The message is not for this certificate`)
}

const NOT_OPENED = 'The message cannot be opened with this key'

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

function transportedKey(algorithm: AlgorithmWithParameters, encryptedKey: Uint8Array, privateKey: KeyObject): Uint8Array {
  // OpenSSL answers a wrong PKCS#1 padding with random bytes, so that it cannot be told from a wrong key (Bleichenbacher).
  if (algorithm.algorithm === OIDS.rsaEncryption && isNullOrAbsent(algorithm.parameters))
    return privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, encryptedKey)
  if (algorithm.algorithm !== OIDS.rsaesOaep) throw new CmsError(NOT_OPENED)
  return privateDecrypt(
    { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: oaepHash(algorithm.parameters) },
    encryptedKey,
  )
}

/** RFC 4055 4.1; SHA-1 where nothing is said. MGF1 must go by the same hash: Node can do no other. */
function oaepHash(parameters: DerValue | undefined): string {
  const hashOf = (identifier: DerValue | undefined): string => {
    const algorithm = identifier === undefined ? OIDS.sha1 : parseAlgorithm(identifier).algorithm
    const name = (['sha1', 'sha256', 'sha384', 'sha512'] as const).find((each) => OIDS[each] === algorithm)
    if (name === undefined) throw new CmsError(NOT_OPENED)
    return name
  }
  if (parameters === undefined) return 'sha1'
  const fields = fieldsOf(parameters)
  const digest = takeContext(fields, 0, 'hashAlgorithm')
  const mask = takeContext(fields, 1, 'maskGenAlgorithm')
  finish(fields)
  const hash = hashOf(digest === undefined ? undefined : explicitContent(digest))
  const maskHash = hashOf(mask === undefined ? undefined : parseAlgorithm(explicitContent(mask)).parameters)
  if (hash !== maskHash) throw new CmsError(NOT_OPENED)
  return hash
}

const isCurve = (name: string): name is CurveName => Object.hasOwn(CURVES, name)

function agreedKey(
  algorithm: AlgorithmWithParameters,
  originator: Uint8Array | undefined,
  ukm: Uint8Array | undefined,
  encryptedKey: Uint8Array,
  certificate: Certificate,
  privateKey: KeyObject,
): Uint8Array {
  const digest = AGREEMENTS.get(algorithm.algorithm)
  const wrapValue = algorithm.parameters
  const wrap = wrapValue === undefined ? undefined : WRAP_OF.get(parseAlgorithm(wrapValue).algorithm)
  const { curve } = certificate.publicKey
  if (digest === undefined || wrap === undefined || wrapValue === undefined || originator === undefined || curve === undefined)
    throw new CmsError(NOT_OPENED)
  // The originator's point must be on the recipient's curve: by others a private key leaks, bit by bit (RFC 5753 9).
  if (!isCurve(curve) || pointFault(curve, originator) !== undefined) throw new CmsError(NOT_OPENED)
  const theirs = importKey(ecPublicKey(curve, originator))
  const secret = diffieHellman({ privateKey, publicKey: theirs })
  const work = createDecipheriv(`id-${wrap}`, deriveKey(digest, secret, wrapValue.encoded, WRAPS[wrap], ukm), WRAP_IV)
  return Buffer.concat([work.update(encryptedKey), work.final()])
}

function decrypt(
  cipher: CipherName,
  key: Uint8Array,
  iv: Uint8Array,
  encrypted: Uint8Array,
  tag: Uint8Array | undefined,
  attributes: Uint8Array | undefined,
): Uint8Array {
  const plain = attempt(() => {
    if (cipher === 'aes-128-gcm' || cipher === 'aes-192-gcm' || cipher === 'aes-256-gcm') {
      const work = createDecipheriv(cipher, key, iv, { authTagLength: 16 })
      work.setAuthTag(tag ?? new Uint8Array())
      if (attributes !== undefined) work.setAAD(attributes)
      return Buffer.concat([work.update(encrypted), work.final()])
    }
    const work = createDecipheriv(cipher, key, iv)
    return Buffer.concat([work.update(encrypted), work.final()])
  })
  if (plain === undefined) throw new CmsError(NOT_OPENED)
  return plain
}
