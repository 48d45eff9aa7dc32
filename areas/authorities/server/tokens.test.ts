import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keys } from '#areas/keys/contract.ts'
import { openSoftHsm, type SoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, refusal, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { authorities } from '../contract.ts'
import { findIssuer, reserve, signReserved, storeSigned } from '../service.ts'

const { calls } = authorities

let hsm: SoftHsm
let house: TestHouse
let acme: TestTenancy
let ada: TestPerson
let tokenId: string

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('ca-a', '246810')
  hsm.token('ca-b', '135790')
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: 'all' })
  tokenId = (await register(ada, 'ca-a', '246810')).tokenId
})
afterAll(async () => {
  await house.close()
  hsm.close()
})

async function register(who: TestPerson, label: string, pin: string) {
  const { modules } = await who.call(keys.calls.found, {})
  const [{ module = '', tokens = [] } = {}] = modules
  const serial = tokens.find((token) => token.label === label)?.serial ?? ''
  return who.call(keys.calls.register, { name: `Token ${label}`, module, label, serial, pin })
}
let count = 0
const draft = (more: object = {}) => ({
  kind: 'root' as const,
  friendlyName: `Root ${(count += 1)}`,
  subject: { CN: `Root ${count}` },
  tokenId,
  ...more,
})
const pemOf = async (caId: string) => (await ada.call(calls.view, { caId })).certificate?.pem ?? ''
function openSslVerify(root: string, ...below: string[]): string {
  const files = [root, ...below].map((pem, at) => {
    const file = join(hsm.folder, `${at}.pem`)
    writeFileSync(file, pem)
    return file
  })
  const { stdout, stderr } = spawnSync(
    'openssl',
    [
      'verify',
      '-x509_strict',
      '-check_ss_sig',
      '-CAfile',
      files[0] ?? '',
      ...files.slice(1, -1).flatMap((file) => ['-untrusted', file]),
      files.at(-1) ?? '',
    ],
    { encoding: 'utf8' },
  )
  return stdout + stderr
}
function gnuTlsVerify(...leafFirst: string[]): string {
  const file = join(hsm.folder, 'chain.pem')
  writeFileSync(file, leafFirst.join('\n'))
  const { stdout, stderr } = spawnSync('certtool', ['--verify-chain', '--infile', file], { encoding: 'utf8' })
  return stdout + stderr
}

describe('An authority whose key is on a token', () => {
  test.each(['RSA-2048', 'P-256', 'P-384', 'P-521', 'Ed25519', 'Ed448'] as const)(
    'with a key %s is made, and OpenSSL and GnuTLS verify it and what it signed',
    async (keyAlgorithm) => {
      const { caId } = await ada.call(calls.create, draft({ keyAlgorithm }))
      const below = await ada.call(calls.create, draft({ kind: 'subordinate', issuerId: caId, keyAlgorithm: 'P-256' }))
      const [root, subordinate] = [await pemOf(caId), await pemOf(below.caId)]
      expect(openSslVerify(root, subordinate)).toMatch(/: OK\n$/)
      expect(gnuTlsVerify(subordinate, root)).toMatch(/Chain verification output: Verified/)
      expect(await ada.call(calls.view, { caId })).toMatchObject({ token: { tokenId, name: 'Token ca-a' }, keyAlgorithm })
    },
  )

  test('may have one that was on the token before, which then belongs to it alone', async () => {
    const objectId = 'a1b2c3d4'
    const made = spawnSync('openssl', [
      'genpkey',
      '-algorithm',
      'RSA',
      '-pkeyopt',
      'rsa_keygen_bits:2048',
      '-out',
      join(hsm.folder, 'old.pem'),
    ])
    expect(made.status).toBe(0)
    hsm.tool('--import', join(hsm.folder, 'old.pem'), '--token', 'ca-a', '--label', 'old root', '--id', objectId, '--pin', '246810')
    const free = (await ada.call(calls.freeKeys, { tokenId })).keys.find(({ label }) => label === 'old root')
    expect(free).toEqual({ objectId, label: 'old root', algorithm: 'RSA-2048' })
    expect(await refusal(ada.call(calls.create, draft({ tokenKeyId: objectId, keyAlgorithm: 'P-256' })))).toMatchObject({
      status: 400,
      fields: [{ field: 'keyAlgorithm' }],
    })
    const { caId } = await ada.call(calls.create, draft({ tokenKeyId: objectId, keyAlgorithm: 'RSA-2048' }))
    expect(openSslVerify(await pemOf(caId))).toMatch(/: OK\n$/)
    expect((await ada.call(calls.freeKeys, { tokenId })).keys.map(({ label }) => label)).not.toContain('old root')
    expect(await refusal(ada.call(calls.create, draft({ tokenKeyId: objectId, keyAlgorithm: 'RSA-2048' })))).toMatchObject({
      fields: [{ field: 'tokenKeyId', says: 'This key is in use already' }],
    })
  })

  test('is refused a kind of key that the token cannot make, and a token that is not there', async () => {
    expect(await refusal(ada.call(calls.create, draft({ keyAlgorithm: 'ML-DSA-65' })))).toMatchObject({
      status: 400,
      fields: [{ field: 'keyAlgorithm' }],
    })
    expect(await refusal(ada.call(calls.create, draft({ tokenId: '018f0000-0000-7000-8000-000000000001' })))).toMatchObject({
      status: 400,
      fields: [{ field: 'tokenId', says: 'Choose one of the tokens' }],
    })
  })

  test('leaves no key on the token where it could not be kept', async () => {
    const before = (await ada.call(calls.freeKeys, { tokenId })).keys.length
    await house.asOwner('revoke insert on events from chancery_app')
    expect(await refusal(ada.call(calls.create, draft({ keyAlgorithm: 'P-256' })))).toMatchObject({ status: 503 })
    await house.asOwner('grant insert on events to chancery_app')
    expect((await ada.call(calls.freeKeys, { tokenId })).keys.length).toBe(before)
  })
})

describe('A token that is taken away', () => {
  test('makes its authorities unavailable; what was begun waits, and is finished with the same bytes when the token is back', async () => {
    const { caId } = await ada.call(calls.create, draft({ keyAlgorithm: 'P-256' }))
    const { id: tenantId } = acme
    const { spki } = await generateKeyPair('P-256')
    const issuer = await inTenant(house.house.database, tenantId, (db) => findIssuer(db, tenantId, caId, house.clock.now()))
    if (issuer === undefined) throw new Error('no issuer')
    const now = house.clock.now()
    const reserved = await house.house.work(tenantId, { name: 'Test' }, ({ db }) =>
      reserve(
        db,
        issuer,
        {
          subject: [],
          notBefore: now,
          notAfter: new Date(now.getTime() + 86_400_000),
          publicKey: spki,
          extensions: [],
          about: { kind: 'certificate', id: tokenId },
        },
        now,
      ),
    )
    hsm.takeAway()
    try {
      await house.runJob(keys.jobs.tokens)
      await expect(signReserved(house.house, issuer, reserved)).rejects.toThrow(
        'The key of the authority is unavailable: the token is not there',
      )
      expect(await ada.call(calls.view, { caId })).toMatchObject({
        unavailable: { says: 'The key of the authority is unavailable: the token is not there' },
      })
      expect(await ada.call(keys.calls.view, { tokenId })).toMatchObject({ state: 'tokenAbsent' })
      const waiting = await ada.call(calls.create, {
        kind: 'subordinate',
        friendlyName: 'Waits',
        subject: { CN: 'Waits' },
        issuerId: caId,
        keyAlgorithm: 'P-256',
      })
      expect(await ada.call(calls.view, { caId: waiting.caId })).toMatchObject({ status: 'PendingCert', certified: false })
      hsm.putBack()
      await house.runJob(keys.jobs.tokens)
      house.clock.advance(61_000)
      await house.runJob(authorities.jobs.finish)
      expect(await ada.call(calls.view, { caId: waiting.caId })).toMatchObject({ status: 'ActiveCert', certified: true })
      expect(openSslVerify(await pemOf(caId), await pemOf(waiting.caId))).toMatch(/: OK\n$/)
    } catch (error) {
      hsm.restore()
      throw error
    }
    expect(await ada.call(calls.view, { caId })).not.toHaveProperty('unavailable')
    const certificate = await signReserved(house.house, issuer, reserved)
    expect(createHash('sha256').update(parseCertificate(certificate).tbs).digest('hex')).toBe(
      createHash('sha256').update(reserved.tbs).digest('hex'),
    )
    expect(await inTenant(house.house.database, tenantId, (db) => storeSigned(db, issuer, reserved.serialHex, certificate, now))).toBe(true)
  })
})
