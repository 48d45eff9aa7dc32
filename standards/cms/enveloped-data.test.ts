import { generateKeyPairSync } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { openSslFolder, type KeyKind } from '../crl/openssl-authority.fixture.ts'
import { DerError } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { buildEnvelopedData, openEnvelopedData, parseEnvelopedData, type CmsCipher } from './enveloped-data.ts'
import { CmsError } from './message.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const root = folder.authority('Root', 'P-256')
const content = Buffer.from('The key is under the mat\n')
folder.write('content', content)
const people = {
  RSA: folder.issue('rsa', root, 'RSA'),
  'P-256': folder.issue('p256', root, 'P-256'),
  'P-384': folder.issue('p384', root, 'P-384'),
}
const open = (der: Uint8Array, { certificate, key }: typeof root) =>
  openEnvelopedData(parseEnvelopedData(der), { certificate, privateKey: key })
const ciphers: CmsCipher[] = ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'aes-128-gcm', 'aes-256-gcm']

describe.each(Object.keys(people) as (keyof typeof people & KeyKind)[])('a message for a key of kind %s', (kind) => {
  const person = people[kind]

  test.each(ciphers)('by us under %s is opened by OpenSSL and by us', (cipher) => {
    const der = buildEnvelopedData({ content, cipher, recipients: [person.certificate] })
    expect(hexOf(open(der, person))).toBe(hexOf(content))
    folder.write('ours.p7m', der)
    expect(
      folder.run(
        'openssl',
        'cms',
        '-decrypt',
        '-inform',
        'DER',
        '-in',
        'ours.p7m',
        '-recip',
        `${person.name}.pem`,
        '-inkey',
        `${person.name}.key`,
      ),
    ).toBe(content.toString())
  })

  test.each<{ cipher: string; options: string[] }>([
    { cipher: '-aes-256-cbc', options: [] },
    { cipher: '-aes-128-cbc', options: ['-keyid'] },
    { cipher: '-aes-256-gcm', options: [] },
  ])('by OpenSSL under $cipher $options is opened by us', ({ cipher, options }) => {
    folder.run(
      'openssl',
      'cms',
      '-encrypt',
      '-binary',
      cipher,
      ...options,
      '-in',
      'content',
      '-outform',
      'DER',
      '-out',
      'theirs.p7m',
      '-recip',
      `${person.name}.pem`,
      ...(kind === 'RSA' ? [] : ['-keyopt', 'ecdh_kdf_md:sha256']),
    )
    expect(hexOf(open(folder.read('theirs.p7m'), person))).toBe(hexOf(content))
  })
})

describe('RSA', () => {
  test('opens the triple DES of old clients', () => {
    folder.run(
      'openssl',
      'cms',
      '-encrypt',
      '-binary',
      '-des-ede3-cbc',
      '-in',
      'content',
      '-outform',
      'DER',
      '-out',
      'old.p7m',
      '-recip',
      'rsa.pem',
    )
    expect(hexOf(open(folder.read('old.p7m'), people.RSA))).toBe(hexOf(content))
  })

  test("transports by PKCS#1 where that is asked for, and OpenSSL's OAEP is understood", () => {
    folder.write('old.p7m', buildEnvelopedData({ content, rsa: 'pkcs1', recipients: [people.RSA.certificate] }))
    expect(folder.run('openssl', 'cms', '-decrypt', '-inform', 'DER', '-in', 'old.p7m', '-recip', 'rsa.pem', '-inkey', 'rsa.key')).toBe(
      content.toString(),
    )
    for (const digest of ['sha1', 'sha256', 'sha512']) {
      folder.run(
        'openssl',
        'cms',
        '-encrypt',
        '-binary',
        '-aes-256-cbc',
        '-in',
        'content',
        '-outform',
        'DER',
        '-out',
        'oaep.p7m',
        '-recip',
        'rsa.pem',
        '-keyopt',
        'rsa_padding_mode:oaep',
        '-keyopt',
        `rsa_oaep_md:${digest}`,
        '-keyopt',
        `rsa_mgf1_md:${digest}`,
      )
      expect(hexOf(open(folder.read('oaep.p7m'), people.RSA))).toBe(hexOf(content))
    }
  })
})

describe('an encrypted message', () => {
  test('opens for each of its recipients and for nobody else', () => {
    const der = buildEnvelopedData({ content, recipients: Object.values(people).map(({ certificate }) => certificate) })
    for (const person of Object.values(people)) expect(hexOf(open(der, person))).toBe(hexOf(content))
    expect(() => open(der, root)).toThrow('not for this certificate')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect(() => openEnvelopedData(parseEnvelopedData(der), { certificate: people.RSA.certificate, privateKey })).toThrow(
      'cannot be opened',
    )
  })

  test('is not made for a key that only signs, nor for nobody', () => {
    expect(() => buildEnvelopedData({ content, recipients: [folder.issue('ed', root, 'Ed25519').certificate] })).toThrow('cannot receive')
    expect(() => buildEnvelopedData({ content, recipients: [] })).toThrow(CmsError)
  })

  test.each<[CmsCipher, keyof typeof people]>([
    ['aes-256-gcm', 'P-256'],
    ['aes-256-cbc', 'RSA'],
  ])('under %s cut off or changed is refused without a word of why', (cipher, name) => {
    const person = people[name]
    const der = buildEnvelopedData({ content, cipher, recipients: [person.certificate] })
    for (let length = 0; length < der.length; length += 1) expect(() => parseEnvelopedData(der.subarray(0, length))).toThrow(DerError)
    const reasons = new Set<string>()
    const plains = new Set<string>()
    for (let bit = 0; bit < der.length * 8; bit += 5) {
      const changed = Uint8Array.from(der)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      try {
        plains.add(hexOf(open(changed, person)))
      } catch (error) {
        if (error instanceof CmsError) reasons.add(error.message)
        else if (!(error instanceof DerError)) throw error
      }
    }
    // Some bits mean nothing, such as those of the version; under CBC a changed content may open, which is why it is signed besides.
    expect(plains.size === 1 || !cipher.endsWith('gcm')).toBe(true)
    expect([...reasons].every((reason) => /not for this|cannot be opened|not known here/.test(reason))).toBe(true)
  })
})
