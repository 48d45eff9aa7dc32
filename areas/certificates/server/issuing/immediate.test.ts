// Many issued at once in the same moment: commits are shared, and nothing else.

import { sql } from 'kysely'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { batchStored, findIssuer, leaveBatch, reserveBatch, statusOf } from '#areas/authorities/service.ts'
import { latchOf } from '#areas/keys/server/latch.fixture.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import { users } from '#areas/users/contract.ts'
import { runStatement } from '#core/server/batch.ts'
import { inTenant } from '#core/server/database.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'
import { certificates } from '../../contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '../issuing.fixture.ts'

const { calls } = certificates

let tools: OpenSsl
let acme: IssuingFixture
let globex: IssuingFixture

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  acme = await openIssuing(house, tools, 'Acme')
  globex = await openIssuing(house, tools, 'Globex')
})
afterAll(async () => {
  tools.close()
})

function csrFor(name: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const info = buildCsrInfo({
    subject: nameOf(['CN', name]),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    requestedExtensions: [],
  })
  return encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
}

const ask = (pki: IssuingFixture, name: string, key: string = randomUUID(), csr = csrFor(name)) =>
  pki.ada.call(
    calls.requestForDevice,
    { templateId: pki.template['Device'] ?? '', csr, values: { DNS: [name] } },
    { 'idempotency-key': key },
  )

/** What is on record of these certificates, counted past the server. */
async function onRecord(pki: IssuingFixture, ids: readonly (string | undefined)[]) {
  const { id: tenantId } = pki.tenancy
  return inTenant(house.house.database, tenantId, async (db) => {
    const { rows } = await sql<{
      serials: number
      signed: number
      issued: number
      reserved: number
    }>`select count(distinct c.serial_hex)::int as serials,
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
  const [ours, theirs] = await Promise.all([
    Promise.all(names.map((name) => ask(acme, name))),
    Promise.all(names.map((name) => ask(globex, name))),
  ])
  for (const [pki, answers] of [
    [acme, ours],
    [globex, theirs],
  ] as const) {
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 'issued'))
    expect(new Set(answers.map(({ caId }) => caId))).toEqual(new Set([pki.caId]))
    expect(
      await onRecord(
        pki,
        answers.map(({ certificateId }) => certificateId),
      ),
    ).toEqual({ serials: 15, signed: 15, issued: 15, reserved: 15 })
  }
  expect(
    await onRecord(
      acme,
      theirs.map(({ certificateId }) => certificateId),
    ),
  ).toMatchObject({ serials: 0 })
})

test('a key used again among others gives its certificate again, and another content is a conflict', async () => {
  const key = randomUUID()
  const csr = csrFor('again.example.org')
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => ask(acme, 'again.example.org', key, csr)),
    ask(acme, 'beside.example.org'),
  ])
  const again = answers.slice(0, 4)
  const stands = await ask(acme, 'again.example.org', key, csr)
  expect(stands.status).toBe('issued')
  expect(new Set(again.map(({ requestId }) => requestId))).toEqual(new Set([stands.requestId]))
  expect(answers[4]?.status).toBe('issued')
  expect(await onRecord(acme, [stands.certificateId])).toEqual({ serials: 1, signed: 1, issued: 1, reserved: 1 })
  expect(await refusal(ask(acme, 'other.example.org', key))).toMatchObject({ status: 409 })
})

test('what the template refuses is refused alone', async () => {
  const [right, wrong, right2] = await Promise.all([
    ask(acme, 'right.example.org'),
    refusal(ask(acme, 'not a name')),
    ask(acme, 'right2.example.org'),
  ])
  expect([right.status, wrong.status, right2.status]).toEqual(['issued', 400, 'issued'])
})

test('where the log cannot be written nothing is issued, and the answer says so', async () => {
  await house.asOwner(`alter table events add constraint away check (name <> 'reservedTogether') not valid`)
  expect(await refusal(ask(acme, 'unrecorded.example.org'))).toMatchObject({ status: 503, code: 'audit_failed' })
  await house.asOwner('alter table events drop constraint away')
  expect((await acme.ada.call(calls.search, { text: 'unrecorded', facets: false })).rows).toEqual([])
})

test('while changes by other servers cannot be heard a request goes the general way, and is not looked at in vain before', async () => {
  const { cache } = house.house
  const spies = [vi.spyOn(cache, 'isListening').mockReturnValue(false), vi.spyOn(cache, 'isCurrent').mockReturnValue(false)]
  const get = vi.spyOn(cache, 'get')
  const { status } = await ask(acme, 'unheard.example.org')
  const reads = get.mock.calls.filter(([name]) => name.startsWith('template '))
  for (const spy of [get, ...spies]) spy.mockRestore()
  expect([status, reads]).toEqual(['issued', []])
})

describe('Serials that come to no certificate are void for ever, and the log says so', () => {
  const told = (pki: IssuingFixture) =>
    inTenant(house.house.database, pki.tenancy.id, async (db) => {
      const { rows } = await sql<{ body: string }>`select body from events where name = 'voided' order by at`.execute(db)
      return rows.flatMap(({ body }): string[] => JSON.parse(body).serialNumbers)
    })
  const left = (pki: IssuingFixture) =>
    inTenant(house.house.database, pki.tenancy.id, async (db) => (await sql`select id from reservations`.execute(db)).rows)
  const stateOf = (pki: IssuingFixture, serialHex: string) =>
    inTenant(house.house.database, pki.tenancy.id, async (db) => (await statusOf(db, pki.tenancy.id, pki.caId, serialHex))?.state)

  test('where the server died between the two commits', async () => {
    const now = house.clock.now()
    const issuer = await inTenant(house.house.database, globex.tenancy.id, (db) => findIssuer(db, globex.tenancy.id, globex.caId, now))
    if (issuer === undefined) throw new Error('The authority is gone')
    const { spki } = await generateKeyPair('P-256')
    const draft = {
      subject: nameOf(['CN', 'died.example.org']),
      notBefore: now,
      notAfter: issuer.notAfter,
      publicKey: spki,
      extensions: [],
      about: { kind: 'certificate', id: randomUUID() },
    } as const
    const batch = await reserveBatch(house.house, issuer, [draft, { ...draft, about: { ...draft.about, id: randomUUID() } }], () => [], now)
    const serials = batch.drawn.map(({ serialHex }) => serialHex)
    house.clock.advance(60_000)
    await house.runJob(certificates.jobs.finish)
    expect(await left(globex)).toHaveLength(1)
    // Where it did not die it goes on, however long a token takes.
    leaveBatch(batch)
    await house.runJob(certificates.jobs.finish)
    expect(await left(globex)).toEqual([])
    expect(await told(globex)).toEqual(serials)
    for (const serial of serials) expect(await stateOf(globex, serial)).toBe('void')
    const late = inTenant(house.house.database, globex.tenancy.id, async (db) => {
      for (const statement of batchStored(batch, new Map(batch.drawn.map((drawn) => [drawn, drawn.tbs])), now))
        await runStatement(db, statement)
    })
    await expect(late).rejects.toThrow('serials_pkey')
  })

  test('where the certificates could not be stored: the requests go on by themselves', async () => {
    await house.asOwner('alter table certificate_words rename to certificate_words_away')
    const before = await told(acme)
    const placed = await ask(acme, 'unstored.example.org')
    await house.asOwner('alter table certificate_words_away rename to certificate_words')
    expect(placed.status).toBe('under_submission')
    const lost = (await told(acme)).slice(before.length)
    expect(lost).toHaveLength(1)
    expect(await stateOf(acme, lost[0] ?? '')).toBe('void')
    expect(await left(acme)).toEqual([])
    house.clock.advance(60_000)
    await house.runJob(certificates.jobs.finish)
    const { rows } = await acme.ada.call(calls.search, { text: 'unstored', facets: false })
    expect(rows.map(({ name }) => name)).toEqual(['unstored.example.org'])
    expect(rows[0]?.serialNumber).not.toBe(lost[0])
  })
})

test('what waits behind others is not reserved any more once issuing was switched off, and goes on where something else changed', async () => {
  const locker = new pg.Client(house.connection)
  await locker.connect()
  const underWay = async () => (await locker.query<{ count: number }>('select count(*)::int as count from reservations')).rows[0]?.count
  const outcome = (name: string) =>
    ask(acme, name).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    )
  /** Two batches that cannot be stored, so that both ways of the lane are taken, and a third that waits for one. */
  async function waitingBehindTwo(meanwhile: () => Promise<unknown>) {
    await locker.query('begin')
    await locker.query('lock table certificate_words in share mode')
    const ahead = []
    for (const place of [1, 2]) {
      ahead.push(outcome(`ahead-${randomUUID().slice(0, 8)}.example.org`))
      await expect.poll(underWay).toBe(place)
    }
    const behind = outcome(`behind-${randomUUID().slice(0, 8)}.example.org`)
    await meanwhile()
    const since = house.clock.now()
    await locker.query('commit')
    return { ahead: await Promise.all(ahead), behind: await behind, since }
  }
  try {
    expect(await waitingBehindTwo(() => acme.addTemplate('Device', {}))).toMatchObject({ ahead: ['issued', 'issued'], behind: 'issued' })
    const off = await waitingBehindTwo(() => acme.ada.call(authorities.calls.setIssuing, { caId: acme.caId, issuing: false }))
    expect(off).toMatchObject({ ahead: ['issued', 'issued'], behind: 'invalid' })
    const { rows } = await locker.query('select serial from serials where tenant_id = $1 and reserved_at > $2', [
      acme.tenancy.id,
      off.since,
    ])
    expect(rows).toEqual([])
  } finally {
    await locker.end()
    await acme.ada.call(authorities.calls.setIssuing, { caId: acme.caId, issuing: true })
  }
})

test('who is disabled while a slow key signs gets nothing of it, at once or agreed to: the serial is void, and the request ends as denied', async () => {
  const name = 'Slow Root'
  const { caId } = await acme.ada.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: name,
    subject: { CN: name },
    keyAlgorithm: 'P-256',
  })
  const key = await latchOf(house, caId)
  const templateId = await acme.addTemplate('Device', { caId, issueApprovers: 0 })
  const looker = new pg.Client(house.connection)
  await looker.connect()
  const underWay = async () =>
    (await looker.query<{ count: number }>('select count(*)::int as count from reservations where ca_id = $1', [caId])).rows[0]?.count
  const asks = async (leaves: boolean) => {
    const lee = await acme.tenancy.person({ permissions: ['certSigningRequest'] })
    const host = `slow-${randomUUID().slice(0, 8)}.example.org`
    key.hold()
    const answer = lee.call(calls.requestForDevice, { templateId, csr: csrFor(host), values: { DNS: [host] } })
    await expect.poll(underWay, { interval: 5 }).toBe(1)
    // Something changes in any case: who stays is not held up by it.
    await acme.tenancy.administrator.call(users.calls.setEnabled, { id: leaves ? lee.id : acme.eve.id, enabled: !leaves })
    key.release()
    return answer
  }
  expect(await asks(false)).toMatchObject({ status: 'issued' })
  expect(await asks(true)).toMatchObject({ status: 'denied', error: 'The account of the person who asked is disabled' })
  expect((await acme.ada.call(calls.search, { caId: [caId] })).total).toBe(1)
  expect(await underWay()).toBe(0)

  // One by one, where others agreed.
  const agreedTo = await acme.addTemplate('Device', { caId, issueApprovers: 1 })
  const lee = await acme.tenancy.person({ permissions: ['certSigningRequest'] })
  const { requestId } = await lee.call(calls.requestForDevice, {
    templateId: agreedTo,
    csr: csrFor('agreed.example.org'),
    values: { DNS: ['agreed.example.org'] },
  })
  key.hold()
  const approved = acme.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
  const stage = async () =>
    (await looker.query<{ stage: string }>('select stage from certificate_requests where id = $1', [requestId])).rows[0]?.stage
  await expect.poll(stage, { interval: 5 }).toBe('reserved')
  await acme.tenancy.administrator.call(users.calls.setEnabled, { id: lee.id, enabled: false })
  key.release()
  expect(await approved).toMatchObject({ status: 'denied', error: 'The account of the person who asked is disabled' })
  expect((await acme.ada.call(calls.search, { caId: [caId] })).total).toBe(1)
  expect((await looker.query('select state from serials where ca_id = $1 and about_id = $2', [caId, requestId])).rows).toEqual([
    { state: 'void' },
  ])
  await looker.end()
})

test('who loses the permission to ask or to approve while a slow key signs gets nothing of it either', async () => {
  const name = 'Slow Root of permissions'
  const { caId } = await acme.ada.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: name,
    subject: { CN: name },
    keyAlgorithm: 'P-256',
  })
  const key = await latchOf(house, caId)
  const looker = new pg.Client(house.connection)
  await looker.connect()
  onTestFinished(() => looker.end())
  const { administrator } = acme.tenancy
  const takeRoles = async ({ id }: { id: string }) =>
    administrator.call(
      users.calls.change,
      users.calls.change.input.parse({ ...(await administrator.call(users.calls.read, { id })), roleIds: [] }),
    )
  const signing = async () =>
    (await looker.query<{ count: number }>('select count(*)::int as count from reservations where ca_id = $1', [caId])).rows[0]?.count
  const ask = async (issueApprovers: number) => {
    const templateId = await acme.addTemplate('Device', { caId, issueApprovers })
    const lee = await acme.tenancy.person({ permissions: ['certSigningRequest'] })
    const host = `lost-${randomUUID().slice(0, 8)}.example.org`
    return { lee, answer: lee.call(calls.requestForDevice, { templateId, csr: csrFor(host), values: { DNS: [host] } }) }
  }

  key.hold()
  const atOnce = await ask(0)
  await expect.poll(signing, { interval: 5 }).toBe(1)
  await takeRoles(atOnce.lee)
  key.release()
  expect(await atOnce.answer).toMatchObject({ status: 'denied', error: 'The person who asked may not ask for it any more' })

  const approver = await acme.tenancy.person({ permissions: ['certApprovals'] })
  for (const { loses, error } of [
    { loses: 'lee', error: 'The person who asked may not ask for it any more' },
    { loses: 'approver', error: 'The person who approved it may not approve any more' },
  ]) {
    const { lee, answer } = await ask(1)
    const { requestId } = await answer
    key.hold()
    const approved = approver.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
    await expect
      .poll(
        async () =>
          (await looker.query<{ stage: string }>('select stage from certificate_requests where id = $1', [requestId])).rows[0]?.stage,
        { interval: 5 },
      )
      .toBe('reserved')
    await takeRoles(loses === 'lee' ? lee : approver)
    key.release()
    expect(await approved).toMatchObject({ status: 'denied', error })
    expect((await looker.query('select state from serials where ca_id = $1 and about_id = $2', [caId, requestId])).rows).toEqual([
      { state: 'void' },
    ])
  }
  expect((await acme.ada.call(calls.search, { caId: [caId] })).total).toBe(0)
})
