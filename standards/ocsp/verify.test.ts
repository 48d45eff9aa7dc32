import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signWith } from '../x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate, type Certificate } from '../x509/certificate.ts'
import type { Extension } from '../x509/extension-types.ts'
import { KEY_PURPOSES } from '../x509/key-purposes.ts'
import { nameOf } from '../x509/names.ts'
import { certIdFor } from './cert-id.ts'
import { assembleOcspResponse, buildOcspResponseData, parseOcspResponse, responderIdOf, type ParsedOcspResponse } from './response.ts'
import { verifyOcspResponse, type OcspQuestion } from './verify.ts'

const hour = 3_600_000
const now = new Date('2026-11-21T12:00:00Z')
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds)

type Party = { certificate: Certificate; key: KeyObject }

function party(
  name: string,
  issuer: Party | undefined,
  extensions: Extension[],
  life = { notBefore: at(-hour), notAfter: at(hour) },
): Party {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = nameOf(['CN', name])
  const tbs = buildTbsCertificate({
    serialNumber: Buffer.from(name),
    signatureAlgorithm: 'ecdsa-with-SHA256',
    issuer: issuer?.certificate.subject ?? subject,
    subject,
    ...life,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    extensions,
  })
  return {
    key: privateKey,
    certificate: parseCertificate(assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', issuer?.key ?? privateKey, tbs))),
  }
}

const authorityExtensions: Extension[] = [{ type: 'basicConstraints', critical: true, cA: true }]
const signerExtensions: Extension[] = [{ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.OCSPSigning] }]
const root = party('root', undefined, authorityExtensions)
const other = party('other', undefined, authorityExtensions)
const signer = party('signer', root, signerExtensions)

type Making = { by?: Party; carried?: Party[]; signedWith?: KeyObject; thisUpdate?: Date; nextUpdate?: Date; nonce?: Uint8Array }
const certId = certIdFor(root.certificate, Buffer.of(7))

function answer({
  by = root,
  carried = [],
  signedWith = by.key,
  thisUpdate = at(-1000),
  nextUpdate = at(hour),
  nonce,
}: Making = {}): ParsedOcspResponse {
  const responseData = buildOcspResponseData({
    responderId: responderIdOf(by.certificate),
    producedAt: thisUpdate,
    responses: [{ status: 'good', certId, thisUpdate, nextUpdate }],
    nonce,
  })
  const parsed = parseOcspResponse(
    assembleOcspResponse({
      responseData,
      signatureAlgorithm: 'ecdsa-with-SHA256',
      signature: signWith('ecdsa-with-SHA256', signedWith, responseData),
      certificates: carried.map(({ certificate }) => certificate.encoded),
    }),
  )
  if (parsed.status !== 'successful') throw new Error(`The answer says ${parsed.status}`)
  return parsed
}
const verdict = (made: ParsedOcspResponse, question: Partial<OcspQuestion> = {}) =>
  verifyOcspResponse(made, { certId, issuer: root.certificate, now, ...question })
const nonce = Buffer.alloc(32, 1)

describe('An OCSP answer is believed', () => {
  test('by the issuer itself, and by whom it gave the right to', () => {
    expect(verdict(answer())).toMatchObject({ ok: true, response: { status: 'good' } })
    const delegated = verdict(answer({ by: signer, carried: [signer], nonce }), { nonce })
    expect(delegated.ok && delegated.signer.serialHex).toBe(signer.certificate.serialHex)
  })
  test('with clocks that are a few minutes apart', () => {
    expect(verdict(answer({ thisUpdate: at(200_000) })).ok).toBe(true)
    expect(verdict(answer({ thisUpdate: at(200_000) }), { toleranceMilliseconds: 0 })).toEqual({ ok: false, fault: 'notYet' })
  })
  test('with rubbish beside its signer, which does no harm', () => {
    const made = answer({ by: signer, carried: [signer] })
    expect(verdict({ ...made, certificates: [Buffer.from('3003020101', 'hex'), ...made.certificates] }).ok).toBe(true)
  })
})

describe('An OCSP answer is not believed', () => {
  const forClients = party('clients', root, [{ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.clientAuth] }])
  const ended = party('ended', root, signerExtensions, { notBefore: at(-hour), notAfter: at(-1000) })
  const stranger = party('stranger', other, signerExtensions)
  // Says that the root issued it, and was signed by another.
  const forged = party('forged', { ...root, key: other.key }, signerExtensions)
  test.each<[string, Making, Partial<OcspQuestion>, string]>([
    ['about another certificate', {}, { certId: certIdFor(root.certificate, Buffer.of(8)) }, 'otherCertificate'],
    ['without the nonce', {}, { nonce }, 'otherNonce'],
    ['with another nonce', { nonce: Buffer.alloc(32, 2) }, { nonce }, 'otherNonce'],
    ['by a signer whose certificate is not there', { by: signer }, {}, 'unknownSigner'],
    ['by a signer of another purpose', { by: forClients, carried: [forClients] }, {}, 'unauthorisedSigner'],
    ['by a signer of another authority', { by: stranger, carried: [stranger] }, {}, 'unauthorisedSigner'],
    ['by a signer with a forged certificate', { by: forged, carried: [forged] }, {}, 'unauthorisedSigner'],
    ['by a signer that has ended', { by: ended, carried: [ended] }, {}, 'signerNotValid'],
    ['with a wrong signature', { signedWith: other.key }, {}, 'wrongSignature'],
    ['of a time to come', { thisUpdate: at(hour) }, {}, 'notYet'],
    ['that is too old', { thisUpdate: at(-2 * hour), nextUpdate: at(-hour) }, {}, 'tooOld'],
  ])('%s', (_what, making, question, fault) => expect(verdict(answer(making), question)).toEqual({ ok: false, fault }))
})
