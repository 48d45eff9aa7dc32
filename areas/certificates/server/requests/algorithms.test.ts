// The kinds of key that the openssl of the system does not know all of: the OpenSSL inside Node is the judge.

import { X509Certificate, generateKeyPairSync } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import type { HolderKey, KeyAlgorithm } from '#areas/keys/rules.ts'
import { generateKeyPair, signatureAlgorithmFor } from '#areas/keys/service.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signInBackground } from '#standards/x509/algorithms.ts'
import { assembleSigned, parseCertificate } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { nameOf } from '#standards/x509/names.ts'
import { possessionStatement } from '#standards/x509/possession.ts'
import { parsePublicKey } from '#standards/x509/public-key.ts'
import { certificates } from '../../contract.ts'
import { openIssuing, openSsl } from '../issuing.fixture.ts'

const tools = openSsl()
const { calls } = certificates

const house = await useHouse()
const pki = await openIssuing(house, tools, 'Quantum')
afterAll(async () => {
  tools.close()
})

async function csrWith(algorithm: KeyAlgorithm, name: string): Promise<string> {
  const { privateKey, spki } = await generateKeyPair(algorithm)
  const info = buildCsrInfo({
    subject: nameOf(['CN', name]),
    publicKey: spki,
    requestedExtensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: name }] }],
  })
  const by = signatureAlgorithmFor(algorithm)
  return encodePem('CERTIFICATE REQUEST', assembleSigned(info, by, await signInBackground(by, privateKey, info)))
}

const pemOf = async (certId: string) => (await pki.ada.call(calls.info, { certId })).certificate.pem

describe('an authority and its leaf', () => {
  test.each<KeyAlgorithm>([
    'P-521',
    'Ed448',
    'brainpoolP384r1',
    'secp256k1',
    'ML-DSA-44',
    'ML-DSA-65',
    'ML-DSA-87',
    'SLH-DSA-SHA2-128f',
    'SLH-DSA-SHAKE-192f',
  ])('with %s keys are made, and verify in OpenSSL 3.5', async (keyAlgorithm) => {
    const name = `${keyAlgorithm} Root`
    const { caId } = await pki.ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: name,
      subject: { O: 'Quantum', CN: name },
      keyAlgorithm,
    })
    const root = new X509Certificate((await pki.ada.call(authorities.calls.view, { caId })).certificate?.pem ?? '')
    const templateId = await pki.addTemplate('TLSServer', { caId, issueApprovers: 0, rules: { keys: [keyAlgorithm] } })
    const host = `${keyAlgorithm.toLowerCase()}.example.org`
    const answer = await pki.ada.call(calls.requestForDevice, { templateId, csr: await csrWith(keyAlgorithm, host) })
    expect(answer).toMatchObject({ status: 'issued', error: '' })
    const leaf = new X509Certificate(await pemOf(answer.certificateId ?? ''))
    expect(root.verify(root.publicKey)).toBe(true)
    expect(leaf.checkIssued(root)).toBe(true)
    expect(leaf.verify(root.publicKey)).toBe(true)
    expect(leaf.verify(leaf.publicKey)).toBe(false)
    expect(leaf.checkHost(host)).toBe(host)
    const usages = findExtension(parseCertificate(leaf.raw).extensions, 'keyUsage')?.usages
    expect(usages).toEqual(['digitalSignature'])
  })
})

describe('a key made by the server', () => {
  test.each<KeyAlgorithm>(['Ed448', 'ML-DSA-65'])(
    'of kind %s stands with its certificate in a PKCS#12 that OpenSSL 3.5 loads',
    async (key) => {
      const templateId = await pki.addTemplate('Device', { rules: { keys: [key] } })
      const placed = await pki.ada.call(calls.requestForDevice, { templateId, values: { DNS: ['made.example.org'] } })
      const file = await pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' })
      expect(() => createSecureContext({ pfx: Buffer.from(file.pkcs12, 'base64'), passphrase: 'correct horse' })).not.toThrow()
    },
  )

  test.each<[HolderKey, string]>([
    ['X25519', 'keyAgreement'],
    ['ML-KEM-768', 'keyEncipherment'],
  ])('of kind %s is certified for %s and nothing else', async (key, usage) => {
    const templateId = await pki.addTemplate('Device', {
      rules: { keys: [key] },
      extensions: { keyUsages: ['digitalSignature', 'keyEncipherment', 'keyAgreement'], extendedUsages: [] },
    })
    const placed = await pki.ada.call(calls.requestForDevice, { templateId, key, values: { DNS: ['kem.example.org'] } })
    const file = await pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' })
    const issued = await pki.ada.call(calls.search, { text: 'kem.example.org' })
    const certificate = parseCertificate(new X509Certificate(await pemOf(issued.rows[0]?.certificateId ?? '')).raw)
    expect(certificate.publicKey.algorithm).toBe(key)
    expect(findExtension(certificate.extensions, 'keyUsage')?.usages).toEqual([usage])
    expect(file.pkcs12.length).toBeGreaterThan(1000)
  })

  test('and a request by a key that cannot sign is proven by another certificate of its holder', async () => {
    const signer = await generateKeyPair('P-256')
    const sign = async (info: Uint8Array) =>
      encodePem(
        'CERTIFICATE REQUEST',
        assembleSigned(info, 'ecdsa-with-SHA256', await signInBackground('ecdsa-with-SHA256', signer.privateKey, info)),
      )
    const subject = nameOf(['CN', 'pair.example.org'])
    const own = await pki.addTemplate('Device', { issueApprovers: 0 })
    const values = { DNS: ['pair.example.org'], CommonName: ['pair.example.org'] }
    const first = await pki.ada.call(calls.requestForDevice, {
      templateId: own,
      csr: await sign(buildCsrInfo({ subject, publicKey: signer.spki })),
      values,
    })
    const certificate = parseCertificate(new X509Certificate(await pemOf(first.certificateId ?? '')).raw)

    const kem = await generateKeyPair('ML-KEM-1024')
    const templateId = await pki.addTemplate('Device', {
      issueApprovers: 0,
      rules: { keys: ['ML-KEM-1024'] },
      extensions: { keyUsages: ['keyEncipherment'], extendedUsages: [] },
    })
    const csr = await sign(
      buildCsrInfo({ subject: certificate.subject, publicKey: kem.spki, attributes: [possessionStatement(certificate)] }),
    )
    const answer = await pki.ada.call(calls.requestForDevice, { templateId, csr, values })
    expect(answer).toMatchObject({ status: 'issued', error: '' })
    expect(parseCertificate(new X509Certificate(await pemOf(answer.certificateId ?? '')).raw).publicKey.algorithm).toBe('ML-KEM-1024')

    const elsewhere = possessionStatement({ ...certificate, serialContent: Uint8Array.of(5) })
    const unknown = await sign(buildCsrInfo({ subject: certificate.subject, publicKey: kem.spki, attributes: [elsewhere] }))
    expect((await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr: unknown, values }))).fields[0]?.says).toContain(
      'names no certificate that was issued here',
    )
    const foreign = await sign(
      buildCsrInfo({ subject: nameOf(['CN', 'boss.example.org']), publicKey: kem.spki, attributes: [possessionStatement(certificate)] }),
    )
    expect((await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr: foreign, values }))).fields[0]?.says).toContain(
      'another subject',
    )
  })

  test('and a request by a key that cannot sign is refused with what to do', async () => {
    const { publicKey } = generateKeyPairSync('ml-kem-768')
    const { privateKey } = generateKeyPairSync('ed25519')
    const spki = publicKey.export({ format: 'der', type: 'spki' })
    expect(parsePublicKey(spki).algorithm).toBe('ML-KEM-768')
    const info = buildCsrInfo({ subject: nameOf(['CN', 'kem.example.org']), publicKey: spki })
    const csr = encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'Ed25519', await signInBackground('Ed25519', privateKey, info)))
    const templateId = await pki.addTemplate('Device', { rules: { keys: ['ML-KEM-768'] } })
    expect(
      (await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr, values: { DNS: ['kem.example.org'] } }))).fields[0],
    ).toMatchObject({
      field: 'csr',
      says: expect.stringContaining('cannot sign'),
    })
  })
})
