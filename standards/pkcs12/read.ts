import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
// Reading a PKCS#12 file (RFC 7292) by its password: the MAC first, then every bag. A stranger's file decides how many rounds its password
// takes, so the rounds of all its derivations together are bounded before the first of them begins to run.
import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, hasMore, readInside, setElementsOf, take, takeContext, takeUniversal } from '../der/fields.ts'
import { TAG, readDer, type DerValue } from '../der/reader.ts'
import {
  explicitContent,
  faultAt,
  implicit,
  readNull,
  readOctetString,
  readOid,
  readSmallInteger,
  readStringOf,
  type Oid,
} from '../der/values.ts'
import { OIDS } from '../x509/oids.ts'
import { deriveByPbkdf2, deriveByPkcs12, type Pkcs12Hash } from './derivation.ts'
import { PKCS_OID } from './identifiers.ts'

/** The file is well formed and cannot be opened: the reason as a sentence. */
export class Pkcs12Error extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Pkcs12Error'
  }
}

export interface Pkcs12Item {
  /** a DER PrivateKeyInfo or certificate */
  der: Uint8Array
  friendlyName?: string
  localKeyId?: Uint8Array
}

export interface Pkcs12File {
  privateKeys: Pkcs12Item[]
  certificates: Pkcs12Item[]
}

/** The rounds of all derivations of one file together: about two seconds at the worst. */
export const PKCS12_MOST_ROUNDS = 2_000_000
const MOST_BAGS = 100
const MOST_SALT_BYTES = 1024

interface Opening {
  password: string
  roundsLeft: number
}

/**
 * Reads a file of up to `maxBytes` (1 MiB unless said), in DER. Throws DerError for a malformed one, Pkcs12Error for a wrong password, a
 * changed file, no MAC, an encryption that is not known here (RC2 among them) and too many rounds.
 */
export async function readPkcs12(der: Uint8Array, password: string, limits: { maxBytes?: number } = {}): Promise<Pkcs12File> {
  const fields = fieldsOf(readDer(der, limits))
  readSmallInteger(take(fields, 'version'), { min: 3, max: 3 })
  const safe = contentOf(take(fields, 'authSafe'))
  const mac = hasMore(fields) ? take(fields, 'macData') : undefined
  finish(fields)
  if (safe.contentType !== OIDS.data) throw new Pkcs12Error(say`Only files that a password protects are read, not those signed with a key`)
  if (mac === undefined) throw new Pkcs12Error(say`The file has no MAC, so nothing says that it was not changed`)
  const opening: Opening = { password, roundsLeft: PKCS12_MOST_ROUNDS }
  const content = readOctetString(safe.content)
  await checkMac(mac, content, opening)
  const file: Pkcs12File = { privateKeys: [], certificates: [] }
  for (const element of elementsOf(readInside(safe.content, content))) await readSafe(element, opening, file)
  return file
}

function contentOf(value: DerValue): { contentType: Oid; content: DerValue } {
  const fields = fieldsOf(value)
  const contentType = readOid(take(fields, 'contentType'))
  const content = takeContext(fields, 0, 'content')
  finish(fields)
  if (content === undefined) throw faultAt(value, say`The content is missing`)
  return { contentType, content: explicitContent(content) }
}

function spend(opening: Opening, rounds: number): void {
  opening.roundsLeft -= rounds
  if (opening.roundsLeft < 0) throw new Pkcs12Error(say`The file asks for more than ${PKCS12_MOST_ROUNDS} rounds of key derivation`)
}

function readSalt(value: DerValue): Uint8Array {
  const salt = readOctetString(value)
  if (salt.length === 0 || salt.length > MOST_SALT_BYTES) throw faultAt(value, say`A salt has 1 to ${MOST_SALT_BYTES} bytes`)
  return salt
}

/** A hash or an HMAC: its parameters are NULL or absent. */
function readHash(value: DerValue): Oid {
  const fields = fieldsOf(value)
  const algorithm = readOid(take(fields, 'algorithm'))
  if (hasMore(fields)) readNull(take(fields, 'parameters'))
  finish(fields)
  return algorithm
}

const MAC_HASHES: { readonly [oid: Oid]: Pkcs12Hash } = {
  [OIDS.sha1]: 'sha1',
  [OIDS.sha256]: 'sha256',
  [OIDS.sha384]: 'sha384',
  [OIDS.sha512]: 'sha512',
}

async function checkMac(value: DerValue, content: Uint8Array, opening: Opening): Promise<void> {
  const fields = fieldsOf(value)
  const info = fieldsOf(take(fields, 'mac'))
  const algorithm = readHash(take(info, 'digestAlgorithm'))
  const expected = readOctetString(take(info, 'digest'))
  finish(info)
  const salt = readSalt(take(fields, 'macSalt'))
  const iterations = hasMore(fields) ? readSmallInteger(take(fields, 'iterations'), { min: 1 }) : 1
  finish(fields)
  const digest = MAC_HASHES[algorithm]
  if (digest === undefined) throw new Pkcs12Error(say`The MAC algorithm ${algorithm} is not known here`)
  spend(opening, iterations)
  const bytes = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 }[digest]
  const key = await deriveByPkcs12({ digest, purpose: 'mac', password: opening.password, salt, iterations, bytes })
  const found = createHmac(digest, key).update(content).digest()
  if (expected.length !== found.length || !timingSafeEqual(expected, found))
    throw new Pkcs12Error(say`The password is wrong, or the file was changed`)
}

async function readSafe(element: DerValue, opening: Opening, file: Pkcs12File): Promise<void> {
  const { contentType, content } = contentOf(element)
  if (contentType === OIDS.data) return readBags(readInside(content, readOctetString(content)), opening, file)
  if (contentType !== OIDS.encryptedData) throw new Pkcs12Error(say`A part of the file is encrypted for a key, not by the password`)
  const fields = fieldsOf(content)
  readSmallInteger(take(fields, 'version'), { max: 2 })
  const info = fieldsOf(take(fields, 'encryptedContentInfo'))
  readOid(take(info, 'contentType'))
  const algorithm = take(info, 'contentEncryptionAlgorithm')
  const encrypted = takeContext(info, 0, 'encryptedContent')
  finish(info)
  if (encrypted === undefined) throw faultAt(content, say`The field encryptedContent is missing`)
  const plain = await decrypt(algorithm, readOctetString(implicit(encrypted, TAG.octetString)), opening)
  return readBags(readDecrypted(plain, 'encryptedContent'), opening, file)
}

/** The MAC was right, so what does not read now was so made; its bytes have no place in the file. */
const readDecrypted = (plain: Uint8Array, path: string): DerValue => readDer(plain, { path })

async function readBags(value: DerValue, opening: Opening, file: Pkcs12File): Promise<void> {
  for (const bag of elementsOf(value)) {
    if (file.privateKeys.length + file.certificates.length >= MOST_BAGS)
      throw new Pkcs12Error(say`The file holds more than ${MOST_BAGS} keys and certificates`)
    const fields = fieldsOf(bag)
    const type = readOid(take(fields, 'bagId'))
    const tagged = takeContext(fields, 0, 'bagValue')
    const attributes = hasMore(fields) ? readAttributes(take(fields, 'bagAttributes')) : {}
    finish(fields)
    if (tagged === undefined) throw faultAt(bag, say`The field bagValue is missing`)
    const content = explicitContent(tagged)
    if (type === PKCS_OID.keyBag) file.privateKeys.push({ der: content.encoded, ...attributes })
    else if (type === PKCS_OID.pkcs8ShroudedKeyBag) {
      const encrypted = fieldsOf(content)
      const algorithm = take(encrypted, 'encryptionAlgorithm')
      const data = readOctetString(take(encrypted, 'encryptedData'))
      finish(encrypted)
      file.privateKeys.push({ der: readDecrypted(await decrypt(algorithm, data, opening), 'privateKeyInfo').encoded, ...attributes })
    } else if (type === PKCS_OID.certBag) {
      const certificate = fieldsOf(content)
      const kind = readOid(take(certificate, 'certId'))
      const inner = takeContext(certificate, 0, 'certValue')
      if (kind === PKCS_OID.x509Certificate && inner !== undefined)
        file.certificates.push({ der: readOctetString(explicitContent(inner)), ...attributes })
    }
  }
}

function readAttributes(value: DerValue): Pick<Pkcs12Item, 'friendlyName' | 'localKeyId'> {
  const found: Pick<Pkcs12Item, 'friendlyName' | 'localKeyId'> = {}
  for (const element of setElementsOf(value)) {
    const fields = fieldsOf(element)
    const type = readOid(take(fields, 'attrId'))
    const [first] = setElementsOf(take(fields, 'attrValues'))
    finish(fields)
    if (first === undefined) continue
    if (type === PKCS_OID.friendlyName) found.friendlyName = readStringOf(first, 'bmpString')
    if (type === PKCS_OID.localKeyId) found.localKeyId = readOctetString(first)
  }
  return found
}

const CIPHERS: { readonly [oid: Oid]: { name: string; keyBytes: number; ivBytes: number } } = {
  [PKCS_OID.aes128Cbc]: { name: 'aes-128-cbc', keyBytes: 16, ivBytes: 16 },
  [PKCS_OID.aes192Cbc]: { name: 'aes-192-cbc', keyBytes: 24, ivBytes: 16 },
  [PKCS_OID.aes256Cbc]: { name: 'aes-256-cbc', keyBytes: 32, ivBytes: 16 },
  [PKCS_OID.desEde3Cbc]: { name: 'des-ede3-cbc', keyBytes: 24, ivBytes: 8 },
}
const PRFS: { readonly [oid: Oid]: Pkcs12Hash } = {
  [PKCS_OID.hmacWithSha1]: 'sha1',
  [PKCS_OID.hmacWithSha256]: 'sha256',
  [PKCS_OID.hmacWithSha384]: 'sha384',
  [PKCS_OID.hmacWithSha512]: 'sha512',
}

async function decrypt(algorithm: DerValue, encrypted: Uint8Array, opening: Opening): Promise<Uint8Array> {
  const fields = fieldsOf(algorithm)
  const scheme = readOid(take(fields, 'algorithm'))
  const parameters = take(fields, 'parameters')
  finish(fields)
  const { name, key, iv } = scheme === PKCS_OID.pbes2 ? await pbes2(parameters, opening) : await pkcs12Scheme(scheme, parameters, opening)
  try {
    const decipher = createDecipheriv(name, key, iv)
    return Buffer.concat([decipher.update(encrypted), decipher.final()])
  } catch {
    throw new Pkcs12Error(say`A part of the file is not encrypted by this password`)
  }
}

async function pbes2(parameters: DerValue, opening: Opening): Promise<{ name: string; key: Uint8Array; iv: Uint8Array }> {
  const both = fieldsOf(parameters)
  const derivation = fieldsOf(take(both, 'keyDerivationFunc'))
  const encryption = fieldsOf(take(both, 'encryptionScheme'))
  finish(both)
  const function_ = readOid(take(derivation, 'algorithm'))
  if (function_ !== PKCS_OID.pbkdf2) throw new Pkcs12Error(say`The key derivation ${function_} is not known here`)
  const inner = fieldsOf(take(derivation, 'parameters'))
  finish(derivation)
  const salt = readSalt(take(inner, 'salt'))
  const iterations = readSmallInteger(take(inner, 'iterationCount'), { min: 1 })
  const keyLength = takeUniversal(inner, TAG.integer, 'keyLength')
  const prfValue = hasMore(inner) ? take(inner, 'prf') : undefined
  finish(inner)
  const prf = prfValue === undefined ? PKCS_OID.hmacWithSha1 : readHash(prfValue)
  const cipherOid = readOid(take(encryption, 'algorithm'))
  const ivValue = take(encryption, 'parameters')
  finish(encryption)
  const cipher = CIPHERS[cipherOid]
  const digest = PRFS[prf]
  if (cipher === undefined || digest === undefined)
    throw new Pkcs12Error(say`The encryption ${cipher === undefined ? cipherOid : prf} is not known here`)
  const iv = readOctetString(ivValue)
  if (iv.length !== cipher.ivBytes) throw faultAt(ivValue, say`The initialisation vector has ${iv.length} bytes, not ${cipher.ivBytes}`)
  if (keyLength !== undefined && readSmallInteger(keyLength) !== cipher.keyBytes)
    throw faultAt(keyLength, say`The key has ${cipher.keyBytes} bytes`)
  spend(opening, iterations)
  return {
    name: cipher.name,
    key: await deriveByPbkdf2({ digest, password: opening.password, salt, iterations, bytes: cipher.keyBytes }),
    iv,
  }
}

/** RFC 7292 appendix C. */
async function pkcs12Scheme(
  scheme: Oid,
  parameters: DerValue,
  opening: Opening,
): Promise<{ name: string; key: Uint8Array; iv: Uint8Array }> {
  if (scheme === PKCS_OID.pbeWithShaAnd40Rc2 || scheme === PKCS_OID.pbeWithShaAnd128Rc2) {
    throw new Pkcs12Error(say`The file is encrypted by RC2, which is broken and not read here. Export it again with triple DES or AES`)
  }
  const keyBytes = { [PKCS_OID.pbeWithShaAnd3KeyTripleDes]: 24, [PKCS_OID.pbeWithShaAnd2KeyTripleDes]: 16 }[scheme]
  if (keyBytes === undefined) throw new Pkcs12Error(say`The encryption ${scheme} is not known here`)
  const fields = fieldsOf(parameters)
  const salt = readSalt(take(fields, 'salt'))
  const iterations = readSmallInteger(take(fields, 'iterations'), { min: 1 })
  finish(fields)
  // The key of triple DES takes two hashes, its vector one.
  spend(opening, iterations * 3)
  const by = { digest: 'sha1', password: opening.password, salt, iterations } as const
  const key = await deriveByPkcs12({ ...by, purpose: 'key', bytes: keyBytes })
  const iv = await deriveByPkcs12({ ...by, purpose: 'iv', bytes: 8 })
  return { name: 'des-ede3-cbc', key: keyBytes === 24 ? key : Buffer.concat([key, key.subarray(0, 8)]), iv }
}
