import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { keys } from '#areas/keys/contract.ts'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { letGoOfAll } from '#areas/keys/server/held-tokens.ts'
import { openSoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { lintCertificate } from '#standards/lint/lint.ts'
import type { ParsedOcspResponse } from '#standards/ocsp/response.ts'
import { checkSignature } from '#standards/x509/algorithms.ts'
import { checkIssuedBy, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { keyIdentifierSha1 } from '#standards/x509/public-key.ts'
import { revocation } from '../contract.ts'
import type { SignedBy } from '../signing.ts'
import { derOf, openRevocations, type Authority } from './revocation.fixture.ts'
import { tables } from './store.ts'

const { calls } = revocation
const day = 86_400_000

const hsm = openSoftHsm()
hsm.token('vault', '246810')
const {
  house,
  acme,
  ada,
  run,
  file,
  authority,
  issue,
  fetchCrl,
  ask: askAnything,
  close,
} = await openRevocations({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
const [module] = (await ada.call(keys.calls.found, {})).modules
const { tokenId } = await ada.call(keys.calls.register, {
  name: 'vault',
  module: module?.module ?? '',
  label: 'vault',
  serial: module?.tokens.find(({ label }) => label === 'vault')?.serial ?? '',
  pin: '246810',
})
afterAll(async () => {
  hsm.restore()
  await close()
  hsm.close()
})

// OpenSSL's clock does not move: each test gives back the time that it took.
let moved = 0
function later(milliseconds: number): void {
  moved += milliseconds
  house.clock.advance(milliseconds)
}
afterEach(async () => {
  later(-moved)
  hsm.restore()
  letGoOfAll(house.house)
  await ada.call(keys.calls.check, { tokenId })
})

const signBy = (ca: Authority, signedBy: SignedBy) =>
  ada.call(calls.setPublication, { caId: ca.caId, shards: 0, delta: false, deltaMinutes: 60, responderId: 'byKey', signedBy })
const renew = () => house.runJob(revocation.jobs.signers)
/** The newest first. */
const signersOf = (ca: Authority) =>
  inTenant(house.house.database, acme.id, (db) =>
    tables(db)
      .selectFrom('ocsp_signers')
      .selectAll()
      .where('tenant_id', '=', acme.id)
      .where('ca_id', '=', ca.caId)
      .orderBy('made_at', 'desc')
      .execute(),
  )
const openssl = (ca: Authority, leaf: string, ...more: string[]) =>
  run(
    'openssl',
    'ocsp',
    '-issuer',
    ca.file,
    '-cert',
    leaf,
    '-url',
    `${house.origin}/pki/ocsp/${ca.publicId}`,
    '-CAfile',
    ca.file,
    '-timeout',
    '5',
    ...more,
  )

let nonces = 0
/** An answer with a nonce, which no memory gives. */
async function ask(ca: Authority, serial: string): Promise<ParsedOcspResponse> {
  const answer = await askAnything(ca, serial, Buffer.alloc(32, (nonces += 1)))
  if (!('responses' in answer)) throw new Error(`The responder says ${answer.status}`)
  return answer
}

/** Who signed the answer, after a check of everything that a relying party checks (RFC 6960 3.2 and 4.2.2.2). */
function verified(answer: ParsedOcspResponse, ca: Authority, at: Date): 'authority' | Certificate {
  const [carried] = answer.certificates
  const signer = carried === undefined ? ca.certificate : parseCertificate(carried)
  expect(checkSignature(answer.signatureAlgorithm, signer.publicKey.spki, answer.responseData, answer.signature)).toEqual({ ok: true })
  expect(answer.responderId).toEqual({ byKey: new Uint8Array(keyIdentifierSha1(signer.publicKey)) })
  if (signer === ca.certificate) return 'authority'
  expect(checkIssuedBy(signer, ca.certificate)).toEqual({ ok: true })
  expect(Buffer.compare(signer.issuerEncoded, ca.certificate.subjectEncoded)).toBe(0)
  expect(findExtension(signer.extensions, 'extKeyUsage')?.purposes).toEqual(['1.3.6.1.5.5.7.3.9'])
  expect([signer.notBefore <= at, signer.notAfter > at]).toEqual([true, true])
  return signer
}
const nameOf = (who: 'authority' | Certificate) => (who === 'authority' ? who : who.serialHex)
/** Polled after a change: answers by the signer before are told for as long as a lease lasts. */
const namedIn =
  (ca: Authority, serial = '01') =>
  async () =>
    nameOf(verified(await ask(ca, serial), ca, house.clock.now()))

describe('Answers signed by a signer of their own', () => {
  test.each<KeyAlgorithm>(['P-256', 'RSA-2048'])('are believed by OpenSSL and GnuTLS, for an authority with %s', async (algorithm) => {
    const ca = await authority(algorithm)
    const leaf = await issue(ca)
    await signBy(ca, 'signer')
    expect(verified(await ask(ca, leaf.serial), ca, house.clock.now())).toBe('authority')
    await renew()
    const { signer } = await ada.call(calls.publication, { caId: ca.caId })
    expect(signer).toMatchObject({ key: 'P-256' })
    await expect.poll(namedIn(ca, leaf.serial)).toBe(signer?.serialNumber)
    const shown = await openssl(ca, leaf.file, '-resp_text', '-respout', 'answer.der')
    expect(shown).toMatch(/Response verify OK[\s\S]*: good/)
    expect(shown).toContain('OCSP No Check')
    expect(
      await run('ocsptool', '--verify-response', '--load-response', 'answer.der', '--load-signer', file('signer.pem', signer?.pem ?? '')),
    ).toMatch(/Verifying OCSP Response: Success/)
    expect(await namedIn(ca, leaf.serial)()).toBe(signer?.serialNumber)
  })

  test('of a post-quantum authority are signed by a post-quantum signer', async () => {
    const ca = await authority('ML-DSA-65')
    await signBy(ca, 'signer')
    await renew()
    const who = verified(await ask(ca, '01'), ca, house.clock.now())
    expect(who === 'authority' ? who : who.publicKey.algorithm).toBe('ML-DSA-44')
  })

  test('stay believable when the signer is renewed, well before its end', async () => {
    const ca = await authority('P-256')
    await signBy(ca, 'signer')
    await renew()
    const before = await ask(ca, '01')
    const first = verified(before, ca, house.clock.now())
    later(19 * day)
    await renew()
    expect(await namedIn(ca)()).toBe(nameOf(first))
    later(1.5 * day)
    expect((await ada.call(calls.publication, { caId: ca.caId })).signerDue).toBe(true)
    await renew()
    const { signer: renewed } = await ada.call(calls.publication, { caId: ca.caId })
    expect(renewed?.serialNumber).not.toBe(nameOf(first))
    await expect.poll(namedIn(ca)).toBe(renewed?.serialNumber)
    expect(nameOf(verified(before, ca, house.clock.now()))).toBe(nameOf(first))
    expect((await signersOf(ca)).map(({ ended_as: as }) => as)).toEqual([null, 'renewed'])

    later(2 * 3_600_000)
    await renew()
    expect((await signersOf(ca)).map(({ key_destroyed: gone }) => gone)).toEqual([false, true])
    expect(await namedIn(ca)()).toBe(renewed?.serialNumber)
  })

  test('are signed by the authority again where the signer has ended, or nobody wants one', async () => {
    const ca = await authority('P-256')
    await signBy(ca, 'signer')
    await renew()
    later(30 * day)
    expect(verified(await ask(ca, '01'), ca, house.clock.now())).toBe('authority')
    await renew()
    await expect.poll(namedIn(ca)).not.toBe('authority')
    await signBy(ca, 'authority')
    await expect.poll(namedIn(ca)).toBe('authority')
    await renew()
    expect((await signersOf(ca)).map(({ ended_as: as }) => as)).toEqual(['unwanted', 'renewed'])
  })
})

describe('The certificate of a signer', () => {
  test('is for answers alone, says that nobody need ask about it, names no address, and passes the lint', async () => {
    const ca = await authority('P-256')
    await signBy(ca, 'signer')
    await ada.call(authorities.calls.setIssuing, { caId: ca.caId, issuing: false })
    await renew()
    const { signer } = await ada.call(calls.publication, { caId: ca.caId })
    const certificate = parseCertificate(derOf(signer?.pem ?? ''))
    expect(certificate.extensions.map(({ type }) => type).sort()).toEqual([
      'authorityKeyIdentifier',
      'basicConstraints',
      'extKeyUsage',
      'keyUsage',
      'ocspNoCheck',
      'subjectKeyIdentifier',
    ])
    expect(lintCertificate(certificate.encoded).filter(({ severity }) => severity !== 'warn')).toEqual([])
    expect(certificate.notAfter.getTime() - house.clock.now().getTime()).toBeLessThanOrEqual(30 * day)
  })

  test('is on record before it is signed, and is known to the responder', async () => {
    const ca = await authority('P-256')
    await signBy(ca, 'signer')
    await renew()
    const { signer } = await ada.call(calls.publication, { caId: ca.caId })
    const events = (await audited(house, acme.id)).filter(({ about }) => about === ca.caId).map(({ name }) => name)
    expect(events.filter((name) => name !== 'listRecorded').slice(-3)).toEqual(['publicationSet', 'signerRecorded', 'signerCertified'])
    expect((await ask(ca, signer?.serialNumber ?? '')).responses[0]?.status).toBe('good')
    await renew()
    expect(await signersOf(ca)).toHaveLength(1)
  })

  test('ends with its authority and is then not renewed for nothing', async () => {
    const { caId } = await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Short',
      subject: { CN: 'Short' },
      validityPeriod: 10,
      validityPeriodUnits: 'DAYS',
    })
    await ada.call(calls.setPublication, { caId, shards: 0, delta: false, deltaMinutes: 60, responderId: 'byKey', signedBy: 'signer' })
    await renew()
    const { signer } = await ada.call(calls.publication, { caId })
    expect(signer?.renewsAt).toBeUndefined()
    later(9 * day)
    await renew()
    expect((await ada.call(calls.publication, { caId })).signer?.serialNumber).toBe(signer?.serialNumber)
  })
})

describe('A signer whose key is exposed', () => {
  test('signs no more from that moment on, is revoked, and another takes over', async () => {
    const ca = await authority('P-256')
    const leaf = await issue(ca)
    expect(await ada.call(calls.replaceSigner, { caId: ca.caId }).catch((error: unknown) => error)).toMatchObject({
      status: 409,
      code: 'noSigner',
    })
    await signBy(ca, 'signer')
    await renew()
    const first = verified(await ask(ca, leaf.serial), ca, house.clock.now())
    expect(await ada.call(calls.replaceSigner, { caId: ca.caId })).toEqual({ waits: false })
    const second = verified(await ask(ca, leaf.serial), ca, house.clock.now())
    expect([nameOf(second) === nameOf(first), second === 'authority']).toEqual([false, false])
    expect((await ask(ca, nameOf(first))).responses[0]).toMatchObject({ status: 'revoked', reason: 'keyCompromise' })
    await expect.poll(async () => parseCrl(await fetchCrl(ca)).find(Buffer.from(nameOf(first), 'hex'))?.reason).toBe('keyCompromise')
    expect(await openssl(ca, leaf.file)).toMatch(/Response verify OK[\s\S]*: good/)
  })
})

describe('An authority whose key lives on a token', () => {
  test('answers by its signer while the token is away, and renews it when the token is back', async () => {
    const ca = await authority('RSA-2048', { tokenId })
    const leaf = await issue(ca)
    await signBy(ca, 'signer')
    await renew()
    hsm.takeAway()
    letGoOfAll(house.house)
    expect(await openssl(ca, leaf.file)).toMatch(/Response verify OK[\s\S]*: good/)
    const { signer } = await ada.call(calls.publication, { caId: ca.caId })
    later(25 * day)
    await renew()
    const [waiting] = await signersOf(ca)
    expect(waiting?.certificate).toBeNull()
    expect(await namedIn(ca, leaf.serial)()).toBe(signer?.serialNumber)
    hsm.putBack()
    letGoOfAll(house.house)
    // A token that is not back yet is tried again at the job's next time.
    await expect.poll(() => renew().then(namedIn(ca, leaf.serial))).toBe(waiting?.serial_hex)
  })

  test("can have its signer's key there, too; one in software cannot", async () => {
    const ca = await authority('P-256', { tokenId })
    await signBy(ca, 'signerOnToken')
    await renew()
    expect(nameOf(verified(await ask(ca, '01'), ca, house.clock.now()))).toBe(
      (await ada.call(calls.publication, { caId: ca.caId })).signer?.serialNumber,
    )
    const held = (await ada.call(keys.calls.keysOn, { tokenId })).keys.filter(({ label }) => label.endsWith(' OCSP'))
    expect(held).toMatchObject([{ algorithm: 'P-256', inUse: true }])
    const soft = await authority('P-256')
    expect(await signBy(soft, 'signerOnToken').catch((error: unknown) => error)).toMatchObject({
      status: 400,
      fields: [{ field: 'signedBy', says: 'The key of this authority lives on no token' }],
    })
  })

  test('gives what is made for nothing back: a signer that nobody wants before it is signed is never signed', async () => {
    const ca = await authority('P-256', { tokenId })
    await signBy(ca, 'signer')
    hsm.takeAway()
    letGoOfAll(house.house)
    await renew()
    const [waiting] = await signersOf(ca)
    expect(waiting).toMatchObject({ certificate: null, ended_at: null })
    await signBy(ca, 'authority')
    hsm.putBack()
    letGoOfAll(house.house)
    await renew()
    expect(await signersOf(ca)).toMatchObject([{ certificate: null, ended_as: 'unwanted' }])
    expect((await ask(ca, waiting?.serial_hex ?? '')).responses[0]?.status).toBe('unknown')
  })
})

test("Another tenancy's authority is not there, for its settings and its signer alike", async () => {
  const ca = await authority('P-256')
  const eve = await (await house.tenancy('Globex')).person({ permissions: 'all' })
  for (const call of [calls.replaceSigner, calls.publication])
    expect(await eve.call(call, { caId: ca.caId }).catch((error: unknown) => error)).toMatchObject({ status: 404 })
})
