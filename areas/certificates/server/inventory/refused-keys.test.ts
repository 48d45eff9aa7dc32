import { createPrivateKey, generateKeyPairSync, generatePrimeSync } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { integer, sequence } from '#standards/der/writer.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate } from '#standards/x509/certificate.ts'
import { attribute } from '#standards/x509/names.ts'
import { certificates } from '../../contract.ts'
import { insertExternal, setAllRevoked } from '../../service.ts'
import { openIssuing, openSsl } from '../issuing.fixture.ts'

const { calls } = certificates
const tools = openSsl()

const house = await useHouse()
const pki = await openIssuing(house, tools, 'Acme')
const open = await pki.addTemplate('Device', { issueApprovers: 0 })
afterAll(async () => {
  tools.close()
})

/** A CSR by openssl for the key of these two primes. */
function rsaRequest(p: bigint, q: bigint): string {
  const [e, lambda] = [65_537n, (p - 1n) * (q - 1n)]
  const d = inverse(e, lambda)
  const numbers = [p * q, e, d, p, q, d % (p - 1n), d % (q - 1n), inverse(q, p)].map((number) => integer(number))
  const key = createPrivateKey({ key: Buffer.from(sequence(integer(0), ...numbers)), format: 'der', type: 'pkcs1' })
  return tools.csr({ keyFile: tools.write(key.export({ format: 'pem', type: 'pkcs8' })) }).csr
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n]
  while (a > 1n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x]
  return ((x % modulus) + modulus) % modulus
}

const ask = (csr: string, templateId = open) =>
  pki.ada.call(calls.requestForDevice, { templateId, csr, values: { DNS: ['www.example.org'] } })

/** As the revocation does it, which stands above this room. */
async function revoke(certificateId: string, reason: RevocationReason): Promise<void> {
  await inTenant(house.house.database, pki.tenancy.id, (db) =>
    setAllRevoked(db, pki.tenancy.id, [certificateId], { reason, at: house.clock.now() }),
  )
  house.house.cache.forget()
}

describe('a key whose certificate was revoked for key compromise', () => {
  const says = 'This key cannot be certified again, because a certificate of it was revoked for key compromise'

  test('is certified never again, whatever request it comes in', async () => {
    const { csr, keyFile } = tools.csr()
    const { certificateId } = await ask(csr)
    expect((await ask(csr)).status).toBe('issued')
    await revoke(certificateId ?? '', 'keyCompromise')
    const { csr: another } = tools.csr({ subject: '/CN=other.example.org', keyFile })
    for (const again of [csr, another])
      expect((await refusal(ask(again))).fields).toEqual([{ code: 'keyCompromised', field: 'csr', says, severity: 'error' }])
    expect((await pki.ada.call(calls.check, { entity: 'device', templateId: open, csr })).faults[0]).toMatchObject({ field: 'csr', says })
    expect((await ask(tools.csr().csr)).status).toBe('issued')
  })

  test('is not certified by an approval that comes after the compromise either', async () => {
    const { csr, keyFile } = tools.csr()
    const { certificateId } = await ask(csr)
    const waiting = await ask(tools.csr({ keyFile }).csr, await pki.addTemplate('Device', { issueApprovers: 1 }))
    expect(waiting.status).toBe('under_submission')
    await revoke(certificateId ?? '', 'keyCompromise')
    expect(await pki.bob.call(calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve' })).toMatchObject({ error: says })
  })

  test('counts in its own tenancy, and other reasons block nothing', async () => {
    const { csr } = tools.csr()
    const { certificateId } = await ask(csr)
    await revoke(certificateId ?? '', 'superseded')
    expect((await ask(csr)).status).toBe('issued')
  })
})

test('an RSA key that shares a prime with one seen before is refused, and a key that is certified again shares nothing', async () => {
  const rsa = await pki.addTemplate('Device', { issueApprovers: 0, rules: { keys: ['RSA-2048'] } })
  const [shared, one, two] = Array.from({ length: 3 }, () => generatePrimeSync(1024, { bigint: true }))
  const first = rsaRequest(shared ?? 0n, one ?? 0n)
  expect((await ask(first, rsa)).status).toBe('issued')
  expect((await ask(first, rsa)).status).toBe('issued')
  expect((await refusal(ask(rsaRequest(shared ?? 0n, two ?? 0n), rsa))).fields).toEqual([
    {
      code: 'rsaSharedFactor',
      field: 'csr',
      says: 'The RSA key shares a prime with another key: anyone who knows both can compute the private keys.',
      severity: 'error',
    },
  ])
  expect((await ask(tools.csr({ key: ['rsa:2048'] }).csr, rsa)).status).toBe('issued')
})

test('an RSA key is compared with those seen before, also after a certificate that begins far ahead was brought, and with one that was stored late', async () => {
  const rsa = await pki.addTemplate('Device', { issueApprovers: 0, rules: { keys: ['RSA-2048'] } })
  const another = () => ask(tools.csr({ key: ['rsa:2048'] }).csr, rsa)
  const says = [{ code: 'rsaSharedFactor', field: 'csr', says: expect.stringMatching(/shares a prime/) as string, severity: 'error' }]
  const [shared, one, two, three, four, five] = Array.from({ length: 6 }, () => generatePrimeSync(1024, { bigint: true }))
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = [[attribute('CN', 'Far ahead')]]
  const tbs = buildTbsCertificate({
    serialNumber: Uint8Array.of(1, 2, 3),
    signatureAlgorithm: 'ecdsa-with-SHA256',
    issuer: name,
    subject: name,
    notBefore: new Date('2090-01-01'),
    notAfter: new Date('2091-01-01'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    extensions: [],
  })
  const ahead = parseCertificate(assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, tbs)))
  await inTenant(house.house.database, pki.tenancy.id, (db) =>
    insertExternal(
      db,
      pki.tenancy.id,
      [ahead],
      { uploader: { userId: pki.ada.id, username: pki.ada.username }, friendlyName: '', contactEmail: '' },
      house.clock.now(),
    ),
  )
  expect((await another()).status).toBe('issued')
  expect((await ask(rsaRequest(shared ?? 0n, one ?? 0n), rsa)).status).toBe('issued')
  expect((await refusal(ask(rsaRequest(shared ?? 0n, two ?? 0n), rsa))).fields).toEqual(says)

  // One is stored only after a later one was seen.
  const { certificateId } = await ask(rsaRequest(three ?? 0n, four ?? 0n), rsa)
  await house.asOwner(`create table late as select * from certificates where id = '${certificateId}'`)
  await house.asOwner(`delete from certificates where id = '${certificateId}'`)
  for (const _ of [1, 2]) expect((await another()).status).toBe('issued')
  await house.asOwner('insert into certificates select * from late')
  expect((await refusal(ask(rsaRequest(three ?? 0n, five ?? 0n), rsa))).fields).toEqual(says)
})

test('the key of an authority is not certified as another thing', async () => {
  const { caId } = await pki.ada.call(authorities.calls.create, {
    kind: 'outside',
    friendlyName: 'Below',
    subject: { CN: 'Below' },
    keyAlgorithm: 'P-256',
  })
  const { request } = await pki.ada.call(authorities.calls.view, { caId })
  expect((await refusal(ask(request ?? ''))).fields).toEqual([
    {
      code: 'keyOfAuthority',
      field: 'csr',
      says: 'This is the key of an authority, and each certificate needs a key of its own',
      severity: 'error',
    },
  ])
})
