import { createPrivateKey, generatePrimeSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, refusal, type TestHouse } from '#core/testing/house.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { integer, sequence } from '#standards/der/writer.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { certificates } from '../contract.ts'
import { setAllRevoked } from '../service.ts'
import { openDesk, openSsl, type Desk } from './desk.fixture.ts'

const { calls } = certificates
const tools = openSsl()
let house: TestHouse
let desk: Desk
let open: string

beforeAll(async () => {
  house = await openTestHouse()
  desk = await openDesk(house, tools, 'Acme')
  open = await desk.addTemplate('Device', { issueApprovers: 0 })
})
afterAll(async () => {
  tools.close()
  await house.close()
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

const ask = (csr: string, templateId = open) => desk.ada.call(calls.requestForDevice, { templateId, csr, values: { DNS: ['www.example.org'] } })

/** As the revocation does it, which stands above this room. */
async function revoke(certificateId: string, reason: RevocationReason): Promise<void> {
  await inTenant(house.house.database, desk.tenancy.id, (db) => setAllRevoked(db, desk.tenancy.id, [certificateId], { reason, at: house.clock.now() }))
  house.house.memory.forget()
}

describe('a key whose certificate was revoked for key compromise', () => {
  const says = 'This key cannot be certified again, because a certificate of it was revoked for key compromise'

  test('is certified never again, whatever request it comes in', async () => {
    const { csr, keyFile } = tools.csr()
    const { certificateId } = await ask(csr)
    expect((await ask(csr)).status).toBe('issued')
    await revoke(certificateId ?? '', 'keyCompromise')
    const { csr: another } = tools.csr({ subject: '/CN=other.example.org', keyFile })
    for (const again of [csr, another]) expect((await refusal(ask(again))).fields).toEqual([{ field: 'csr', says, severity: 'error' }])
    expect((await desk.ada.call(calls.check, { entity: 'device', templateId: open, csr })).faults[0]).toMatchObject({ field: 'csr', says })
    expect((await ask(tools.csr().csr)).status).toBe('issued')
  })

  test('is not certified by an approval that comes after the compromise either', async () => {
    const { csr, keyFile } = tools.csr()
    const { certificateId } = await ask(csr)
    const waiting = await ask(tools.csr({ keyFile }).csr, await desk.addTemplate('Device', { issueApprovers: 1 }))
    expect(waiting.status).toBe('under_submission')
    await revoke(certificateId ?? '', 'keyCompromise')
    expect(await desk.bob.call(calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve' })).toMatchObject({ error: says })
  })

  test('counts in its own tenancy, and other reasons block nothing', async () => {
    const { csr } = tools.csr()
    const { certificateId } = await ask(csr)
    await revoke(certificateId ?? '', 'superseded')
    expect((await ask(csr)).status).toBe('issued')
  })
})

test('an RSA key that shares a prime with one seen before is refused, and a key that is certified again shares nothing', async () => {
  const rsa = await desk.addTemplate('Device', { issueApprovers: 0, rules: { keys: ['RSA-2048'] } })
  const [shared, one, two] = Array.from({ length: 3 }, () => generatePrimeSync(1024, { bigint: true }))
  const first = rsaRequest(shared ?? 0n, one ?? 0n)
  expect((await ask(first, rsa)).status).toBe('issued')
  expect((await ask(first, rsa)).status).toBe('issued')
  expect((await refusal(ask(rsaRequest(shared ?? 0n, two ?? 0n), rsa))).fields).toEqual([
    { field: 'csr', says: 'The RSA key shares a prime with another key: anyone who knows both can compute the private keys.', severity: 'error' },
  ])
  expect((await ask(tools.csr({ key: ['rsa:2048'] }).csr, rsa)).status).toBe('issued')
})

test('the key of an authority is not certified as another thing', async () => {
  const { caId } = await desk.ada.call(authorities.calls.create, { kind: 'outside', friendlyName: 'Below', subject: { CN: 'Below' }, keyAlgorithm: 'P-256' })
  const { request } = await desk.ada.call(authorities.calls.view, { caId })
  expect((await refusal(ask(request ?? ''))).fields).toEqual([{ field: 'csr', says: 'This is the key of an authority, and each certificate needs a key of its own', severity: 'error' }])
})
