import { sql } from 'kysely'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { signReserved, statusOf } from '#areas/authorities/service.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { Emit } from '#core/server/serve.ts'
import { refusal } from '#core/testing/caller.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'
import { issueRequest, reserveRequest, storeRequest } from './issue.ts'
import { afterFailure } from './recovery.ts'

const { calls } = certificates

const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

const request = async (template: string, name: string) => {
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  return pki.ada.call(calls.requestForDevice, {
    templateId: pki.template[template] ?? '',
    csr,
    values: template === 'Device' ? { DNS: [name] } : {},
  })
}
const find = async (name: string) => (await pki.ada.call(calls.search, { text: name, facets: false })).rows
const serials = () =>
  inTenant(
    house.house.database,
    pki.tenancy.id,
    async (db) =>
      (await sql<{ count: number }>`select count(*)::int as count from serials where about_kind = 'certificate'`.execute(db)).rows[0]
        ?.count,
  )
const later = (milliseconds: number) => house.clock.advance(milliseconds)

test('an approved request that nobody issued is issued by the job, once, however many run', async () => {
  const { requestId } = await request('TLSServer', 'left.example.org')
  await house.asOwner(`update certificate_requests set stage = 'approved' where id = '${requestId}'`)
  await house.asOwner(`update approvals set state = 'approved', decided_at = now() where subject_id = '${requestId}'`)
  later(60_000)
  const before = await serials()
  const issue = () => issueRequest(house.house, pki.tenancy.id, requestId)
  await Promise.all([house.runJob(certificates.jobs.finish), issue(), issue(), house.runJob(certificates.jobs.finish), issue()])
  expect(await find('left.example.org')).toHaveLength(1)
  expect(await serials()).toBe((before ?? 0) + 1)
})

test('a request that failed between reservation and storing ends with the very bytes that were reserved', async () => {
  await house.asOwner('alter table certificate_words rename to certificate_words_away')
  const placed = await request('Device', 'half.example.org')
  expect(placed.status).toBe('under_submission')
  await house.asOwner('alter table certificate_words_away rename to certificate_words')
  expect(await find('half.example.org')).toEqual([])
  const before = await serials()
  later(60_000)
  await house.runJob(certificates.jobs.finish)
  const [found] = await find('half.example.org')
  expect(await serials()).toBe(before)
  const { content } = await pki.ada.call(calls.download, { certId: found?.certificateId ?? '', format: 'der' })
  const { tbs } = parseCertificate(Buffer.from(content, 'base64'))
  const promised = await inTenant(
    house.house.database,
    pki.tenancy.id,
    async (db) =>
      (await sql<{ body: string }>`select body from events where name = 'reserved' and about = ${placed.requestId}`.execute(db)).rows,
  )
  expect(promised.map(({ body }) => JSON.parse(body).tbsSha256)).toEqual([createHash('sha256').update(tbs).digest('hex')])
})

describe('what fails each time', () => {
  const row = async (requestId: string) =>
    inTenant(
      house.house.database,
      pki.tenancy.id,
      async (db) =>
        (
          await sql<{
            stage: string
            error: string
            serial_hex: string
            updated_at: Date
          }>`select stage, error, serial_hex, updated_at from certificate_requests where id = ${requestId}`.execute(db)
        ).rows[0],
    )
  const serialOf = (serialHex: string) =>
    inTenant(house.house.database, pki.tenancy.id, (db) => statusOf(db, pki.tenancy.id, pki.caId, serialHex))
  const eventsAbout = async (...about: string[]) =>
    inTenant(house.house.database, pki.tenancy.id, async (db) =>
      (
        await sql<{
          name: string
        }>`select name from events where about in (${sql.join(about)}) and name in ('failed', 'voided', 'issued') order by name`.execute(db)
      ).rows.map(({ name }) => name),
    )

  test('because the database does not take it ends, and says so, with its serial void', async () => {
    await house.asOwner(`alter table certificates add constraint no_poison check (name <> 'poison.example.org')`)
    const { requestId, status } = await request('Device', 'poison.example.org')
    expect(status).toBe('under_submission')
    const { serial_hex: serialHex = '' } = (await row(requestId)) ?? {}
    later(60_000)
    await house.runJob(certificates.jobs.finish)
    expect(await row(requestId)).toMatchObject({ stage: 'failed', error: expect.stringContaining('Ask again with other ones') })
    expect(await serialOf(serialHex)).toMatchObject({ state: 'void' })
    expect(await eventsAbout(requestId, pki.caId)).toEqual(expect.arrayContaining(['failed', 'voided']))
    await house.asOwner('alter table certificates drop constraint no_poison')
    expect(await pki.ada.call(calls.requests, { text: 'poison' })).toMatchObject({ rows: [{ status: 'error' }] })
  })

  test('and is issued by another server all the same stays issued', async () => {
    const { requestId, status, serialNumber = '' } = await request('Device', 'elsewhere.example.org')
    expect(status).toBe('issued')
    const twice = await house.asOwner(`insert into tenancies select * from tenancies limit 1`).catch((error: unknown) => error)
    expect(twice).toMatchObject({ code: '23505' })
    await afterFailure(house.house, pki.tenancy.id, requestId, twice)
    expect(await row(requestId)).toMatchObject({ stage: 'issued', error: '' })
    expect(await serialOf(serialNumber)).toMatchObject({ state: 'signed' })
    expect(await eventsAbout(requestId)).not.toContain('failed')
  })

  test('does not keep the rest waiting: it goes behind them', async () => {
    await house.asOwner('alter table certificate_words rename to certificate_words_away')
    const { requestId } = await request('Device', 'honest.example.org')
    await house.asOwner('alter table certificate_words_away rename to certificate_words')
    // Another whose reservation is gone, so that it can never be issued.
    const lostId = randomUUID()
    const lost = `jsonb_build_object('id', '${lostId}', 'idempotency_key', '${lostId}', 'updated_at', r.updated_at - interval '1 day')`
    await house.asOwner(
      `insert into certificate_requests select lost.* from certificate_requests r, jsonb_populate_record(r, ${lost}) as lost where r.id = '${requestId}'`,
    )
    later(60_000)
    const run = house.clock.now()
    await house.runJob(certificates.jobs.finish)
    expect(await row(requestId)).toMatchObject({ stage: 'issued' })
    const left = await row(lostId)
    expect(left?.stage).toBe('reserved')
    expect(left?.updated_at.getTime()).toBeGreaterThanOrEqual(run.getTime())
    await house.asOwner(`delete from certificate_requests where id = '${lostId}'`)
  })
})

describe('a key that is made here', () => {
  const place = async (name: string) =>
    (await pki.ada.call(calls.requestForDevice, { templateId: pki.template['Device'] ?? '', key: 'P-256', values: { DNS: [name] } }))
      .requestId
  const collect = (requestId: string) => pki.ada.call(calls.collectKey, { requestId, password: 'correct horse' })
  const work = <T>(action: (db: Database, emit: Emit<typeof certificates>) => Promise<T>) =>
    house.house.work(pki.tenancy.id, { name: 'Test' }, ({ db, emitFor }) => action(db, emitFor(certificates)))
  /** What a call has committed before it signs. */
  const firstCommit = async (requestId: string) => {
    const { spki } = await generateKeyPair('P-256')
    const due = await work((db, emit) =>
      reserveRequest({ db, tenantId: pki.tenancy.id, requestId, now: house.clock.now(), emit }, { madeKey: spki }),
    )
    if ('stage' in due) throw new Error(`The request is ${due.stage}`)
    return due
  }
  const standing = async (requestId: string) =>
    inTenant(
      house.house.database,
      pki.tenancy.id,
      async (db) =>
        (await sql<object>`select stage, public_key, serial_hex from certificate_requests where id = ${requestId}`.execute(db)).rows[0],
    )
  const keyOf = (pkcs12: string) => {
    const file = tools.write(Buffer.from(pkcs12, 'base64'))
    const read = (...what: string[]) => tools.write(tools.run('pkcs12', '-in', file, '-nodes', '-passin', 'pass:correct horse', ...what))
    return {
      key: tools.run('pkey', '-in', read('-nocerts'), '-pubout'),
      certificate: tools.run('x509', '-noout', '-pubkey', '-in', read('-nokeys', '-clcerts')),
    }
  }

  test('and died with its call before the certificate was reserved is never certified, and another can be collected', async () => {
    const requestId = await place('unreserved.example.org')
    await house.asOwner(`update certificate_requests set stage = 'approved', public_key = '\\x3000' where id = '${requestId}'`)
    later(60_000)
    await house.runJob(certificates.jobs.finish)
    expect(await standing(requestId)).toEqual({ stage: 'awaitingKey', public_key: null, serial_hex: null })
    const { key, certificate } = keyOf((await collect(requestId)).pkcs12)
    expect(key).toBe(certificate)
  })

  test('and died with its call before the certificate was stored leaves a serial that is void, and another can be collected', async () => {
    const requestId = await place('unstored.example.org')
    const { issuer, reserved } = await firstCommit(requestId)
    expect(await refusal(collect(requestId))).toMatchObject({ status: 409, code: 'underWay' })
    await issueRequest(house.house, pki.tenancy.id, requestId)
    await house.runJob(certificates.jobs.finish)
    expect(await refusal(collect(requestId))).toMatchObject({ code: 'underWay' })
    later(60_000)
    await house.runJob(certificates.jobs.finish)
    expect(await find('unstored.example.org')).toEqual([])
    const answer = await collect(requestId)
    expect(answer.serialNumber).not.toBe(reserved.serialHex)
    const [found, ...others] = await find('unstored.example.org')
    expect([found?.serialNumber, others]).toEqual([answer.serialNumber, []])
    expect(
      await inTenant(house.house.database, pki.tenancy.id, (db) => statusOf(db, pki.tenancy.id, issuer.caId, reserved.serialHex)),
    ).toMatchObject({ state: 'void' })
    await expect(signReserved(house.house, issuer, reserved)).rejects.toThrow('nothing was signed')
    const { key, certificate } = keyOf(answer.pkcs12)
    expect(key).toBe(certificate)
  })

  test('by a slow call is not stored over one that was made after it', async () => {
    const requestId = await place('overtaken.example.org')
    const slow = await firstCommit(requestId)
    const signed = await signReserved(house.house, slow.issuer, slow.reserved)
    later(60_000)
    await house.runJob(certificates.jobs.finish)
    const quick = await firstCommit(requestId)
    const store = (due: typeof slow, certificate: Uint8Array) =>
      work((db, emit) => storeRequest({ db, tenantId: pki.tenancy.id, requestId, now: house.clock.now(), emit }, { ...due, certificate }))
    expect(await store(slow, signed)).toMatchObject({ stage: 'reserved', serialHex: quick.reserved.serialHex })
    expect(await store(quick, await signReserved(house.house, quick.issuer, quick.reserved))).toMatchObject({
      stage: 'issued',
      serialHex: quick.reserved.serialHex,
    })
  })

  test('and could not be stored is dropped by the call itself: nothing is issued, and it can be collected at once', async () => {
    const requestId = await place('unkept.example.org')
    await house.asOwner('alter table certificate_words rename to certificate_words_away')
    expect(await refusal(collect(requestId))).toMatchObject({ status: 500 })
    await house.asOwner('alter table certificate_words_away rename to certificate_words')
    expect(await standing(requestId)).toMatchObject({ stage: 'awaitingKey' })
    expect(await find('unkept.example.org')).toEqual([])
    const { key, certificate } = keyOf((await collect(requestId)).pkcs12)
    expect(key).toBe(certificate)
    expect(await find('unkept.example.org')).toHaveLength(1)
    const told = await inTenant(
      house.house.database,
      pki.tenancy.id,
      async (db) => (await sql<{ name: string }>`select name from events where about = ${requestId} order by name`.execute(db)).rows,
    )
    expect(told.map(({ name }) => name)).toEqual(['keyDropped', 'keyMade', 'keyMade', 'requested', 'reserved', 'reserved'])
  })

  test('by two calls at once is certified for one of them, and that one has it', async () => {
    const requestId = await place('both.example.org')
    const settled = await Promise.allSettled([collect(requestId), collect(requestId)])
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(answers).toHaveLength(1)
    expect((await find('both.example.org')).map(({ serialNumber }) => serialNumber)).toEqual(
      answers.map(({ serialNumber }) => serialNumber),
    )
    const { key, certificate } = keyOf(answers[0]?.pkcs12 ?? '')
    expect(key).toBe(certificate)
  })
})

test('with the audit log unwritable nothing is requested, decided or signed', async () => {
  const waiting = await request('TLSServer', 'quiet.example.org')
  const before = await serials()
  await house.asOwner('revoke insert on events from chancery_app')
  expect(await refusal(request('Device', 'silent.example.org'))).toMatchObject({ status: 503, code: 'audit_failed' })
  expect(await refusal(pki.bob.call(calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve' }))).toMatchObject({
    status: 503,
    code: 'audit_failed',
  })
  await house.asOwner('grant insert on events to chancery_app')
  expect(await serials()).toBe(before)
  expect((await pki.bob.call(calls.approval, { requestId: waiting.requestId })).votes).toEqual([])
  expect((await pki.ada.call(calls.requests, { text: 'silent' })).rows).toEqual([])
  expect(await pki.bob.call(calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve' })).toMatchObject({
    status: 'issued',
  })
})
