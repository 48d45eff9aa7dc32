import { constants, createPublicKey, createSign, sign, verify, type KeyObject } from 'node:crypto'
// Signature algorithms, by the names of their RFCs. One table says for each how it is encoded, what key it needs and how
// Node's OpenSSL is asked for it; signing, verifying, reading and writing all use the table. An AlgorithmIdentifier is
// compared as bytes with the encodings that the RFCs allow, so there is no room for odd parameters.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, hasMore, take } from '../der/fields.ts'
import { type DerValue, readDer } from '../der/reader.ts'
import { hexOf, readOid, type Oid } from '../der/values.ts'
import { explicit, integer, nullValue, oid, sequence } from '../der/writer.ts'
import { X509Error } from './error.ts'
import { OIDS, oidName } from './oids.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { RAW_SIGNING_KEYS, nodeKeyType, type RawSigningKey } from './raw-keys.ts'
import { signatureFault } from './signature-faults.ts'

interface AlgorithmRow {
  /** the AlgorithmIdentifier that we write */
  encoded: Uint8Array
  /** another one that an RFC makes us accept */
  alternative?: Uint8Array
  /** what the key is for, in a SubjectPublicKeyInfo; an `RSASSA-PSS` key fits PSS algorithms as well */
  key: 'RSA' | 'EC' | RawSigningKey
  /** Node's name of the key type */
  keyType: string
  /** undefined where the algorithm hashes by itself */
  hash: 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512' | undefined
  /** of RSASSA-PSS: as long as the hash (RFC 4055 3.1) */
  saltLength?: number
  /** broken: known only so that it can be named and refused */
  weak?: true
}

const bare = (name: keyof typeof OIDS): Uint8Array => sequence(oid(OIDS[name]))
const withNull = (name: keyof typeof OIDS): Uint8Array => sequence(oid(OIDS[name]), nullValue())

function pss(hash: 'sha256' | 'sha384' | 'sha512', saltLength: number): AlgorithmRow {
  const encode = (digest: Uint8Array): Uint8Array =>
    sequence(
      oid(OIDS.rsassaPss),
      sequence(explicit(0, digest), explicit(1, sequence(oid(OIDS.mgf1), digest)), explicit(2, integer(saltLength))),
    )
  return { encoded: encode(withNull(hash)), alternative: encode(bare(hash)), key: 'RSA', keyType: 'rsa', hash, saltLength }
}

/** RFC 4055 section 5: the parameters are NULL; those who verify take absent ones as well. */
function pkcs1(hash: 'sha256' | 'sha384' | 'sha512'): AlgorithmRow {
  const name = `${hash}WithRSAEncryption` as const
  return { encoded: withNull(name), alternative: bare(name), key: 'RSA', keyType: 'rsa', hash }
}

/** Keys of these kinds sign by the algorithm of their own name, hash by themselves, and have no parameters. */
const RAW_ROWS = Object.fromEntries(
  RAW_SIGNING_KEYS.map((name) => [name, { encoded: bare(name), key: name, keyType: nodeKeyType(name), hash: undefined }]),
) as { readonly [name in RawSigningKey]: AlgorithmRow }

const TABLE = {
  sha256WithRSAEncryption: pkcs1('sha256'),
  sha384WithRSAEncryption: pkcs1('sha384'),
  sha512WithRSAEncryption: pkcs1('sha512'),
  'rsassaPss-sha256': pss('sha256', 32),
  'rsassaPss-sha384': pss('sha384', 48),
  'rsassaPss-sha512': pss('sha512', 64),
  'ecdsa-with-SHA256': { encoded: bare('ecdsa-with-SHA256'), key: 'EC', keyType: 'ec', hash: 'sha256' },
  'ecdsa-with-SHA384': { encoded: bare('ecdsa-with-SHA384'), key: 'EC', keyType: 'ec', hash: 'sha384' },
  'ecdsa-with-SHA512': { encoded: bare('ecdsa-with-SHA512'), key: 'EC', keyType: 'ec', hash: 'sha512' },
  ...RAW_ROWS,
} as const satisfies { readonly [name: string]: AlgorithmRow }

const WEAK_TABLE = {
  sha1WithRSAEncryption: {
    encoded: withNull('sha1WithRSAEncryption'),
    alternative: bare('sha1WithRSAEncryption'),
    key: 'RSA',
    keyType: 'rsa',
    hash: 'sha1',
    weak: true,
  },
  md5WithRSAEncryption: {
    encoded: withNull('md5WithRSAEncryption'),
    alternative: bare('md5WithRSAEncryption'),
    key: 'RSA',
    keyType: 'rsa',
    hash: 'md5',
    weak: true,
  },
  'ecdsa-with-SHA1': { encoded: bare('ecdsa-with-SHA1'), key: 'EC', keyType: 'ec', hash: 'sha1', weak: true },
} as const satisfies { readonly [name: string]: AlgorithmRow }

/** One that we sign with and accept. */
export type SignatureAlgorithm = keyof typeof TABLE
/** One that was read: ours, a broken one, or the dotted identifier of one we do not know. */
export type SignatureAlgorithmName = SignatureAlgorithm | keyof typeof WEAK_TABLE | `${number}.${string}`

export const SIGNATURE_ALGORITHMS: readonly SignatureAlgorithm[] = Object.keys(TABLE) as SignatureAlgorithm[]

const ROWS = new Map<string, AlgorithmRow>([...Object.entries(TABLE), ...Object.entries(WEAK_TABLE)])
const NAME_OF_ENCODING = new Map<string, SignatureAlgorithmName>()
const KNOWN_OIDS = new Set<Oid>()
for (const [name, row] of ROWS) {
  NAME_OF_ENCODING.set(hexOf(row.encoded), name as SignatureAlgorithmName)
  if (row.alternative !== undefined) NAME_OF_ENCODING.set(hexOf(row.alternative), name as SignatureAlgorithmName)
  KNOWN_OIDS.add(readOid(readDer(row.encoded).children[0] ?? readDer(row.encoded)))
}

export function isSignatureAlgorithm(name: string): name is SignatureAlgorithm {
  return Object.hasOwn(TABLE, name)
}

/** The DER AlgorithmIdentifier. */
export function encodeAlgorithmIdentifier(algorithm: SignatureAlgorithm): Uint8Array {
  return TABLE[algorithm].encoded
}

/** Throws DerError for a malformed identifier, and for a known algorithm with parameters its RFC does not allow. */
export function parseAlgorithmIdentifier(identifier: Uint8Array | DerValue, path = 'signatureAlgorithm'): SignatureAlgorithmName {
  const value = identifier instanceof Uint8Array ? readDer(identifier, { path }) : identifier
  const known = NAME_OF_ENCODING.get(hexOf(value.encoded))
  if (known !== undefined) return known
  const fields = fieldsOf(value)
  const algorithm = readOid(take(fields, 'algorithm'))
  if (hasMore(fields)) take(fields, 'parameters')
  finish(fields)
  if (KNOWN_OIDS.has(algorithm)) {
    const wanted =
      algorithm === OIDS.rsassaPss
        ? 'one of SHA-256, SHA-384 or SHA-512 with the same hash in MGF1 and a salt of its length'
        : algorithm.startsWith('1.2.840.113549.')
          ? 'NULL or absent'
          : 'absent'
    throw new X509Error(say`The parameters of ${oidName(algorithm) ?? algorithm} must be ${wanted}`, value)
  }
  return algorithm as `${number}.${string}`
}

/** What a person calls the algorithm. */
export function describeAlgorithm(name: SignatureAlgorithmName): string {
  return oidName(name) ?? name
}

/** The algorithm to sign with when nobody chose one: the hash as strong as the key. Throws X509Error for keys that cannot sign. */
export function defaultSignatureAlgorithm(key: Pick<PublicKeyInfo, 'algorithm' | 'bits' | 'curve'>): SignatureAlgorithm {
  switch (key.algorithm) {
    case 'RSA':
      return key.bits > 4096 ? 'sha512WithRSAEncryption' : key.bits > 3072 ? 'sha384WithRSAEncryption' : 'sha256WithRSAEncryption'
    case 'RSASSA-PSS':
      return 'rsassaPss-sha256'
    case 'EC':
      return key.bits > 384 ? 'ecdsa-with-SHA512' : key.bits > 256 ? 'ecdsa-with-SHA384' : 'ecdsa-with-SHA256'
    default:
      if (isSignatureAlgorithm(key.algorithm)) return key.algorithm
      throw new X509Error(say`A key for ${key.algorithm} cannot sign`)
  }
}

/** Whether a key of this kind can sign by this algorithm. */
export function keyFitsAlgorithm(key: Pick<PublicKeyInfo, 'algorithm'>, algorithm: SignatureAlgorithm): boolean {
  return key.algorithm === TABLE[algorithm].key || (key.algorithm === 'RSASSA-PSS' && algorithm.startsWith('rsassaPss'))
}

export type SignatureCheck = { ok: true } | { ok: false; reason: string }

/** Checks a signature. Never throws: an unknown or broken algorithm, an unfit key and a wrong signature are told apart by reason. */
export function checkSignature(
  algorithm: SignatureAlgorithmName,
  publicKey: KeyObject | Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): SignatureCheck {
  const row = ROWS.get(algorithm)
  if (row === undefined) return { ok: false, reason: `The signature algorithm ${describeAlgorithm(algorithm)} is not supported.` }
  if (row.weak === true) return { ok: false, reason: `The signature algorithm ${algorithm} is too weak.` }
  let key: KeyObject
  try {
    key = publicKey instanceof Uint8Array ? importPublicKey(publicKey) : publicKey
  } catch {
    return { ok: false, reason: 'The public key cannot be used.' }
  }
  if (!fits(key, row)) return { ok: false, reason: `A key of type ${key.asymmetricKeyType} does not fit ${algorithm}.` }
  // RFC 8017 8.1.2 and 8.2.2, step 1: as long as the modulus. OpenSSL takes a PSS signature whose leading zero was cut off.
  const modulusBits = row.key === 'RSA' ? key.asymmetricKeyDetails?.modulusLength : undefined
  if (modulusBits !== undefined && signature.length > 0 && signature.length !== Math.ceil(modulusBits / 8))
    return { ok: false, reason: 'The signature is not as long as the key.' }
  try {
    if (verify(row.hash, data, withOptions(key, row), signature)) return { ok: true }
  } catch {
    // OpenSSL reports some malformed signatures by an error instead of false.
  }
  return { ok: false, reason: signatureFault(algorithm, key, signature) ?? 'The signature does not match.' }
}

/** Node takes a text in half the time that it takes bytes with their format beside them; in one line, which OpenSSL reads up to 254 characters. */
function importPublicKey(spki: Uint8Array): KeyObject {
  const bytes = Buffer.from(spki.buffer, spki.byteOffset, spki.byteLength)
  if (bytes.length > 180) return createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  return createPublicKey(`-----BEGIN PUBLIC KEY-----\n${bytes.toString('base64')}\n-----END PUBLIC KEY-----\n`)
}

/** True for a good signature by a supported algorithm; see checkSignature for the reason of a false. */
export function verifySignature(
  algorithm: SignatureAlgorithmName,
  publicKey: KeyObject | Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  return checkSignature(algorithm, publicKey, data, signature).ok
}

/** Signs in this thread: 0.1 ms for P-256, 3 ms for RSA 4096, 400 ms for SLH-DSA-SHA2-128s. Throws X509Error when the key does not fit. */
export function signWith(algorithm: SignatureAlgorithm, privateKey: KeyObject, data: Uint8Array): Uint8Array {
  const row = rowFor(algorithm, privateKey)
  return sign(row.hash, data, withOptions(privateKey, row))
}

/** Signs in libuv's thread pool, so that a slow key does not hold up the event loop. */
export function signInBackground(algorithm: SignatureAlgorithm, privateKey: KeyObject, data: Uint8Array): Promise<Uint8Array> {
  const row = rowFor(algorithm, privateKey)
  return new Promise((resolve, reject) => {
    sign(row.hash, data, withOptions(privateKey, row), (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}

/** A signature over what comes in pieces. */
export type SigningInPieces = { update(piece: Uint8Array): void; sign(): Uint8Array }

/** Undefined for an algorithm that needs the whole at once, as it does not begin with a hash. Throws X509Error when the key does not fit. */
export function signInPieces(algorithm: SignatureAlgorithm, privateKey: KeyObject): SigningInPieces | undefined {
  const row = rowFor(algorithm, privateKey)
  if (row.hash === undefined) return undefined
  const signing = createSign(row.hash)
  return { update: (piece) => void signing.update(piece), sign: () => signing.sign(withOptions(privateKey, row)) }
}

function rowFor(algorithm: SignatureAlgorithm, privateKey: KeyObject): AlgorithmRow {
  const row: AlgorithmRow = TABLE[algorithm]
  if (!fits(privateKey, row)) throw new X509Error(say`A key of type ${privateKey.asymmetricKeyType} does not fit ${algorithm}`)
  return row
}

function fits(key: KeyObject, row: AlgorithmRow): boolean {
  return key.asymmetricKeyType === row.keyType || (row.saltLength !== undefined && key.asymmetricKeyType === 'rsa-pss')
}

/** A key alone is 30 microseconds cheaper to hand over than one in an object, so only RSA, which needs its padding named, has an object. */
function withOptions(key: KeyObject, row: AlgorithmRow): KeyObject | { key: KeyObject; padding: number; saltLength?: number } {
  if (row.saltLength !== undefined) return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: row.saltLength }
  return row.keyType === 'rsa' ? { key, padding: constants.RSA_PKCS1_PADDING } : key
}
