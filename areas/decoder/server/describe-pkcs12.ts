// A PKCS#12 file (RFC 7292): from outside what its parts are, and how they and the whole are protected; with its password what is inside.
// Private keys are named and never shown. The rounds that a file may ask for are bounded by its reader.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { elementsOf, fieldsOf, finish, hasMore, readInside, take, takeContext, takeUniversal } from '#standards/der/fields.ts'
import { DerError, readDer, TAG, type DerValue } from '#standards/der/reader.ts'
import { explicitContent, faultAt, isUniversal, readInteger, readOctetString, readOid, readSmallInteger } from '#standards/der/values.ts'
import { Pkcs12Error, readPkcs12, type Pkcs12Item } from '#standards/pkcs12/read.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { describe } from '#standards/x509/describe.ts'
import type { DescribedField } from '#standards/x509/described-field.ts'
import { describeOid, OIDS } from '#standards/x509/oids.ts'
import { describeKey, parsePublicKey } from '#standards/x509/public-key.ts'

const NAMES: { readonly [oid: string]: string } = {
  '1.2.840.113549.1.12.1.1': 'pbeWithSHAAnd128BitRC4',
  '1.2.840.113549.1.12.1.3': 'pbeWithSHAAnd3-KeyTripleDES-CBC',
  '1.2.840.113549.1.12.1.6': 'pbeWithSHAAnd40BitRC2-CBC',
  '1.2.840.113549.1.5.12': 'PBKDF2',
  '1.2.840.113549.1.5.13': 'PBES2',
  '1.2.840.113549.1.5.14': 'PBMAC1',
  '1.2.840.113549.2.7': 'hmacWithSHA1',
  '1.2.840.113549.2.9': 'hmacWithSHA256',
  '1.2.840.113549.2.10': 'hmacWithSHA384',
  '1.2.840.113549.2.11': 'hmacWithSHA512',
  '1.2.840.113549.3.7': 'des-EDE3-CBC',
  '2.16.840.1.101.3.4.1.2': 'aes128-CBC',
  '2.16.840.1.101.3.4.1.22': 'aes192-CBC',
  '2.16.840.1.101.3.4.1.42': 'aes256-CBC',
  '1.3.6.1.4.1.11591.4.11': 'scrypt',
}
const BAGS: { readonly [oid: string]: string } = {
  '1.2.840.113549.1.12.10.1.1': 'keyBag',
  '1.2.840.113549.1.12.10.1.2': 'pkcs8ShroudedKeyBag',
  '1.2.840.113549.1.12.10.1.3': 'certBag',
  '1.2.840.113549.1.12.10.1.4': 'crlBag',
  '1.2.840.113549.1.12.10.1.5': 'secretBag',
  '1.2.840.113549.1.12.10.1.6': 'safeContentsBag',
}
const KEY_BAGS = ['keyBag', 'pkcs8ShroudedKeyBag', 'secretBag']

const named = (oid: string): string => (NAMES[oid] === undefined ? describeOid(oid) : `${NAMES[oid]} (${oid})`)

/** Throws DerError. */
export function describePkcs12(der: Uint8Array): { title: string; field: DescribedField } {
  const fields = fieldsOf(readDer(der))
  const version = readSmallInteger(take(fields, 'version'), { min: 3, max: 3 })
  const safe = contentInfo(take(fields, 'authSafe'))
  const mac = hasMore(fields) ? take(fields, 'macData') : undefined
  finish(fields)
  if (safe.type !== OIDS.data)
    throw faultAt(safe.content, say`Only files that are protected by a password are read, not those signed with a key`)
  const parts = elementsOf(readInside(safe.content, readOctetString(safe.content))).map(describePart)
  return {
    title: parts.length === 1 ? '1 part' : `${parts.length} parts`,
    field: {
      label: 'PFX',
      children: [
        { label: 'version', value: String(version) },
        { label: 'authSafe', note: `${parts.length}`, children: parts },
        mac === undefined ? { label: 'macData', note: 'Absent: nothing protects the file against changes.' } : describeMac(mac),
      ],
    },
  }
}

/** What the password opens, or why it does not. Throws DerError. */
export async function openedPkcs12(der: Uint8Array, password: string): Promise<{ field: DescribedField } | { refused: string }> {
  try {
    const { privateKeys, certificates } = await readPkcs12(der, password)
    const shown = certificates.map((item) => ({
      ...certificateField(item.der),
      ...(item.friendlyName === undefined ? {} : { note: item.friendlyName }),
    }))
    return { field: { label: 'contents', note: 'opened with the password', children: [...privateKeys.map(describeKeyItem), ...shown] } }
  } catch (error) {
    if (error instanceof Pkcs12Error) return { refused: error.message }
    throw error
  }
}

function describeKeyItem({ der, friendlyName }: Pkcs12Item): DescribedField {
  return {
    label: 'PrivateKeyInfo',
    value: kindOfKey(der),
    note: `${friendlyName === undefined ? '' : `${friendlyName}: `}a private key, which is not shown`,
  }
}

function kindOfKey(der: Uint8Array): string {
  try {
    const key = createPublicKey(createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' }))
    return describeKey(parsePublicKey(key.export({ format: 'der', type: 'spki' })))
  } catch {
    return 'of a kind that is not known here'
  }
}

function contentInfo(value: DerValue): { type: string; content: DerValue } {
  const fields = fieldsOf(value)
  const type = readOid(take(fields, 'contentType'))
  const tagged = takeContext(fields, 0, 'content')
  finish(fields)
  if (tagged === undefined) throw faultAt(value, say`The content is missing`)
  return { type, content: explicitContent(tagged) }
}

function describePart(value: DerValue): DescribedField {
  const { type, content } = contentInfo(value)
  if (type === OIDS.data)
    return { label: 'data', note: 'not encrypted', children: describeBags(readInside(content, readOctetString(content))) }
  if (type !== OIDS.encryptedData) return { label: describeOid(type) }
  const fields = fieldsOf(content)
  take(fields, 'version')
  const encrypted = fieldsOf(take(fields, 'encryptedContentInfo'))
  take(encrypted, 'contentType')
  return { label: 'encryptedData', children: [describeEncryption(take(encrypted, 'contentEncryptionAlgorithm'))] }
}

function describeBags(value: DerValue): DescribedField[] {
  return elementsOf(value).map((bag) => {
    const fields = fieldsOf(bag)
    const id = readOid(take(fields, 'bagId'))
    const tagged = takeContext(fields, 0, 'bagValue')
    const label = BAGS[id] ?? describeOid(id)
    if (tagged === undefined) throw faultAt(bag, say`The bag is empty`)
    const content = explicitContent(tagged)
    if (label === 'pkcs8ShroudedKeyBag')
      return { label, note: 'a private key, encrypted', children: [describeEncryption(take(fieldsOf(content), 'encryptionAlgorithm'))] }
    if (KEY_BAGS.includes(label))
      return { label, note: 'It holds a key that is not encrypted, which is not shown. Count it as lost if it was pasted anywhere else.' }
    if (label === 'certBag') return { label, children: [describeCertificate(content)] }
    if (label === 'safeContentsBag') return { label, children: describeBags(content) }
    return { label }
  })
}

function describeCertificate(value: DerValue): DescribedField {
  const fields = fieldsOf(value)
  const type = readOid(take(fields, 'certId'))
  const tagged = takeContext(fields, 0, 'certValue')
  if (type !== '1.2.840.113549.1.9.22.1' || tagged === undefined) return { label: describeOid(type) }
  return certificateField(readOctetString(explicitContent(tagged)))
}

function certificateField(der: Uint8Array): DescribedField {
  try {
    return describe(parseCertificate(der))
  } catch (error) {
    if (error instanceof DerError) return { label: 'Certificate', note: error.message }
    throw error
  }
}

/** An algorithm with what makes guessing slow: the derivation and its rounds. */
function describeEncryption(value: DerValue): DescribedField {
  const fields = fieldsOf(value)
  const algorithm = readOid(take(fields, 'algorithm'))
  const parameters = hasMore(fields) ? take(fields, 'parameters') : undefined
  const children: DescribedField[] = []
  if (algorithm === '1.2.840.113549.1.5.13' && parameters !== undefined) {
    const both = fieldsOf(parameters)
    children.push(describeEncryption(take(both, 'keyDerivationFunc')), describeEncryption(take(both, 'encryptionScheme')))
  } else if (parameters !== undefined && isUniversal(parameters, TAG.sequence)) {
    const inner = fieldsOf(parameters)
    const salt = takeUniversal(inner, TAG.octetString, 'salt')
    const rounds = takeUniversal(inner, TAG.integer, 'iterations')
    if (salt !== undefined) children.push({ label: 'salt', value: Buffer.from(readOctetString(salt)).toString('hex') })
    if (rounds !== undefined) children.push({ label: 'iterations', value: String(readInteger(rounds)) })
    const hash = inner.parent.children.find((child) => isUniversal(child, TAG.sequence))
    if (hash !== undefined) children.push({ label: 'prf', value: named(readOid(take(fieldsOf(hash), 'algorithm'))) })
  }
  return { label: 'algorithm', value: named(algorithm), ...(children.length === 0 ? {} : { children }) }
}

function describeMac(value: DerValue): DescribedField {
  const fields = fieldsOf(value)
  const digestInfo = fieldsOf(take(fields, 'mac'))
  const algorithm = readOid(take(fieldsOf(take(digestInfo, 'digestAlgorithm')), 'algorithm'))
  const salt = readOctetString(take(fields, 'macSalt'))
  const rounds = takeUniversal(fields, TAG.integer, 'iterations')
  return {
    label: 'macData',
    children: [
      { label: 'digestAlgorithm', value: named(algorithm) },
      { label: 'macSalt', value: Buffer.from(salt).toString('hex') },
      { label: 'iterations', value: rounds === undefined ? '1' : String(readInteger(rounds)) },
    ],
  }
}
