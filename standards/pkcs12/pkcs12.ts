// A private key and its certificates in one file under a password: PKCS#12 (RFC 7292) with the encryption of today,
// PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC (RFC 8018), and an HMAC-SHA-256 over the whole. The password is used in
// two spellings: UTF-8 for PBES2, and UTF-16 with a closing zero for the MAC, as RFC 7292 appendix B.1 wants.
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { fieldsOf, take } from '../der/fields.ts'
import { readDer, TAG } from '../der/reader.ts'
import { expectUniversal, readOctetString, readSmallInteger } from '../der/values.ts'
import { bmpString, explicit, implicitPrimitive, integer, nullValue, octetString, oid, sequence, setOf } from '../der/writer.ts'
import { OIDS } from '../x509/oids.ts'
import { deriveByPbkdf2, deriveByPkcs12 } from './derivation.ts'
import { PKCS_OID } from './identifiers.ts'

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
  /** `legacy`: triple DES and SHA-1, for what cannot read anything newer (Windows before 2019, old Java and Android). Nobody should want it */
  form?: 'modern' | 'legacy'
}

export const PKCS12_ITERATIONS = 100_000

/** Throws RangeError for an empty password or no certificate, DerError for a key or certificate that is not DER. */
export async function buildPkcs12(contents: Pkcs12Contents): Promise<Uint8Array> {
  const { privateKeyPkcs8, certificates, password, friendlyName, iterations = PKCS12_ITERATIONS, form = 'modern' } = contents
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
  const encrypt = (plain: Uint8Array) => (form === 'legacy' ? tripleDesEncrypt : pbes2Encrypt)(plain, password, iterations)

  const key = await encrypt(privateKeyPkcs8)
  const keyBag = safeBag(PKCS_OID.pkcs8ShroudedKeyBag, sequence(key.algorithm, octetString(key.encrypted)), names)
  const certBags = [
    safeBag(PKCS_OID.certBag, certBag(leaf), names),
    ...issuers.map((issuer) => safeBag(PKCS_OID.certBag, certBag(issuer), [])),
  ]
  const certs = await encrypt(sequence(...certBags))
  const encryptedContent = sequence(oid(OIDS.data), certs.algorithm, implicitPrimitive(0, certs.encrypted))

  const authenticatedSafe = sequence(
    sequence(oid(OIDS.encryptedData), explicit(0, sequence(integer(0), encryptedContent))),
    dataContent(sequence(keyBag)),
  )
  return sequence(
    integer(3),
    dataContent(authenticatedSafe),
    await macData(form === 'legacy' ? 'sha1' : 'sha256', authenticatedSafe, password, iterations),
  )
}

/** The outline of PrivateKeyInfo; whether the key is that of the certificate is the caller's to know. */
function checkPrivateKey(pkcs8: Uint8Array): void {
  const fields = fieldsOf(readDer(pkcs8, { path: 'privateKeyPkcs8' }))
  readSmallInteger(take(fields, 'version'), { max: 1 })
  expectUniversal(take(fields, 'privateKeyAlgorithm'), TAG.sequence)
  readOctetString(take(fields, 'privateKey'))
}

export function dataContent(content: Uint8Array): Uint8Array {
  return sequence(oid(OIDS.data), explicit(0, octetString(content)))
}

export function safeBag(bagType: string, bag: Uint8Array, attributes: readonly Uint8Array[]): Uint8Array {
  return attributes.length === 0 ? sequence(oid(bagType), explicit(0, bag)) : sequence(oid(bagType), explicit(0, bag), setOf(...attributes))
}

export function certBag(certificate: Uint8Array): Uint8Array {
  return sequence(oid(PKCS_OID.x509Certificate), explicit(0, octetString(certificate)))
}

export function attribute(type: string, value: Uint8Array): Uint8Array {
  return sequence(oid(type), setOf(value))
}

type Encrypted = { algorithm: Uint8Array; encrypted: Uint8Array }

async function pbes2Encrypt(plain: Uint8Array, password: string, iterations: number): Promise<Encrypted> {
  const salt = randomBytes(16)
  const iv = randomBytes(16)
  const key = await deriveByPbkdf2({ digest: 'sha256', password, salt, iterations, bytes: 32 })
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  // keyLength is left out: AES-256 says it, and some readers stumble over it.
  const derivation = sequence(
    oid(PKCS_OID.pbkdf2),
    sequence(octetString(salt), integer(iterations), sequence(oid(PKCS_OID.hmacWithSha256), nullValue())),
  )
  const scheme = sequence(oid(PKCS_OID.aes256Cbc), octetString(iv))
  return { algorithm: sequence(oid(PKCS_OID.pbes2), sequence(derivation, scheme)), encrypted }
}

/** pbeWithSHAAnd3-KeyTripleDES-CBC, RFC 7292 appendix C. */
async function tripleDesEncrypt(plain: Uint8Array, password: string, iterations: number): Promise<Encrypted> {
  const salt = randomBytes(16)
  const by = { digest: 'sha1', password, salt, iterations } as const
  const key = await deriveByPkcs12({ ...by, purpose: 'key', bytes: 24 })
  const cipher = createCipheriv('des-ede3-cbc', key, await deriveByPkcs12({ ...by, purpose: 'iv', bytes: 8 }))
  return {
    algorithm: sequence(oid(PKCS_OID.pbeWithShaAnd3KeyTripleDes), sequence(octetString(salt), integer(iterations))),
    encrypted: Buffer.concat([cipher.update(plain), cipher.final()]),
  }
}

export async function macData(digest: 'sha1' | 'sha256', content: Uint8Array, password: string, iterations: number): Promise<Uint8Array> {
  const salt = randomBytes(16)
  const key = await deriveByPkcs12({ digest, purpose: 'mac', password, salt, iterations, bytes: digest === 'sha1' ? 20 : 32 })
  const mac = createHmac(digest, key).update(content).digest()
  return sequence(sequence(sequence(oid(OIDS[digest]), nullValue()), octetString(mac)), octetString(salt), integer(iterations))
}
