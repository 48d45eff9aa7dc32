// A private key and its certificates in one file under a password: PKCS#12 (RFC 7292) with the encryption of today,
// PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC (RFC 8018), and an HMAC-SHA-256 over the whole. The password is used in
// two spellings: UTF-8 for PBES2, and UTF-16 with a closing zero for the MAC, as RFC 7292 appendix B.1 wants.
import { createCipheriv, createHash, createHmac, hash, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { fieldsOf, take } from '../der/fields.ts'
import { readDer, TAG } from '../der/reader.ts'
import { expectUniversal, readOctetString, readSmallInteger } from '../der/values.ts'
import { bmpString, explicit, implicitPrimitive, integer, nullValue, octetString, oid, sequence, setOf } from '../der/writer.ts'
import { OIDS } from '../x509/oids.ts'

export interface Pkcs12Contents {
  /** DER PrivateKeyInfo (RFC 5958) */
  privateKeyPkcs8: Uint8Array
  /** DER, the one of the key first, then its issuers */
  certificates: readonly Uint8Array[]
  /** not empty; any characters */
  password: string
  /** what key stores show beside key and certificate */
  friendlyName: string
  /** rounds of PBKDF2 and of the MAC's derivation alike, so that neither is the cheaper one to attack */
  iterations?: number
}

export const PKCS12_ITERATIONS = 100_000

const PKCS_OID = {
  pbes2: '1.2.840.113549.1.5.13',
  pbkdf2: '1.2.840.113549.1.5.12',
  hmacWithSha256: '1.2.840.113549.2.9',
  aes256Cbc: '2.16.840.1.101.3.4.1.42',
  pkcs8ShroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
} as const

const SHA256_BLOCK = 64
/** The MAC's derivation runs on the event loop; it lets others run each time it has done so many rounds (about 3 ms). */
const ROUNDS_AT_A_TIME = 2000

const derive = promisify(pbkdf2)

/** Throws RangeError for an empty password or no certificate, DerError for a key or certificate that is not DER. */
export async function buildPkcs12(contents: Pkcs12Contents): Promise<Uint8Array> {
  const { privateKeyPkcs8, certificates, password, friendlyName, iterations = PKCS12_ITERATIONS } = contents
  const [leaf, ...issuers] = certificates
  if (leaf === undefined) throw new RangeError('A PKCS#12 file needs the certificate of its key')
  if (password === '' || !password.isWellFormed()) throw new RangeError('A PKCS#12 file needs a password')
  checkPrivateKey(privateKeyPkcs8)
  for (const [index, certificate] of certificates.entries()) {
    expectUniversal(readDer(certificate, { path: `certificates[${index}]` }), TAG.sequence)
  }

  // By custom the SHA-1 of the certificate; any bytes that key and certificate share would do.
  const localKeyId = createHash('sha1').update(leaf).digest()
  const names = [attribute(PKCS_OID.friendlyName, bmpString(friendlyName)), attribute(PKCS_OID.localKeyId, octetString(localKeyId))]
  const encrypt = (plain: Uint8Array) => pbes2Encrypt(plain, password, iterations)

  const key = await encrypt(privateKeyPkcs8)
  const keyBag = safeBag(PKCS_OID.pkcs8ShroudedKeyBag, sequence(key.algorithm, octetString(key.encrypted)), names)
  const certBags = [safeBag(PKCS_OID.certBag, certBag(leaf), names), ...issuers.map((issuer) => safeBag(PKCS_OID.certBag, certBag(issuer), []))]
  const certs = await encrypt(sequence(...certBags))
  const encryptedContent = sequence(oid(OIDS.data), certs.algorithm, implicitPrimitive(0, certs.encrypted))

  const authenticatedSafe = sequence(
    sequence(oid(OIDS.encryptedData), explicit(0, sequence(integer(0), encryptedContent))),
    dataContent(sequence(keyBag)),
  )
  return sequence(integer(3), dataContent(authenticatedSafe), await macData(authenticatedSafe, password, iterations))
}

/** The outline of PrivateKeyInfo; whether the key is that of the certificate is the caller's to know. */
function checkPrivateKey(pkcs8: Uint8Array): void {
  const fields = fieldsOf(readDer(pkcs8, { path: 'privateKeyPkcs8' }))
  readSmallInteger(take(fields, 'version'), { max: 1 })
  expectUniversal(take(fields, 'privateKeyAlgorithm'), TAG.sequence)
  readOctetString(take(fields, 'privateKey'))
}

function dataContent(content: Uint8Array): Uint8Array {
  return sequence(oid(OIDS.data), explicit(0, octetString(content)))
}

function safeBag(bagType: string, bag: Uint8Array, attributes: readonly Uint8Array[]): Uint8Array {
  return attributes.length === 0
    ? sequence(oid(bagType), explicit(0, bag))
    : sequence(oid(bagType), explicit(0, bag), setOf(...attributes))
}

function certBag(certificate: Uint8Array): Uint8Array {
  return sequence(oid(PKCS_OID.x509Certificate), explicit(0, octetString(certificate)))
}

function attribute(type: string, value: Uint8Array): Uint8Array {
  return sequence(oid(type), setOf(value))
}

async function pbes2Encrypt(plain: Uint8Array, password: string, iterations: number): Promise<{ algorithm: Uint8Array; encrypted: Uint8Array }> {
  const salt = randomBytes(16)
  const iv = randomBytes(16)
  const key = await derive(Buffer.from(password, 'utf8'), salt, iterations, 32, 'sha256')
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  // keyLength is left out: AES-256 says it, and some readers stumble over it.
  const derivation = sequence(oid(PKCS_OID.pbkdf2), sequence(octetString(salt), integer(iterations), sequence(oid(PKCS_OID.hmacWithSha256), nullValue())))
  const scheme = sequence(oid(PKCS_OID.aes256Cbc), octetString(iv))
  return { algorithm: sequence(oid(PKCS_OID.pbes2), sequence(derivation, scheme)), encrypted }
}

async function macData(content: Uint8Array, password: string, iterations: number): Promise<Uint8Array> {
  const salt = randomBytes(16)
  const key = await pkcs12MacKey(password, salt, iterations)
  const mac = createHmac('sha256', key).update(content).digest()
  return sequence(sequence(sequence(oid(OIDS.sha256), nullValue()), octetString(mac)), octetString(salt), integer(iterations))
}

/**
 * RFC 7292 appendix B.2 for the MAC key (ID 3) with SHA-256. The key is exactly as long as one hash, so that the first
 * round of the general construction gives all of it.
 */
async function pkcs12MacKey(password: string, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const bmp = Buffer.from(`${password}\0`, 'utf16le').swap16()
  const diversifier = Buffer.alloc(SHA256_BLOCK, 3)
  let state: Uint8Array = Buffer.concat([diversifier, wholeBlocks(salt), wholeBlocks(bmp)])
  for (let round = 0; round < iterations; round += 1) {
    if (round % ROUNDS_AT_A_TIME === ROUNDS_AT_A_TIME - 1) await new Promise(setImmediate)
    state = hash('sha256', state, 'buffer')
  }
  return state
}

/** The bytes repeated until they fill whole blocks. */
function wholeBlocks(bytes: Uint8Array): Uint8Array {
  return Buffer.alloc(Math.ceil(bytes.length / SHA256_BLOCK) * SHA256_BLOCK, bytes)
}
