// The client against our own ACME server in another tenancy of the same house, over TLS: the six steps, renewal, what goes wrong, and who may what.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { refusal } from '#core/testing/house.ts'
import { until } from '#core/testing/until.ts'
import { decodePem, encodePem } from '#standards/pem/pem.ts'
import { readPkcs12 } from '#standards/pkcs12/read.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { ordering } from '../contract.ts'
import { readChain } from './certificate-key.ts'
import { findOrder } from './order-store.ts'
import { openOrdering, type OrderingFixture } from './ordering.fixture.ts'
import { OrderFault } from './wire.ts'

let on: OrderingFixture
beforeAll(async () => {
  on = await openOrdering()
})
afterAll(() => on.close())

const { calls } = ordering

describe('An order', () => {
  test('goes through the six steps by itself, and its certificate stands in the inventory with owner and source', async () => {
    on.front.asked.length = 0
    const id = await on.start(['www.example.org', 'example.org'])
    const order = await on.settled(id)
    expect(order).toMatchObject({ step: 'done', runs: false, keyWaits: true, mine: true })
    const posts = on.front.asked.filter((one) => one.startsWith('POST')).map((one) => one.slice(5))
    expect([...new Set(posts)]).toEqual([
      '/new-account',
      '/new-order',
      '/authz/ID',
      '/challenge/ID',
      '/order/ID',
      '/order/ID/finalize',
      '/certificate/ID',
    ])
    expect(order.nonces).toEqual(['registration', 'order', 'validation', 'finalisation'])
    const { certificate } = await on.kim.call(certificates.calls.info, { certId: order.certificateId ?? '' })
    expect(new X509Certificate(certificate.pem).subjectAltName?.split(', ').toSorted()).toEqual(['DNS:example.org', 'DNS:www.example.org'])
    const { rows } = await on.kim.call(certificates.calls.search, { text: 'www.example.org', source: ['acme'] })
    expect(rows).toMatchObject([{ certificateId: order.certificateId, owner: expect.stringContaining('Kim') }])
    const { rows: served } = await on.admin.call(acme.calls.orders, { text: 'www.example.org' })
    expect(served).toMatchObject([{ status: 'valid' }])
  })

  test('goes step by step where somebody takes each', async () => {
    const name = 'steps.example.org'
    const id = await on.start([name], { proof: 'file' })
    const waiting = await on.settled(id)
    expect(waiting).toMatchObject({ step: 'validation', runs: false })
    const [authorization] = waiting.authorizations
    expect(authorization?.place).toMatch(/^http:\/\/steps\.example\.org\/\.well-known\/acme-challenge\/[\w-]+$/)
    const { results } = await on.kim.call(calls.check, { id })
    expect(results).toMatchObject([{ name, ok: false }])
    on.web.answer = undefined
    on.web.files.set(new URL(authorization?.place ?? '').pathname, authorization?.value ?? '')
    const refused = await refusal(on.kim.call(calls.finalise, { id }))
    expect(refused).toMatchObject({ status: 409, code: 'notNow' })
    let order = await on.kim.call(calls.validate, { id })
    const validated = async () => (order = await on.kim.call(calls.validate, { id })).step !== 'validation' || order.problem !== undefined
    if (order.step === 'validation' && order.problem === undefined)
      await until('the end of the validation', validated, { state: () => order })
    expect(order.step).toBe('finalisation')
    order = await on.kim.call(calls.finalise, { id })
    expect(order.step).toBe('certificate')
    order = await on.kim.call(calls.certificate, { id })
    expect(order.step).toBe('done')
    expect(order.attempts.map(({ step }) => step).toReversed()).toEqual([
      'registration',
      'order',
      'authorization',
      'validation',
      'finalisation',
      'certificate',
    ])
  })

  test('is cleared: its four nonces, authorisations, key and CSR are gone, and what was obtained stays', async () => {
    const id = await on.start(['cleared.example.org'])
    const before = await on.settled(id)
    await on.kim.call(calls.renewNow, { id })
    const renewed = await on.settled(id)
    expect(renewed.nonces.length).toBe(4)
    const cleared = await on.kim.call(calls.clear, { id })
    expect(cleared).toMatchObject({ step: 'registration', nonces: [], authorizations: [], runs: false })
    expect(cleared.orderUrl).toBeUndefined()
    expect(cleared.certificateId).toBe(renewed.certificateId)
    expect(cleared.certificateId).not.toBe(before.certificateId)
  })

  test('tells what its authority saw where a name is not proven, and is ordered anew', async () => {
    const id = await on.start(['wrong.example.org'], { proof: 'file' })
    const waiting = await on.settled(id)
    on.web.answer = () => ({ status: 404, body: 'not here' })
    const [{ place } = { place: '' }] = waiting.authorizations
    expect(place).toContain('wrong.example.org')
    await on.kim.call(calls.goOn, { id })
    const failed = await on.settled(id)
    expect(failed.problem).toMatchObject({ type: 'validationFailed', detail: expect.stringContaining('The server answered 404') })
    expect(failed.runs).toBe(false)
    await on.kim.call(calls.goOn, { id })
    const again = await on.settled(id)
    expect([again.step, again.problem]).toEqual(['validation', undefined])
    expect(again.orderUrl).not.toBe(waiting.orderUrl)
  })
})

test('An authority that asks for a proof of another name than was ordered gets none', async () => {
  on.front.answer = (asked) =>
    asked === 'POST /authz/ID'
      ? {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            status: 'pending',
            identifier: { type: 'dns', value: 'victim.example.org' },
            challenges: [{ type: 'http-01', url: `${on.origin}/other`, token: 'x'.repeat(43) }],
          }),
        }
      : undefined
  const order = await on.settled(await on.start(['named.example.org']))
  on.front.answer = undefined
  expect(order.problem).toMatchObject({
    type: 'orderInvalid',
    detail: 'The authority asks for a proof of victim.example.org, and named.example.org was ordered',
  })
})

test('A key that was made here is collected once, by its owner, and fits the certificate', async () => {
  const id = await on.start(['key.example.org'])
  const order = await on.settled(id)
  const max = await on.tenancy.person({ permissions: ['uploadLECert'] })
  expect(await refusal(max.call(calls.collectKey, { id, password: 'correct horse' }))).toMatchObject({ status: 404 })
  const { pkcs12, fileName } = await on.kim.call(calls.collectKey, { id, password: 'correct horse' })
  expect(fileName).toBe('key.example.org.p12')
  const file = await readPkcs12(Buffer.from(pkcs12, 'base64'), 'correct horse')
  const { certificate } = await on.kim.call(certificates.calls.info, { certId: order.certificateId ?? '' })
  const [key] = file.privateKeys
  expect(
    new X509Certificate(certificate.pem).checkPrivateKey(
      createPrivateKey({ key: Buffer.from(key?.der ?? []), format: 'der', type: 'pkcs8' }),
    ),
  ).toBe(true)
  expect(await refusal(on.kim.call(calls.collectKey, { id, password: 'correct horse' }))).toMatchObject({ status: 409, code: 'keyGone' })
  expect((await on.seen(id)).keyWaits).toBe(false)
  expect(order.keyWaits).toBe(true)
})

test('A CSR that is brought keeps its key, and is refused where it is for other names', async () => {
  const { csr } = on.tools.csr({ subject: '/', extensions: ['subjectAltName=DNS:own.example.org'] })
  const refused = await refusal(on.start(['other.example.org'], { csr, keyKind: undefined }))
  expect(refused.fields).toMatchObject([{ field: 'csr', says: expect.stringContaining('own.example.org') }])
  const order = await on.settled(await on.start(['own.example.org'], { csr, keyKind: undefined }))
  expect(order).toMatchObject({ step: 'done', keyWaits: false })
})

describe('A renewal', () => {
  test('comes at its time, says what it replaces, and the certificate before counts as replaced', async () => {
    const id = await on.start(['renewed.example.org'], { renews: true })
    const first = await on.settled(id)
    expect(first.renewal).toMatch(/^It is renewed at .* Its authority asks for that between/)
    on.house.clock.advance(new Date(first.renewAt ?? 0).getTime() - on.house.clock.now().getTime() + 60_000)
    await on.house.runJob(ordering.jobs.goOn)
    const renewed = await on.seen(id)
    expect([renewed.step, renewed.problem]).toEqual(['done', undefined])
    expect(renewed.certificateId).not.toBe(first.certificateId)
    const { order } = await on.kim.call(calls.ofCertificate, { certId: renewed.certificateId ?? '' })
    expect(order?.renewal).toMatch(/^It is renewed at/)
    const { rows } = await on.admin.call(acme.calls.orders, { text: 'renewed.example.org' })
    const served = await Promise.all(rows.map(({ id: served }) => on.admin.call(acme.calls.order, { id: served })))
    expect(served.filter(({ replaces }) => replaces !== undefined).length).toBe(1)
    const before = await on.kim.call(certificates.calls.info, { certId: first.certificateId ?? '' })
    expect(JSON.stringify(before)).toContain('"replaced')
  })

  test('that fails says so on the certificate, and waits longer each time', async () => {
    const id = await on.start(['failing.example.org'], { renews: true })
    const first = await on.settled(id)
    on.web.answer = () => ({ status: 503, body: 'down' })
    on.house.clock.advance(new Date(first.renewAt ?? 0).getTime() - on.house.clock.now().getTime() + 60_000)
    const pauses: number[] = []
    for (let count = 0; count < 3; count += 1) {
      await on.house.runJob(ordering.jobs.goOn)
      const { nextAt, attempts } = await on.seen(id)
      expect(attempts.filter(({ outcome }) => outcome === 'failed').length).toBe(count + 1)
      pauses.push(Math.round((new Date(nextAt).getTime() - on.house.clock.now().getTime()) / 3_600_000))
      on.house.clock.advance(new Date(nextAt).getTime() - on.house.clock.now().getTime() + 1_000)
    }
    expect(pauses).toEqual([1, 4, 12])
    const { order } = await on.kim.call(calls.ofCertificate, { certId: first.certificateId ?? '' })
    expect(order?.renewal).toMatch(/^The renewal failed: failing\.example\.org: .*It is tried again at/)
  })
})

test('Half of all nonces may be refused', async () => {
  on.front.refuses = 50
  try {
    const order = await on.settled(await on.start(['nonces.example.org']))
    expect([order.step, order.problem]).toEqual(['done', undefined])
  } finally {
    on.front.refuses = 0
  }
})

test('Another tenancy sees neither orders nor authorities, and its file answers at its own address alone', async () => {
  const id = await on.start(['apart.example.org'])
  const { forwardTo = '' } = await on.settled(id)
  const other = await (await on.house.tenancy('Other')).person({ permissions: ['acmeConfiguration', 'uploadLECert'] })
  expect(await refusal(other.call(calls.order, { id }))).toMatchObject({ status: 404 })
  expect(await refusal(other.call(calls.clear, { id }))).toMatchObject({ status: 404 })
  expect((await other.call(calls.authorities, {})).rows).toEqual([])
  const missing = await on.house.fetch(new URL(`${forwardTo}AAAA`).pathname)
  expect(missing.status).toBe(404)
})

test('What an authority says and no row can hold is written down as a row can hold it', async () => {
  on.front.answer = (asked) =>
    asked === 'POST /new-order'
      ? {
          status: 403,
          headers: { 'content-type': 'application/problem+json' },
          body: '{"type":"urn:ietf:params:acme:error:unauthorized","detail":"Not you\\u0000, nor \\ud800"}',
        }
      : undefined
  const order = await on.settled(await on.start(['strange.example.org']))
  on.front.answer = undefined
  expect(order.problem).toEqual({ type: 'unauthorized', detail: 'Not you\ufffd, nor \ufffd' })
})

test('An authority that asks for fifteen thousand proofs of one name is asked for none of them', async () => {
  on.front.answer = (asked) =>
    asked === 'POST /new-order'
      ? {
          status: 201,
          headers: { location: `${on.origin}/order`, 'content-type': 'application/json' },
          body: JSON.stringify({ finalize: `${on.origin}/finalize`, authorizations: Array(15_000).fill(`${on.origin}/authz`) }),
        }
      : undefined
  const order = await on.settled(await on.start(['many.example.org']))
  on.front.answer = undefined
  expect(order).toMatchObject({ step: 'order', problem: { detail: 'The authority asks for 15000 proofs of 1 names' } })
})

test('A window of renewal that no calendar has is none, and one that is over renews once and then after a pause', async () => {
  const id = await on.start(['window.example.org'], { renews: true })
  await on.settled(id)
  const ari = (start: string, end: string) => ({ status: 200, headers: {}, body: JSON.stringify({ suggestedWindow: { start, end } }) })
  const asking = (start: string, end: string) =>
    (on.front.answer = (asked) => (asked.startsWith('GET /renewal-info/') ? ari(start, end) : undefined))
  const obtained = async () =>
    (await on.seen(id)).attempts.filter(({ step, outcome }) => step === 'certificate' && outcome === 'done').length
  const run = async () => {
    on.house.clock.advance(25 * 3_600_000)
    await on.house.runJob(ordering.jobs.goOn)
  }
  asking('-271821-04-20T00:00:00Z', '-271820-04-20T00:00:00Z')
  await run()
  expect(await obtained()).toBe(1)
  asking('2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z')
  await run()
  await on.settled(id)
  expect(await obtained()).toBe(2)
  for (let minute = 0; minute < 3; minute += 1) {
    on.house.clock.advance(60_000)
    await on.house.runJob(ordering.jobs.goOn)
  }
  expect(await obtained()).toBe(2)
  on.front.answer = undefined
})

describe('A chain', () => {
  const pemOf = (der: Uint8Array) => encodePem('CERTIFICATE', der)

  test('is taken where each certificate certifies the one before, and nothing else stands beside them', async () => {
    const id = await on.start(['chain.example.org'])
    const { certificateId = '' } = await on.settled(id)
    const { certificate } = await on.kim.call(certificates.calls.info, { certId: certificateId })
    const leaf = decodePem(certificate.pem)[0]?.bytes ?? new Uint8Array()
    const text = (await withTenancy(on.house.house, on.tenancy.id, (tenancy) => findOrder(tenancy, id)))?.chain ?? ''
    const [, issuer = new Uint8Array()] = decodePem(text).map(({ bytes }) => bytes)
    const spki = parseCertificate(leaf).publicKey.spki
    const read = (chain: string) => {
      try {
        return readChain(chain, { spki, names: ['chain.example.org'] }).certificates.length
      } catch (error) {
        return error instanceof OrderFault ? error.message : error
      }
    }
    expect(read(text)).toBe(2)
    expect(read(pemOf(leaf))).toBe(1)
    expect(read(pemOf(leaf) + pemOf(leaf))).toMatch(/certificate 2 does not certify/)
    expect(read(pemOf(leaf) + pemOf(issuer) + pemOf(leaf))).toMatch(/certificate 3 does not certify/)
    for (const beside of ['\u0000', 'Subject: CN=x\n', '-----BEGIN CERTIFICATE'])
      expect([read(beside + text), read(text + beside)].every((says) => typeof says === 'string')).toBe(true)
  })
})
