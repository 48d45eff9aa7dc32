import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { sql } from 'kysely'
import { inTenant } from '#core/server/database.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { certificates } from '../contract.ts'
import { issueRequest } from '../service.ts'
import { openDesk, openSsl, refusal, type Desk, type OpenSsl } from './desk.fixture.ts'

const { calls } = certificates

let house: TestHouse
let desk: Desk
let tools: OpenSsl

beforeAll(async () => {
  house = await openTestHouse()
  tools = openSsl()
  desk = await openDesk(house, tools, 'Acme')
})
afterAll(async () => {
  tools.close()
  await house.close()
})

const request = async (template: string, name: string) => {
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  return desk.ada.call(calls.requestForDevice, { templateId: desk.template[template] ?? '', csr, values: template === 'Device' ? { DNS: [name] } : {} })
}
const find = async (name: string) => (await desk.ada.call(calls.search, { text: name, facets: false })).rows
const serials = () => inTenant(house.house.database, desk.tenancy.id, async (db) => (await sql<{ count: number }>`select count(*)::int as count from serials where about_kind = 'certificate'`.execute(db)).rows[0]?.count)
const later = (milliseconds: number) => house.clock.advance(milliseconds)

test('an approved request that nobody issued is issued by the job, once, however many run', async () => {
  const { requestId } = await request('TLSServer', 'left.example.org')
  await house.asOwner(`update certificate_requests set stage = 'approved' where id = '${requestId}'`)
  await house.asOwner(`update approvals set state = 'approved', decided_at = now() where subject_id = '${requestId}'`)
  later(60_000)
  const before = await serials()
  const issue = () => issueRequest(house.house, desk.tenancy.id, requestId)
  await Promise.all([house.runJob('certificates.finish'), issue(), issue(), house.runJob('certificates.finish'), issue()])
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
  await house.runJob('certificates.finish')
  const [found] = await find('half.example.org')
  expect(await serials()).toBe(before)
  const { content } = await desk.ada.call(calls.download, { certId: found?.certificateId ?? '', format: 'der' })
  const { tbs } = parseCertificate(Buffer.from(content, 'base64'))
  const promised = await inTenant(house.house.database, desk.tenancy.id, async (db) => (await sql<{ body: string }>`select body from events where name = 'reserved' and about = ${placed.requestId}`.execute(db)).rows)
  expect(promised.map(({ body }) => JSON.parse(body).tbsSha256)).toEqual([createHash('sha256').update(tbs).digest('hex')])
})

test('with the audit log unwritable nothing is requested, decided or signed', async () => {
  const waiting = await request('TLSServer', 'quiet.example.org')
  const before = await serials()
  await house.asOwner('revoke insert on events from chancery_app')
  expect(await refusal(request('Device', 'silent.example.org'))).toMatchObject({ status: 503, code: 'audit_failed' })
  expect(await refusal(desk.bob.call(calls.decide, { requestId: waiting.requestId, verdict: 'approve' }))).toMatchObject({ status: 503, code: 'audit_failed' })
  await house.asOwner('grant insert on events to chancery_app')
  expect(await serials()).toBe(before)
  expect((await desk.bob.call(calls.approval, { requestId: waiting.requestId })).votes).toEqual([])
  expect((await desk.ada.call(calls.requests, { text: 'silent' })).rows).toEqual([])
  expect(await desk.bob.call(calls.decide, { requestId: waiting.requestId, verdict: 'approve' })).toMatchObject({ status: 'issued' })
})
