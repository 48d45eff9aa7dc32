// Many at once on the straight way: commits are shared, and nothing else.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'
import { certificates } from '../contract.ts'
import { openDesk, openSsl, refusal, type Desk, type OpenSsl } from './desk.fixture.ts'

const { calls } = certificates

let house: TestHouse
let tools: OpenSsl
let acme: Desk
let globex: Desk

beforeAll(async () => {
  house = await openTestHouse()
  tools = openSsl()
  acme = await openDesk(house, tools, 'Acme')
  globex = await openDesk(house, tools, 'Globex')
})
afterAll(async () => {
  tools.close()
  await house.close()
})

function csrFor(name: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const info = buildCsrInfo({ subject: nameOf(['CN', name]), publicKey: publicKey.export({ format: 'der', type: 'spki' }), requestedExtensions: [] })
  return encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
}

const ask = (desk: Desk, name: string, key: string = randomUUID(), csr = csrFor(name)) =>
  desk.ada.call(calls.requestForDevice, { templateId: desk.template['Device'] ?? '', csr, values: { DNS: [name] } }, { 'idempotency-key': key })

/** What is on record of these certificates, counted past the server. */
async function onRecord(desk: Desk, ids: readonly (string | undefined)[]) {
  const { id: tenantId } = desk.tenancy
  return inTenant(house.house.database, tenantId, async (db) => {
    const { rows } = await sql<{ serials: number; signed: number; issued: number; reserved: number }>`select count(distinct c.serial_hex)::int as serials,
      count(*) filter (where s.state = 'signed' and s.tbs is null and s.about_id = c.request_id)::int as signed,
      coalesce(sum((select count(*) from events e where e.tenant_id = c.tenant_id and e.name = 'issued' and e.about = c.id::text)), 0)::int as issued,
      coalesce(sum((select count(*) from events e where e.tenant_id = c.tenant_id and e.name = 'reservedTogether' and e.body::jsonb @> jsonb_build_object('certificates', jsonb_build_array(jsonb_build_object('requestId', c.request_id, 'serialNumber', c.serial_hex))) and e.actor_id = c.requester_id)), 0)::int as reserved
      from certificates c join serials s on s.tenant_id = c.tenant_id and s.ca_id = c.ca_id and s.serial = decode(c.serial_hex, 'hex')
      where c.tenant_id = ${tenantId} and c.id = any(${ids.map((id) => id ?? '')}::uuid[])`.execute(db)
    return rows[0]
  })
}

test('thirty at once in two tenancies each have a serial, a record before and an event after', async () => {
  const names = Array.from({ length: 15 }, (_, at) => `many-${at}.example.org`)
  const [ours, theirs] = await Promise.all([Promise.all(names.map((name) => ask(acme, name))), Promise.all(names.map((name) => ask(globex, name)))])
  for (const [desk, answers] of [[acme, ours], [globex, theirs]] as const) {
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 'issued'))
    expect(new Set(answers.map(({ caId }) => caId))).toEqual(new Set([desk.caId]))
    expect(await onRecord(desk, answers.map(({ certificateId }) => certificateId))).toEqual({ serials: 15, signed: 15, issued: 15, reserved: 15 })
  }
  expect(await onRecord(acme, theirs.map(({ certificateId }) => certificateId))).toMatchObject({ serials: 0 })
})

test('a key used again among others gives its certificate again, and another content is a conflict', async () => {
  const key = randomUUID()
  const csr = csrFor('again.example.org')
  const answers = await Promise.all([...Array.from({ length: 4 }, () => ask(acme, 'again.example.org', key, csr)), ask(acme, 'beside.example.org')])
  const again = answers.slice(0, 4)
  const stands = await ask(acme, 'again.example.org', key, csr)
  expect(stands.status).toBe('issued')
  expect(new Set(again.map(({ requestId }) => requestId))).toEqual(new Set([stands.requestId]))
  expect(answers[4]?.status).toBe('issued')
  expect(await onRecord(acme, [stands.certificateId])).toEqual({ serials: 1, signed: 1, issued: 1, reserved: 1 })
  expect(await refusal(ask(acme, 'other.example.org', key))).toMatchObject({ status: 409 })
})

test('what the template refuses is refused alone', async () => {
  const [right, wrong, right2] = await Promise.all([ask(acme, 'right.example.org'), refusal(ask(acme, 'not a name')), ask(acme, 'right2.example.org')])
  expect([right.status, wrong.status, right2.status]).toEqual(['issued', 400, 'issued'])
})

test('where the log cannot be written nothing is issued, and the answer says so', async () => {
  await house.asOwner(`alter table events add constraint away check (name <> 'reservedTogether') not valid`)
  expect(await refusal(ask(acme, 'unrecorded.example.org'))).toMatchObject({ status: 503, code: 'audit_failed' })
  await house.asOwner('alter table events drop constraint away')
  expect((await acme.ada.call(calls.search, { text: 'unrecorded', facets: false })).rows).toEqual([])
})
