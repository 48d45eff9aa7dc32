import { generateKeyPairSync } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { openSslFolder, type KeyKind } from '../crl/openssl-authority.fixture.ts'
import { DerError } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { utf8String } from '../der/writer.ts'
import { signWith } from '../x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate } from '../x509/certificate.ts'
import { nameOf } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { CmsError } from './message.ts'
import { buildSignedData, parseSignedData, verifySignedData, type CmsSigner } from './signed-data.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const root = folder.authority('Root', 'P-256')
const content = Buffer.from('Pay Ana 5 euros\n')
folder.write('content', content)
const signerOf = ({ certificate, signatureAlgorithm, sign }: typeof root): CmsSigner => ({
  certificate,
  algorithm: signatureAlgorithm,
  sign,
  signingTime: new Date('2026-05-04T03:02:01Z'),
})

describe.each<KeyKind>(['P-256', 'P-384', 'RSA'])('a message signed with a key of kind %s', (kind) => {
  const leaf = folder.issue(`signer-${kind}`, root, kind)

  test('by us is verified by OpenSSL, with its content and apart', async () => {
    folder.write('ours.p7m', await buildSignedData({ content, signers: [signerOf(leaf)], certificates: [leaf.der, root.der] }))
    const { ok, text } = folder.ask(
      'openssl',
      'cms',
      '-verify',
      '-inform',
      'DER',
      '-in',
      'ours.p7m',
      '-CAfile',
      'Root.pem',
      '-purpose',
      'any',
    )
    expect(text).toContain('Pay Ana 5 euros')
    expect(ok).toBe(true)
    folder.write('apart.p7s', await buildSignedData({ content, detached: true, signers: [signerOf(leaf)], certificates: [leaf.der] }))
    expect(
      folder.ask(
        'openssl',
        'cms',
        '-verify',
        '-binary',
        '-inform',
        'DER',
        '-in',
        'apart.p7s',
        '-content',
        'content',
        '-CAfile',
        'Root.pem',
        '-purpose',
        'any',
      ),
    ).toMatchObject({ ok: true })
  })

  test.each([{ options: [] }, { options: ['-keyid'] }, { options: ['-noattr'] }])(
    'by OpenSSL is verified by us ($options)',
    ({ options }) => {
      folder.run(
        'openssl',
        'cms',
        '-sign',
        '-binary',
        '-nodetach',
        ...options,
        '-md',
        kind === 'P-384' ? 'sha384' : 'sha256',
        '-in',
        'content',
        '-signer',
        `${leaf.name}.pem`,
        '-inkey',
        `${leaf.name}.key`,
        '-outform',
        'DER',
        '-out',
        'theirs.p7m',
      )
      const message = parseSignedData(folder.read('theirs.p7m'))
      expect(message.content).toEqual(content)
      expect(verifySignedData(message)).toMatchObject([{ check: { ok: true }, certificate: { serialHex: leaf.certificate.serialHex } }])
    },
  )
})

describe('a signed message', () => {
  const by = async (more: Partial<CmsSigner> = {}) =>
    buildSignedData({ content, signers: [{ ...signerOf(root), ...more }], certificates: [root.der] })
  const checkOf = (der: Uint8Array, options = {}) => verifySignedData(parseSignedData(der), options)[0]?.check

  test('says when it was signed, and carries attributes of its own', async () => {
    const attribute = { type: '1.2.3', values: [utf8String('x')] }
    const [signer] = verifySignedData(parseSignedData(await by({ attributes: [attribute] })))
    expect(signer).toMatchObject({ check: { ok: true }, signingTime: new Date('2026-05-04T03:02:01Z') })
    expect(signer?.attributes?.map(({ type, values }) => ({ type, values: values.map((value) => Uint8Array.from(value)) }))).toContainEqual(
      { type: '1.2.3', values: [Uint8Array.from(attribute.values[0] ?? [])] },
    )
  })

  test('is read without a byte of it being changed, also where it lies in a Buffer', async () => {
    const given = Buffer.from(await by())
    const before = Buffer.from(given)
    expect(verifySignedData(parseSignedData(given))).toMatchObject([{ check: { ok: true } }])
    expect(given).toEqual(before)
  })

  test('can have several signers, and none of them stands for another', async () => {
    const other = folder.issue('second', root, 'RSA')
    const der = await buildSignedData({ content, signers: [signerOf(root), signerOf(other)], certificates: [root.der] })
    const message = parseSignedData(der)
    expect(
      verifySignedData(message)
        .map(({ check }) => check.ok)
        .toSorted(),
    ).toEqual([false, true])
    expect(verifySignedData(message, { certificates: [other.der] }).map(({ check }) => check.ok)).toEqual([true, true])
  })

  test.each<[string, () => Promise<Uint8Array>, string]>([
    [
      'of other content',
      async () =>
        by({ sign: root.sign }).then((der) => Buffer.from(Buffer.from(der).toString('latin1').replace('5 euros', '9 euros'), 'latin1')),
      'The content is not what was signed.',
    ],
    ['with another signature', () => by({ sign: (data) => root.sign(Buffer.concat([data, data])) }), 'The signature does not match.'],
    ['with an empty signature', () => by({ sign: () => new Uint8Array() }), 'The signature is empty.'],
    [
      'whose content is apart',
      () => buildSignedData({ content, detached: true, signers: [signerOf(root)], certificates: [root.der] }),
      'The content of the message is missing.',
    ],
    ['without the certificate', () => buildSignedData({ content, signers: [signerOf(root)] }), 'The certificate of the signer is missing.'],
  ])('%s is refused with the reason', async (_, make, reason) => {
    expect(checkOf(await make())).toEqual({ ok: false, reason })
  })

  test('by SHA-1 is refused', () => {
    folder.run(
      'openssl',
      'cms',
      '-sign',
      '-binary',
      '-nodetach',
      '-md',
      'sha1',
      '-in',
      'content',
      '-signer',
      'Root.pem',
      '-inkey',
      'Root.key',
      '-outform',
      'DER',
      '-out',
      'weak.p7m',
    )
    expect(checkOf(folder.read('weak.p7m'))).toMatchObject({ ok: false, reason: expect.stringContaining('too weak') })
  })

  test('by Ed25519, which OpenSSL 3.0 knows only outside of messages, is made and verified', async () => {
    const leaf = folder.issue('edwards', root, 'Ed25519')
    expect(checkOf(await buildSignedData({ content, signers: [signerOf(leaf)], certificates: [leaf.der] }))).toEqual({ ok: true })
  })

  test('by ML-DSA is made and verified; by Ed448 it is not made', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ml-dsa-65')
    const tbs = buildTbsCertificate({
      serialNumber: Uint8Array.of(9),
      signatureAlgorithm: 'ML-DSA-65',
      issuer: nameOf(['CN', 'q']),
      subject: nameOf(['CN', 'q']),
      extensions: [],
      notBefore: new Date('2026-01-01'),
      notAfter: new Date('2027-01-01'),
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    })
    const certificate = parseCertificate(assembleSigned(tbs, 'ML-DSA-65', signWith('ML-DSA-65', privateKey, tbs)))
    const signer: CmsSigner = { certificate, algorithm: 'ML-DSA-65', sign: (data) => signWith('ML-DSA-65', privateKey, data) }
    expect(
      checkOf(await buildSignedData({ content, contentType: OIDS.signedData, signers: [signer] }), { certificates: [certificate.encoded] }),
    ).toEqual({ ok: true })
    await expect(buildSignedData({ content, signers: [{ ...signer, algorithm: 'Ed448' }] })).rejects.toThrow(CmsError)
  })

  test('cut off, or with any bit changed, is refused or read, and its content never changes unseen', async () => {
    const der = await by()
    for (let length = 0; length < der.length; length += 1) expect(() => parseSignedData(der.subarray(0, length))).toThrow(DerError)
    const accepted = new Set<string>()
    for (let bit = 0; bit < der.length * 8; bit += 3) {
      const changed = Uint8Array.from(der)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      try {
        const message = parseSignedData(changed)
        const [signer] = verifySignedData(message)
        if (signer?.check.ok === true) accepted.add(hexOf(message.content ?? new Uint8Array()))
      } catch (error) {
        if (!(error instanceof DerError)) throw error
      }
    }
    expect([...accepted]).toEqual([hexOf(content)])
  })
})
