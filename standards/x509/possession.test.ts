import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { nullValue, sequence } from '../der/writer.ts'
import { signWith } from './algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate, type Certificate } from './certificate.ts'
import { buildCsrInfo, parseCsr, verifyCsr, type CsrAttribute } from './csr.ts'
import type { Extension } from './extension-types.ts'
import { nameOf, type Name } from './names.ts'
import { OIDS } from './oids.ts'
import { possessionStatement, readPossessionStatement, verifyPossession } from './possession.ts'

const spkiOf = ({ publicKey }: { publicKey: { export(options: { type: 'spki'; format: 'der' }): Buffer } }) =>
  publicKey.export({ type: 'spki', format: 'der' })
const signerKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const names = (...values: string[]): Extension => ({
  type: 'subjectAltName',
  critical: false,
  names: values.map((value) => ({ type: 'dNSName', value })),
})
const subject = nameOf(['CN', 'a.example'])

function certificateOf(more: Partial<{ serial: number; extensions: Extension[] }> = {}): Certificate {
  const tbs = buildTbsCertificate({
    serialNumber: Uint8Array.of(more.serial ?? 200),
    signatureAlgorithm: 'ecdsa-with-SHA256',
    issuer: nameOf(['CN', 'CA']),
    subject,
    publicKey: spkiOf(signerKey),
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2027-01-01'),
    extensions: more.extensions ?? [{ type: 'keyUsage', critical: true, usages: ['digitalSignature'] }, names('a.example', 'b.example')],
  })
  return parseCertificate(assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', signerKey.privateKey, tbs)))
}
const signer = certificateOf()

function requestFor(
  publicKey: Uint8Array,
  more: Partial<{ attributes: CsrAttribute[]; asked: Extension[]; subject: Name; by: typeof signerKey.privateKey }> = {},
) {
  const info = buildCsrInfo({
    subject: more.subject ?? subject,
    publicKey,
    requestedExtensions: more.asked ?? [names('b.example')],
    attributes: more.attributes ?? [possessionStatement(signer)],
  })
  return parseCsr(assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', more.by ?? signerKey.privateKey, info)))
}
const check = (csr: ReturnType<typeof requestFor>, by = signer) => {
  const statement = readPossessionStatement(csr)
  return statement === undefined ? 'no statement' : verifyPossession(csr, statement, by)
}
const kem = spkiOf(generateKeyPairSync('ml-kem-768'))

describe('a request for a key that cannot sign', () => {
  test.each([
    ['ML-KEM-768', kem],
    ['X25519', spkiOf(generateKeyPairSync('x25519'))],
    ['X448', spkiOf(generateKeyPairSync('x448'))],
  ])('%s is proven by the certificate of another key of the same subject', (_, spki) => {
    expect(check(requestFor(spki))).toEqual({ ok: true })
    expect(verifyCsr(requestFor(spki)).ok).toBe(false)
  })

  test('names its signer by issuer and serial number, with the certificate or without', () => {
    expect(readPossessionStatement(requestFor(kem))).toMatchObject({ serialNumber: Uint8Array.of(200) })
    const brought = readPossessionStatement(requestFor(kem, { attributes: [possessionStatement(signer, true)] }))
    expect(Buffer.from(brought?.certificate ?? []).equals(signer.encoded)).toBe(true)
    expect(readPossessionStatement(requestFor(kem, { attributes: [] }))).toBeUndefined()
  })

  test.each<[string, () => ReturnType<typeof check>, string]>([
    [
      'signed by another key',
      () => check(requestFor(kem, { by: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey })),
      'does not match',
    ],
    ['that names another certificate', () => check(requestFor(kem), certificateOf({ serial: 7 })), 'names another certificate'],
    ['for another subject', () => check(requestFor(kem, { subject: nameOf(['CN', 'c.example']) })), 'another subject'],
    [
      'for a name that the signer has not',
      () => check(requestFor(kem, { asked: [names('b.example', 'c.example')] })),
      'an alternative name',
    ],
    [
      'by a certificate that is not for signatures',
      () => check(requestFor(kem), certificateOf({ extensions: [{ type: 'keyUsage', critical: true, usages: ['keyAgreement'] }] })),
      'not for signatures',
    ],
    ['for a key that can sign', () => check(requestFor(spkiOf(generateKeyPairSync('ed25519')))), 'must be signed by itself'],
    ['for a broken key', () => check(requestFor(Buffer.concat([kem.subarray(0, 22), Buffer.alloc(kem.length - 22, 0xff)]))), 'coefficient'],
  ])('%s is refused', (_, checked, reason) => {
    expect(checked()).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
  })

  test('with a malformed statement is refused where it is', () => {
    const broken =
      (...values: Uint8Array[]) =>
      () =>
        readPossessionStatement({ attributes: [{ type: OIDS.statementOfPossession, values }] })
    expect(broken(sequence())).toThrow('statementOfPossession: The field signer is missing')
    expect(broken(nullValue())).toThrow('Expected SEQUENCE')
    expect(broken(nullValue(), nullValue())).toThrow('one value')
  })
})
