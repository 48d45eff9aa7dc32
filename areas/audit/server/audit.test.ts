import { describe, expect, test } from 'vitest'
import { audit, type AuditEvent } from '#areas/audit/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { installationTenant, writeEvents } from '#core/server/events.ts'
import { openHouse } from '#core/server/open.ts'
import { allSigned } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { verifyCheckpoint } from '#standards/audit-log/checkpoint.ts'
import { leafHash, verifyConsistency, verifyInclusion } from '#standards/audit-log/merkle.ts'
import { activityOf, recentActivity } from '../service.ts'
import { checkpointKey, verifyDatabase } from './verify.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const other = await house.tenancy('Other')
const ada = await acme.person({ permissions: 'all', username: 'ada' })

const write = (tenantId: string, count: number, name = 'made') =>
  inTenant(house.house.database, tenantId, (db) =>
    writeEvents(
      db,
      tenantId,
      Array.from({ length: count }, (_, at) => ({
        at: house.clock.now(),
        actor_id: null,
        actor: 'ada',
        address: '192.0.2.7',
        area: 'keys',
        name,
        outcome: 'done' as const,
        about: `key-${at}`,
        body: JSON.stringify({ at, label: `Label ${at}` }),
        request_id: 'r',
      })),
    ),
  )

const settled = (): Promise<void> => allSigned(house)

const verify = (kept?: string) => verifyDatabase(house.house.auditor.database, { checkpoint: kept })
const hash = (text: string) => Buffer.from(text, 'base64')

describe('numbering', () => {
  test('gives every committed event a number and covers it with a signed checkpoint', async () => {
    await write(acme.id, 500)
    await settled()
    const status = await ada.call(audit.calls.status, {})
    expect(status.waiting).toBe(0)
    expect(verifyCheckpoint(status.checkpoint?.note ?? '', checkpointKey(status.verifierKey)).ok).toBe(true)
    expect(await verify()).toMatchObject({ ok: true, rows: status.checkpoint?.size })
  })

  test('keeps the order of time within a burst', async () => {
    await settled()
    const { rows } = await house.house.auditor.pool.query<{ wrong: number }>(
      'select count(*) as wrong from events a join events b on b.sequence = a.sequence + 1 where (b.at, b.id) < (a.at, a.id) and a.request_id = b.request_id',
    )
    expect(rows[0]?.wrong).toBe(0)
  })

  test('is taken over by another server when the numbering one loses its database', async () => {
    const second = await openHouse({
      settings: house.house.settings,
      connection: house.connection,
      rooms: house.rooms,
      identify: async () => undefined,
      port: 0,
      migrated: true,
      background: false,
    })
    try {
      await house.asOwner(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      )
      await write(acme.id, 30)
      await settled()
    } finally {
      await second.close()
    }
    await write(acme.id, 3)
    await settled()
    expect(await verify()).toMatchObject({ ok: true })
  })
})

describe('search', () => {
  test('finds the events of the own tenancy only', async () => {
    await write(acme.id, 1, 'ours')
    await write(other.id, 1, 'theirs')
    const found = await ada.call(audit.calls.search, { size: 200 })
    expect(found.rows.some(({ name }) => name === 'ours')).toBe(true)
    expect(found.rows.some(({ name }) => name === 'theirs')).toBe(false)
  })

  test.each<[Partial<DraftOf<typeof audit.calls.search>>, (row: AuditEvent) => boolean]>([
    [{ area: 'keys' }, (row) => row.area === 'keys'],
    [{ name: 'sought' }, (row) => row.name === 'sought'],
    [{ actor: 'AD' }, (row) => row.actor.toLowerCase().includes('ad')],
    [{ about: 'key-1' }, (row) => row.about === 'key-1'],
    [{ text: 'label 1' }, (row) => row.body.includes('Label 1')],
    [{ outcome: 'done', name: 'sought' }, (row) => row.outcome === 'done' && row.name === 'sought'],
  ])('filters by %j', async (filter, fits) => {
    await write(acme.id, 2, 'sought')
    const { rows, total } = await ada.call(audit.calls.search, { ...filter, size: 10 })
    expect(total).toBeGreaterThan(0)
    expect(rows.every(fits)).toBe(true)
    expect((await ada.call(audit.calls.search, { ...filter, from: '2999-01-01T00:00:00Z' })).total).toBe(0)
  })

  test('counts the events of each area and outcome', async () => {
    const { facets, total } = await ada.call(audit.calls.search, { area: 'keys', size: 10 })
    expect(facets.area['keys']).toBe(total)
    expect(Object.values(facets.outcome).reduce((sum, count) => sum + count, 0)).toBe(total)
  })

  test('needs the permission', async () => {
    const eve = await acme.person({ permissions: ['certView'] })
    await expect(eve.call(audit.calls.search, {})).rejects.toMatchObject({ status: 403, code: 'denied' })
  })

  test('gives rooms the activity of a record and of the tenancy', async () => {
    await write(acme.id, 1, 'last')
    const [about, recent] = await inTenant(house.house.database, acme.id, async (db) => [
      await activityOf(db, acme.id, 'key-0', 5),
      await recentActivity(db, acme.id, 1),
    ])
    expect(about.every((event) => event.about === 'key-0')).toBe(true)
    expect(about.length).toBeGreaterThan(0)
    expect(recent).toMatchObject([{ name: 'last', actor: 'ada' }])
  })

  test('hands the found events out as CSV, and records that', async () => {
    await write(acme.id, 1, '=cmd')
    const response = await ada.fetch('/api2/Monitoring-v1/ExportAuditEvents?area=keys')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines[0]).toBe('sequence,id,at,actor,actor_id,address,area,name,outcome,about,request_id,body')
    expect(lines.slice(1).every((line) => line.includes(',keys,'))).toBe(true)
    expect(lines.some((line) => line.includes(`,'=cmd,`))).toBe(true)
    expect((await ada.call(audit.calls.search, { name: 'exported' })).rows).toMatchObject([{ area: 'audit', actor: 'ada' }])
    expect((await ada.fetch('/api2/Monitoring-v1/ExportAuditEvents?from=yesterday')).status).toBe(400)
  })

  test.each([
    ['are=keys', 'are', 'There is no field are here. Did you mean area?'],
    ['area=keys&area=users', 'area', 'Give this once'],
  ])('hands out no other events than were asked for: %s', async (query, field, says) => {
    const answer = await ada.fetch(`/api2/Monitoring-v1/ExportAuditEvents?${query}`)
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid', fields: [{ field, says }] }])
  })
})

describe('proofs', () => {
  test('an event is proven to be in the log, and a changed one is not', async () => {
    await write(acme.id, 40)
    await settled()
    const [event] = (await ada.call(audit.calls.search, { about: 'key-7' })).rows
    const proof = await ada.call(audit.calls.proof, { eventId: event?.id ?? '' })
    const claim = { index: proof.index, size: proof.size, root: hash(proof.root), proof: proof.path.map(hash) }
    expect(verifyInclusion({ ...claim, leafHash: leafHash(Buffer.from(proof.leaf)) })).toBe(true)
    expect(verifyInclusion({ ...claim, leafHash: leafHash(Buffer.from(proof.leaf.replace('ada', 'eve'))) })).toBe(false)
    expect(JSON.parse(proof.leaf)).toMatchObject({ id: event?.id, tenant_id: acme.id, about: 'key-7' })
    expect(proof.index).toBe(event?.sequence)
  })

  test('of another tenancy looks like one that is not there', async () => {
    await write(other.id, 1)
    await settled()
    const { rows } = await house.house.auditor.pool.query<{ id: string }>('select id from events where tenant_id = $1 limit 1', [other.id])
    for (const call of [audit.calls.proof, audit.calls.event])
      await expect(ada.call(call, { eventId: rows[0]?.id ?? '' })).rejects.toMatchObject({ status: 404, code: 'missing' })
  })

  test('a checkpoint that was kept is proven to be the beginning of the present log', async () => {
    const before = (await ada.call(audit.calls.status, {})).checkpoint
    await write(acme.id, 17)
    await settled()
    const { first, second, path, checkpoint, verifierKey } = await ada.call(audit.calls.consistency, { first: before?.size ?? 0 })
    const old = verifyCheckpoint(before?.note ?? '', checkpointKey(verifierKey))
    const present = verifyCheckpoint(checkpoint, checkpointKey(verifierKey))
    if (!old.ok || !present.ok) throw new Error('a checkpoint does not verify')
    expect(second).toBeGreaterThan(first)
    expect(
      verifyConsistency({ first, second, firstRoot: old.checkpoint.root, secondRoot: present.checkpoint.root, proof: path.map(hash) }),
    ).toBe(true)
    await expect(ada.call(audit.calls.consistency, { first: 10_000_000 })).rejects.toMatchObject({ status: 409, code: 'shorter' })
  })
})

describe('tampering by the owner of the database', () => {
  /** Changes the log, looks, and puts it back as it was. */
  async function tampered(statement: string, kept?: string) {
    await settled()
    await house.asOwner(
      'create table kept_events as select * from events; create table kept_tree as select * from audit_tree; create table kept_checkpoints as select * from audit_checkpoints',
    )
    try {
      await house.asOwner(`set row_security = off; ${statement}`)
      return await verify(kept)
    } finally {
      await house.asOwner(`delete from events; insert into events select * from kept_events; drop table kept_events;
        delete from audit_tree; insert into audit_tree select * from kept_tree; drop table kept_tree;
        delete from audit_checkpoints; insert into audit_checkpoints select * from kept_checkpoints; drop table kept_checkpoints`)
    }
  }

  test('a deleted event is named', async () => {
    expect(await tampered('delete from events where sequence = 100')).toMatchObject({
      ok: false,
      fault: 'rowMissing',
      sequence: 100,
      lastSequence: 100,
    })
  })

  test('an edited event is named', async () => {
    expect(await tampered(`update events set actor = 'nobody' where sequence = 101`)).toMatchObject({
      ok: false,
      fault: 'rowEdited',
      sequence: 101,
    })
  })

  test('a time that was moved by a microsecond is an edit', async () => {
    expect(await tampered(`update events set at = at + interval '1 microsecond' where sequence = 102`)).toMatchObject({
      ok: false,
      fault: 'rowEdited',
      sequence: 102,
    })
  })

  test('two events that changed places are found', async () => {
    const swap =
      'update events set sequence = -1 where sequence = 103; update events set sequence = 103 where sequence = 104; update events set sequence = 104 where sequence = -1'
    expect(await tampered(swap)).toMatchObject({ ok: false, fault: 'rowEdited', sequence: 103 })
  })

  test('an edit whose hash was changed too is found by the next checkpoint', async () => {
    const forged = `update events set actor = 'nobody' where sequence = 105;
      update audit_tree set hash = sha256('\\x00'::bytea || convert_to('{"about":"forged"}', 'utf8')) where level = 0 and position = 105`
    expect(await tampered(forged)).toMatchObject({ ok: false })
    expect(
      await tampered(`update events set actor = 'nobody' where sequence = 105; delete from audit_tree where level = 0 and position = 105`),
    ).toMatchObject({ ok: false, fault: 'rowsChanged' })
  })

  test('an event that was cut from the end and its checkpoints with it is found by its noted hash', async () => {
    const cut = `delete from audit_checkpoints where size = (select max(size) from audit_checkpoints); delete from events where sequence = (select max(sequence) from events)`
    await write(acme.id, 1)
    expect(await tampered(cut)).toMatchObject({ ok: false, fault: 'rowMissing' })
  })

  test('a log that was rolled back as a whole is found by a checkpoint that was kept elsewhere, and only by it', async () => {
    await write(acme.id, 5)
    await settled()
    const kept = (await ada.call(audit.calls.status, {})).checkpoint
    const older = `delete from audit_checkpoints where size > (select size from audit_checkpoints order by size offset 1 limit 1); delete from events where sequence >= (select max(size) from audit_checkpoints);
      delete from audit_tree where (position + 1) * (2 ^ level) > (select max(size) from audit_checkpoints)`
    expect(await tampered(older)).toMatchObject({ ok: true })
    expect(await tampered(older, kept?.note)).toMatchObject({ ok: false, fault: expect.stringMatching(/rolledBack/) })
    expect(await verify(kept?.note)).toMatchObject({ ok: true })
  })

  test('a log whose key is gone is not intact, however little is left of it', async () => {
    const kept = (await ada.call(audit.calls.status, {})).checkpoint
    await house.asOwner('create table kept_key as select * from audit_key')
    const everything = 'delete from audit_key; delete from events; delete from audit_tree; delete from audit_checkpoints'
    try {
      for (const statement of ['delete from audit_key', everything])
        for (const checkpoint of [undefined, kept?.note])
          expect(await tampered(statement, checkpoint)).toMatchObject({ ok: false, fault: 'keyMissing' })
    } finally {
      await house.asOwner('insert into audit_key select * from kept_key; drop table kept_key')
    }
    expect(await tampered('delete from events; delete from audit_tree; delete from audit_checkpoints', kept?.note)).toMatchObject({
      ok: false,
      fault: 'rolledBack',
    })
  })

  test('a number below the first, a row that waits for its number and a log that an earlier verification knew longer are named', async () => {
    await settled()
    const copy = (sequence: string, at = 'now()') =>
      `insert into events select tenant_id, gen_random_uuid(), ${at}, actor_id, actor, address, area, name, outcome, about, body, request_id, ${sequence} from events where sequence = 3`
    expect(await tampered(copy('-1'))).toMatchObject({ ok: false, fault: 'sequenceTooLow', sequence: -1 })
    expect(await tampered(copy('(select max(sequence) + 1000000 from events)'))).toMatchObject({ ok: false, fault: 'rowMissing' })
    // The sequencer would number it.
    await house.asOwner('revoke update (sequence) on events from chancery_auditor')
    expect(await tampered(copy('null', `now() - interval '59 seconds'`))).toMatchObject({ ok: true })
    expect(await tampered(copy('null', `now() - interval '61 seconds'`))).toMatchObject({ ok: false, fault: 'rowUnnumbered' })
    await house.asOwner('grant update (sequence) on events to chancery_auditor')
    await house.asOwner(`insert into audit_verifications values (now(), true, (select max(sequence) + 2 from events), '')`)
    expect(await verify()).toMatchObject({ ok: false, fault: 'rolledBack' })
    await house.asOwner('delete from audit_verifications')
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('the nightly verification says so on the dashboard', async () => {
    await settled()
    await house.runJob(audit.jobs.verify)
    expect((await ada.call(audit.calls.status, {})).verification).toMatchObject({ intact: true, message: '' })
  })
})

describe('rights', () => {
  test('the application can neither change nor delete an event', async () => {
    for (const statement of [
      `update events set actor = 'x'`,
      'delete from events',
      'truncate events',
      'select * from audit_key',
      'insert into audit_tree values (0, 0, null)',
    ]) {
      await expect(
        inTenant(house.house.database, acme.id, (db) =>
          db.executeQuery({
            sql: statement,
            parameters: [],
            query: { kind: 'RawNode', sqlFragments: [statement], parameters: [] },
            queryId: { queryId: 'q' },
          }),
        ),
      ).rejects.toThrow(/permission denied/)
    }
  })

  test('the auditor can change nothing of an event but its number', async () => {
    await expect(house.house.auditor.pool.query(`update events set actor = 'x'`)).rejects.toThrow(/permission denied/)
    await expect(house.house.auditor.pool.query('delete from events')).rejects.toThrow(/permission denied/)
    await expect(house.house.auditor.pool.query('delete from audit_checkpoints')).rejects.toThrow(/permission denied/)
  })
})

describe('when no event can be written', () => {
  test('a change answers 503 Audit failed and nothing has changed', async () => {
    const draft = { name: 'Unrecorded', description: '', view: [], menu: [], api: [] }
    await house.asOwner('revoke insert on events from chancery_app')
    try {
      await expect(ada.call(roles.calls.add, draft)).rejects.toMatchObject({
        status: 503,
        code: 'audit_failed',
        message: expect.stringContaining('Audit failed'),
      })
    } finally {
      await house.asOwner('grant insert on events to chancery_app')
    }
    expect((await ada.call(roles.calls.search, { text: 'Unrecorded' })).rows).toEqual([])
    await ada.call(roles.calls.add, draft)
  })

  test('the log of the installation takes what belongs to no tenancy', async () => {
    await write(installationTenant, 1)
    await settled()
    expect(await verify()).toMatchObject({ ok: true })
  })
})
