import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { applications } from '#areas/applications/contract.ts'
import { openIssuing, openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { users } from '#areas/users/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { offer } from '#core/contract/slots.ts'
import { inTenant } from '#core/server/database.ts'
import { Fault } from '#core/server/fault.ts'
import { serve } from '#core/server/serve.ts'
import { caller, refusal } from '#core/testing/caller.ts'
import { audited } from '#core/testing/events.ts'
import { bulk } from '../contract.ts'
import { mostPrepared } from '../rules.ts'
import { bulkAction, bulkActions, within, type Target } from '../service.ts'
import { manyCertificates } from './many.fixture.ts'

const { prepare, start, cancel, again, view, rows, search } = bulk.calls
const action = 'revocation.revoke'

/** An action of the test's own: what it says of a row holds what no row can hold. */
const quoting = serve(
  contract({ area: 'quoting', title: 'Quoting' }),
  {},
  {
    offers: [
      offer(
        bulkActions,
        bulkAction({
          name: 'revocation.quote',
          needs: 'certView',
          query: z.object({}),
          parameters: z.object({}),
          targets: (_db, { tenantId, selected }) =>
            sql<Target>`select id, name as label, 1 as version from certificates where tenant_id = ${tenantId} and ${within(sql`id`, selected)}`,
          batchSize: 2,
          performApart: async (_context, targets) =>
            targets.map(({ label }) => new Fault('quoted', { status: 409, says: `${label} says a\u0000b\ud800` })),
        }),
      ),
    ],
  },
)

const { house, tools, pki, close } = await openIssuingHouse({ head: 'Head office', moreRooms: [quoting] })
const other = await openIssuing(house, tools, 'Globex')
/** Sees certificates and decides revocations. */
const rita = await pki.tenancy.person({ permissions: ['certView', 'certRevokeView', 'search'], username: 'rita' })
afterAll(close)

const chosen = (inclusionList: string[]) => ({ selectAll: false, inclusionList, exclusionList: [] })
const all = { selectAll: true, inclusionList: [], exclusionList: [] as string[] }
const many = (count: number, name: string, change: Parameters<typeof manyCertificates>[3] = {}) =>
  manyCertificates(house, pki, { count, name }, change)
const events = async (name: string) => (await audited(house, pki.tenancy.id)).filter((event) => `${event.area}.${event.name}` === name)
const finish = () => house.runJob(bulk.jobs.work)

async function revoked(ids: readonly string[]): Promise<number> {
  const { rows: counted } = await inTenant(house.house.database, pki.tenancy.id, (db) =>
    sql<{ n: number }>`select count(*) as n from certificates where id = any (${[...ids]}::uuid[]) and revoked_at is not null`.execute(db),
  )
  return Number(counted[0]?.n)
}

describe('Bulk work', () => {
  test('does to every row what was confirmed, as the person who confirmed, and says how it went', async () => {
    const ids = await many(40, 'plain')
    const { runId, total, facts } = await rita.call(prepare, { action, selection: chosen(ids.slice(0, 30)) })
    expect({ total, facts }).toEqual({ total: 30, facts: { already: 0, held: 0, foreign: 0, approval: 0, expired: 0, holders: 30 } })
    expect(await revoked(ids)).toBe(0)
    await rita.call(start, { runId, count: 30, parameters: { reason: 'superseded' } })
    await finish()
    expect(await rita.call(view, { runId })).toMatchObject({
      state: 'done',
      total: 30,
      reached: 30,
      failed: 0,
      outcomes: { revoked: 30 },
      own: true,
      actor: 'rita',
    })
    expect([await revoked(ids.slice(0, 30)), await revoked(ids)]).toEqual([30, 30])
    const told = (await events('revocation.revoked')).filter(({ about }) => ids.includes(about))
    expect(told.map(({ actor }) => actor)).toEqual(Array.from({ length: 30 }, () => 'rita'))
    expect((await rita.call(search, {})).rows.map((run) => run.runId)).toContain(runId)
  })

  test('refuses a version that no row can have', async () => {
    const [id = ''] = await many(1, 'version')
    for (const version of [-1, 2_147_483_648, 3_000_000_000])
      await expect(rita.call(prepare, { action, selection: chosen([id]), seen: { [id]: version } })).rejects.toMatchObject({ status: 400 })
    expect(await rita.call(prepare, { action, selection: chosen([id]), seen: { [id]: 2_147_483_647 } })).toMatchObject({ total: 1 })
  })

  test('is prepared for no more rows than were meant: what is misspelt is refused, and said by name', async () => {
    const asked = (draft: object) => refusal(rita.call(prepare, { action, ...draft } as never))
    expect(await asked({ selection: all, query: { stat: ['active'], page: 2, size: 50, sort: 'name', direction: 'asc' } })).toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'query.stat', says: expect.stringMatching(/^There is no field stat here\./) as string }],
    })
    expect((await asked({ selection: all, query: { sttatus: ['active'] } })).fields).toEqual([
      { field: 'query.sttatus', says: 'There is no field sttatus here. Did you mean status?' },
    ])
    expect((await asked({ selection: all, querry: { status: ['active'] } })).fields).toMatchObject([{ field: 'querry' }])
    expect((await asked({ selection: { selectAll: true, exclusionlist: [pki.caId] } })).fields).toMatchObject([
      { field: 'selection.exclusionlist' },
    ])
    expect(await refusal(pki.ada.call(prepare, { action: 'renewal.renew', selection: all, query: { stattus: ['active'] } }))).toMatchObject(
      { status: 400, fields: [{ field: 'query.stattus' }] },
    )
  })

  test('holds to the rows that were written down: what matches the filter later is not touched, what stopped matching is done', async () => {
    const spring = { issued_at: '2020-03-21T12:00:00Z' }
    const before = await many(5, 'frozen', spring)
    const { runId, total } = await rita.call(prepare, {
      action,
      selection: { ...all, exclusionList: before.slice(4) },
      query: { issued: '2020-03-21T00:00:00Z/2020-03-22T00:00:00Z', status: ['active'], page: 7 },
    })
    expect(total).toBe(4)
    const later = await many(3, 'frozen', spring)
    await rita.call(start, { runId, count: 4, parameters: { reason: 'superseded' } })
    await finish()
    expect([await revoked(before.slice(0, 4)), await revoked(before.slice(4)), await revoked(later)]).toEqual([4, 0, 0])
  })

  test('that cannot go on holds up no other, and goes on when it can', async () => {
    const begin = async (name: string) => {
      const { runId } = await rita.call(prepare, { action, selection: chosen(await many(3, name)) })
      await rita.call(start, { runId, count: 3, parameters: { reason: 'superseded' } })
      return runId
    }
    const [stuck, free] = [await begin('stuck'), await begin('free')]
    await house.asOwner(`create function refuse_stuck() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`)
    await house.asOwner(
      `create trigger refuse_stuck before update on bulk_runs for each row when (old.id = '${stuck}') execute function refuse_stuck()`,
    )
    await expect(finish()).rejects.toThrow(stuck)
    expect([(await rita.call(view, { runId: stuck })).reached, (await rita.call(view, { runId: free })).state]).toEqual([0, 'done'])
    await house.asOwner('drop trigger refuse_stuck on bulk_runs')
    await finish()
    expect(await rita.call(view, { runId: stuck })).toMatchObject({ state: 'done', outcomes: { revoked: 3 } })
  })

  test('a double click, and two that start at once, are one run', async () => {
    const ids = await many(10, 'double')
    const key = { 'idempotency-key': 'one-click' }
    const [first, second] = await Promise.all([
      rita.call(prepare, { action, selection: chosen(ids) }, key),
      rita.call(prepare, { action, selection: chosen(ids) }, key),
    ])
    expect(second.runId).toBe(first.runId)
    const answers = await Promise.all(
      [1, 2, 3].map(() => rita.call(start, { runId: first.runId, count: 10, parameters: { reason: 'superseded' } })),
    )
    expect(answers.map(({ state }) => state)).toEqual(['running', 'running', 'running'])
    expect((await events('bulk.started')).filter(({ about }) => about === first.runId)).toHaveLength(1)
    await Promise.all([finish(), finish()])
    expect((await events('revocation.revoked')).filter(({ about }) => ids.includes(about))).toHaveLength(10)
    expect((await refusal(rita.call(start, { runId: first.runId, count: 10, parameters: { reason: 'superseded' } }))).code).toBe('ended')
  })

  test('is refused for another count than the one that was shown, and without what the action needs', async () => {
    const { runId } = await rita.call(prepare, { action, selection: chosen(await many(3, 'count')) })
    expect(await refusal(rita.call(start, { runId, count: 2, parameters: { reason: 'superseded' } }))).toMatchObject({
      status: 409,
      code: 'otherCount',
    })
    expect(await refusal(rita.call(start, { runId, count: 3, parameters: { reason: 'cACompromise' } }))).toMatchObject({
      status: 400,
      fields: [{ field: 'parameters.reason', says: 'This reason cannot be chosen for a certificate' }],
    })
    expect((await rita.call(view, { runId })).state).toBe('prepared')
    expect(await refusal(rita.call(prepare, { action: 'no.such', selection: chosen([]) }))).toMatchObject({
      status: 400,
      fields: [{ field: 'action', says: 'There is no such action' }],
    })
    expect(await refusal(rita.call(prepare, { action, selection: all, query: { status: ['sideways'] } }))).toMatchObject({
      status: 400,
      fields: [{ field: 'query.status.0' }],
    })
    expect((await refusal(rita.call(prepare, { action, selection: chosen([]) }))).code).toBe('nothing')
    expect((await refusal(pki.eve.call(prepare, { action, selection: all }))).status).toBe(403)
  })

  test('leaves rows that fail behind with their reasons, does all others, and takes the failed ones up again', async () => {
    const ids = await many(250, 'partly')
    const single = ids.filter((_, at) => at % 50 === 7)
    const { runId } = await rita.call(prepare, { action, selection: chosen(ids) })
    for (const certId of single) await rita.call(revocation.calls.revoke, { certId, reason: 'superseded' })
    await rita.call(start, { runId, count: 250, parameters: { reason: 'superseded' } })
    await finish()
    expect(await rita.call(view, { runId })).toMatchObject({ state: 'done', reached: 250, failed: 5, outcomes: { revoked: 245 } })
    const failed = await rita.call(rows, { runId, state: 'failed' })
    expect(failed.rows.map(({ targetId, failureCode, failure }) => [targetId, failureCode, failure])).toEqual(
      single.toSorted().map((id) => [id, 'alreadyRevoked', 'This certificate is revoked already']),
    )
    const csv = await (await rita.fetch(`/api2/Monitoring-v1/BulkFailures?runId=${runId}`)).text()
    expect(csv.split('\r\n')).toHaveLength(7)
    expect(csv).toContain('This certificate is revoked already,alreadyRevoked')
    const repeated = await rita.call(again, { runId })
    expect(repeated.total).toBe(5)
    expect(await rita.call(view, { runId: repeated.runId })).toMatchObject({
      state: 'prepared',
      repeats: runId,
      parameters: { reason: 'superseded' },
      facts: { already: 5 },
    })
  })

  test('notes a reason that holds what no row can hold, and goes on', async () => {
    const { runId } = await rita.call(prepare, { action: 'revocation.quote', selection: chosen(await many(3, 'quoted')) })
    await rita.call(start, { runId, count: 3, parameters: {} })
    await finish()
    expect(await rita.call(view, { runId })).toMatchObject({ state: 'done', reached: 3, failed: 3 })
    for (const { failure } of (await rita.call(rows, { runId, state: 'failed' })).rows) expect(failure).toMatch(/ says a\ufffdb\ufffd$/)
  })

  test('asks others where the template says so: such a row waits for them, and nothing is revoked around them', async () => {
    const ids = [...(await many(3, 'asked', { revocation_approvers: 1 })), ...(await many(2, 'unasked'))]
    const { runId, facts } = await rita.call(prepare, { action, selection: chosen(ids) })
    expect(facts).toMatchObject({ approval: 3, holders: 5 })
    await rita.call(start, { runId, count: 5, parameters: { reason: 'superseded', note: 'All of them' } })
    await finish()
    expect(await rita.call(view, { runId })).toMatchObject({ reached: 5, failed: 0, requested: 3, outcomes: { pending: 3, revoked: 2 } })
    expect(await revoked(ids)).toBe(2)
    const waiting = (await rita.call(revocation.calls.search, { states: ['pending'] })).rows.filter(({ certificateId }) =>
      ids.includes(certificateId),
    )
    expect(waiting.map(({ note }) => note)).toEqual(['All of them', 'All of them', 'All of them'])
    const asked = (await rita.call(rows, { runId, state: 'requested' })).rows
    expect(asked.map(({ targetId, outcome, requestId }) => ({ targetId, outcome, requestId }))).toEqual(
      ids.slice(0, 3).map((targetId) => ({
        targetId,
        outcome: 'pending',
        requestId: waiting.find(({ certificateId }) => certificateId === targetId)?.revocationId,
      })),
    )
    expect((await rita.call(rows, { runId, state: 'done' })).rows.map(({ targetId, state }) => [targetId, state])).toEqual(
      ids
        .slice(3)
        .toSorted()
        .map((id) => [id, 'done']),
    )
    const csv = await (await rita.fetch(`/api2/Monitoring-v1/BulkRows?runId=${runId}`)).text()
    const [head, ...lines] = csv
      .trim()
      .split('\r\n')
      .map((line) => line.replace('\u{feff}', '').split(','))
    expect(head).toEqual(['Name', 'Id', 'State', 'Outcome', 'Request', 'Reason', 'Code'])
    const inCsv = new Map(lines.map(([, id = '', ...rest]) => [id, rest]))
    expect(asked.map(({ targetId }) => inCsv.get(targetId))).toEqual(
      asked.map(({ requestId }) => ['requested', 'pending', requestId, '', '']),
    )
    expect(ids.slice(3).map((id) => inCsv.get(id))).toEqual([
      ['done', '', '', '', ''],
      ['done', '', '', '', ''],
    ])
    expect(
      (await refusal(rita.call(revocation.calls.vote, { revocationId: waiting[0]?.revocationId ?? '', verdict: 'approve' }))).code,
    ).toBe('own')
  })

  test('can do no more than its person: who may not revoke a certificate alone may not revoke it among thousands', async () => {
    const ids = await many(4, 'strangers')
    const { runId } = await pki.bob.call(prepare, { action, selection: chosen(ids) })
    await pki.bob.call(start, { runId, count: 4, parameters: { reason: 'superseded' } })
    await finish()
    expect(await rita.call(view, { runId })).toMatchObject({ failed: 4, outcomes: {} })
    expect((await rita.call(rows, { runId })).rows[0]).toMatchObject({ state: 'failed', failureCode: 'notYours' })
    expect(await revoked(ids)).toBe(0)
  })

  test('of an application does what its scopes say, and nothing besides', async () => {
    const page = await (await pki.tenancy.person({ permissions: 'all' })).session()
    const program = async (name: string, scopes: string[]) => {
      const made = await page.call(applications.calls.add, { name, owner: { kind: 'person', id: rita.id }, scopes })
      return { ...made, ...caller(house.origin, { authorization: `Bearer ${made.secret}` }) }
    }
    const ids = await many(3, 'program')
    const seeing = await program('Sees', ['certView', 'search'])
    expect((await refusal(seeing.call(prepare, { action, selection: chosen(ids) }))).status).toBe(403)
    const revoking = await program('Revokes', ['certView', 'certRevokeView'])
    const { runId } = await revoking.call(prepare, { action, selection: chosen(ids) })
    expect((await refusal(seeing.call(start, { runId, count: 3, parameters: { reason: 'superseded' } }))).status).toBe(404)
    await revoking.call(start, { runId, count: 3, parameters: { reason: 'superseded' } })
    await finish()
    expect(await revoked(ids)).toBe(3)
    expect((await events('revocation.revoked')).filter(({ about }) => ids.includes(about)).map(({ actor_id: id }) => id)).toEqual(
      ids.map(() => revoking.id),
    )
    // A scope that is taken away meanwhile is missed by what goes on.
    const later = await many(2, 'taken')
    const next = await revoking.call(prepare, { action, selection: chosen(later) })
    await revoking.call(start, { runId: next.runId, count: 2, parameters: { reason: 'superseded' } })
    const { version, name, owner, note, networks, enabled } = await page.call(applications.calls.read, { id: revoking.id })
    await page.call(applications.calls.change, {
      id: revoking.id,
      version,
      name,
      owner: { kind: owner.kind, id: owner.id },
      note,
      networks,
      enabled,
      scopes: ['certView'],
    })
    await finish()
    expect(await revoked(later)).toBe(0)
  })

  test('stops where its person is disabled, and stands still where somebody stopped it', async () => {
    const gone = await pki.tenancy.person({ permissions: ['certView', 'certRevokeView'] })
    const ids = await many(6, 'stopped')
    const { runId } = await gone.call(prepare, { action, selection: chosen(ids.slice(0, 3)) })
    await gone.call(start, { runId, count: 3, parameters: { reason: 'superseded' } })
    await pki.tenancy.administrator.call(users.calls.setEnabled, { id: gone.id, enabled: false })
    const second = await rita.call(prepare, { action, selection: chosen(ids.slice(3)) })
    await rita.call(start, { runId: second.runId, count: 3, parameters: { reason: 'superseded' } })
    expect(await rita.call(cancel, { runId: second.runId })).toMatchObject({ state: 'cancelled', reached: 0 })
    await finish()
    expect((await rita.call(view, { runId })).endedBy).toContain('was disabled')
    expect((await rita.call(view, { runId: second.runId })).endedBy).toBe('rita')
    expect(await revoked(ids)).toBe(0)
    expect((await refusal(rita.call(cancel, { runId }))).code).toBe('ended')
  })

  test('is nobody else’s: ids of another tenancy match nothing, and its runs do not exist elsewhere', async () => {
    const ids = await many(2, 'mine')
    const mallory = await other.tenancy.person({ permissions: 'all' })
    expect((await refusal(mallory.call(prepare, { action, selection: chosen(ids) }))).code).toBe('nothing')
    const { runId } = await rita.call(prepare, { action, selection: chosen(ids) })
    const calls = [
      () => mallory.call(view, { runId }),
      () => mallory.call(rows, { runId }),
      () => mallory.call(start, { runId, count: 2, parameters: { reason: 'superseded' } }),
      () => mallory.call(cancel, { runId }),
      () => mallory.call(again, { runId }),
      () => pki.eve.call(view, { runId }),
    ]
    for (const asked of calls) expect(await refusal(asked())).toMatchObject({ status: 404, code: 'missing' })
    expect((await mallory.fetch(`/api2/Monitoring-v1/BulkFailures?runId=${runId}`)).status).toBe(404)
    expect((await mallory.call(search, {})).rows).toEqual([])
    expect((await refusal(pki.ada.call(start, { runId, count: 2, parameters: { reason: 'superseded' } }))).code).toBe('notYours')
  })

  test('of all that match takes up what its person may revoke, and no rows that would only fail', async () => {
    await many(3, 'theirs', { requester_id: pki.ada.id })
    await many(2, 'bobs', { requester_id: pki.bob.id })
    const { total } = await pki.bob.call(prepare, { action, selection: all, query: { text: '' } })
    expect(total).toBe(2)
    expect((await rita.call(prepare, { action, selection: all, query: { text: '' } })).total).toBeGreaterThan(total)
  })

  test('keeps what its action understands, and rows for as long as somebody may want them', async () => {
    const ids = await many(2, 'kept')
    const first = await rita.call(prepare, { action, selection: chosen(ids) })
    await rita.call(start, { runId: first.runId, count: 2, parameters: { reason: 'superseded', ballast: 'x'.repeat(100_000) } })
    expect((await rita.call(view, { runId: first.runId })).parameters).toEqual({ reason: 'superseded', note: '' })
    const { runId } = await rita.call(prepare, { action, selection: chosen(ids) })
    await rita.call(cancel, { runId })
    expect([(await rita.call(view, { runId })).state, (await rita.call(rows, { runId })).total]).toEqual(['cancelled', 0])
    const prepared = []
    for (let at = 0; at < mostPrepared + 2; at += 1) prepared.push((await rita.call(prepare, { action, selection: chosen(ids) })).runId)
    const there = await Promise.all(
      prepared.map((one) =>
        rita.call(view, { runId: one }).then(
          () => true,
          () => false,
        ),
      ),
    )
    expect(there).toEqual([false, false, ...Array.from({ length: mostPrepared }, () => true)])
    await finish()
  })

  test('that nobody confirmed is forgotten after a day', async () => {
    const { runId } = await rita.call(prepare, { action, selection: chosen(await many(2, 'forgotten')) })
    house.clock.advance(86_400_001)
    await house.runJob(bulk.jobs.forget)
    expect((await refusal(rita.call(view, { runId }))).code).toBe('missing')
  })
})
