// What becomes of a tenancy that goes: with real rows where a PKI makes them, and with a row of any content in every other table of the catalogue.

import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { users } from '#areas/users/contract.ts'
import { hashPassword, storeHash } from '#areas/users/passwords.ts'
import { zipFiles } from '#core/server/attachments/zip-files.ts'
import { inTenant } from '#core/server/database.ts'
import { tenantTables, type TenantTable } from '#core/server/tenant-tables.ts'
import { refusal, useHouse, type Caller, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { departure } from '../contract.ts'
import { exportDays, exportedColumns, namesAnother, settlingMilliseconds, waitingDays } from '../rules.ts'

const day = 86_400_000
const { calls, jobs } = departure
const house = await useHouse()
const tools = openSsl()

let owner: pg.Client
let headOffice: TestTenancy
let leader: Caller
let acme: TestTenancy
let admin: TestPerson
beforeAll(async () => {
  owner = new pg.Client(house.connection)
  await owner.connect()
  headOffice = await house.tenancy('Head office')
  leader = await (await headOffice.person({ permissions: 'all' })).session()
  acme = (await openIssuing(house, tools, 'Acme')).tenancy
  admin = await acme.person({ permissions: 'all', familyName: 'Äußerst' })
})
afterAll(async () => {
  await owner.end()
  tools.close()
})

const password = 'correct horse battery staple'

/** A session in which the person gave the password once more, as a deletion wants it. */
async function provedSession({ id, tenantId, session }: TestPerson): Promise<Caller> {
  const hash = await hashPassword(house.house, password)
  await inTenant(house.house.database, tenantId, (db) => storeHash(db, tenantId, id, hash, house.clock.now()))
  const opened = await session()
  await opened.call(sessions.calls.confirmPassword, { password })
  return opened
}

/** What of a tenancy stays at home whole. A new table that comes here is one that somebody has looked at. */
const leftOut = (
  'activation_links certificate_attempts certificate_count_changes certificate_count_versions certificate_counts code_secrets deliveries ' +
  'delivery_attempts delivery_lanes delivery_wakes outbox password_reset_links passwords proved_domains public_addresses recovery_codes repeated_requests sessions ' +
  'sign_in_authorities tenancy_export_parts tenancy_exports tenant_keys usernames'
).split(' ')

/** As the page of Acme asks for it. */
const fetchFile = (who: Caller, { id }: { id: string }, method = 'GET') =>
  who.fetch(`${departure.endpoints.file.path}?id=${id}`, { method, headers: { 'x-chancery-tenancy': acme.id } })

describe('An export', () => {
  test('holds every table in which the tenancy has rows, and nothing that opens something', async () => {
    const session = await admin.session()
    const { id } = await session.call(calls.export, {})
    expect(await refusal(session.call(calls.export, {}))).toMatchObject({ code: 'running' })
    expect(await session.call(calls.read, {})).toMatchObject({ export: { state: 'running', tablesDone: 0, mine: true } })
    expect((await fetchFile(session, { id })).status).toBe(404)
    await house.runJob(jobs.exports)
    expect(await session.call(calls.read, {})).toMatchObject({ export: { state: 'ready' } })

    const other = await (await acme.person({ permissions: 'all' })).session()
    expect((await fetchFile(other, { id })).status).toBe(404)
    expect((await fetchFile(admin, { id })).status).toBe(403)
    // A look at the head does not spend it.
    expect((await fetchFile(session, { id }, 'HEAD')).status).toBe(404)

    const bytes = new Uint8Array(await (await fetchFile(session, { id })).arrayBuffer())
    const files = zipFiles(bytes, 100_000_000) ?? new Map<string, Uint8Array>()
    // The last file says what each other one must be, as `sha256sum --check` reads it.
    expect([...files.keys()].at(-1)).toBe('SHA256SUMS')
    const sums = [...files].map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}`)
    const text = (name: string) => Buffer.from(files.get(name) ?? []).toString('utf8')
    const people = text('users.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; family_name: string })
    expect(people.find((person) => person.id === admin.id)).toMatchObject({ family_name: 'Äußerst' })
    expect(people.some(({ family_name: name }) => name === 'Of another')).toBe(false)
    expect(text('authorities.jsonl')).toContain('Acme Issuing')
    expect(text('SHA256SUMS').trim().split('\n')).toEqual(sums.slice(0, -1))
    expect(text('README.txt')).toContain('Export of the tenancy Acme')
    expect(JSON.parse(text('tenancy.json'))).toMatchObject({ name: 'Acme' })
    const keys = text('keys.jsonl')
    expect(keys).toContain('"spki"')
    expect(keys).not.toContain('"sealed"')
    for (const name of ['tenant_keys.jsonl', 'passwords.jsonl', 'sessions.jsonl', 'outbox.jsonl'])
      expect([name, files.has(name)]).toEqual([name, false])
    expect(text('api_tokens.jsonl')).not.toContain('secret_hash')

    // It is noted once the last byte has left, which its reader may see first.
    await expect.poll(() => session.call(calls.read, {})).toMatchObject({ export: { state: 'taken' } })

    // A line that breaks costs nothing: it is there until its stated end, for a fresh proof each time.
    const broken = await fetchFile(session, { id })
    await broken.body?.cancel()
    expect(new Uint8Array(await (await fetchFile(session, { id })).arrayBuffer())).toEqual(bytes)
    await owner.query('update tenancy_exports set asked_at = asked_at - make_interval(days => $1) where id = $2', [exportDays, id])
    expect((await fetchFile(await admin.session(), { id })).status).toBe(404)
  })

  test('names every table, in it or left out, so that none of a new room is forgotten', async () => {
    const all = await tenantTables(house.house.database)
    const out = all.filter((table) => exportedColumns(table).length === 0).map(({ name }) => name)
    expect(out.toSorted()).toEqual(leftOut)
    expect(all.filter(({ name, primaryKey }) => primaryKey.length === 0 && !out.includes(name)).map(({ name }) => name)).toEqual([])
  })

  test('is begun anew where there is another table than when it was asked for, though they are as many', async () => {
    const session = await admin.session()
    await session.call(calls.export, {})
    await owner.query(`update tenancy_exports set table_names = array_replace(table_names, 'users', 'people') where state = 'running'`)
    await house.runJob(jobs.exports)
    expect(await session.call(calls.read, {})).toMatchObject({ export: { state: 'failed' } })
  })

  test('takes the place of the one before, so that they do not pile up', async () => {
    const session = await admin.session()
    const { id: before } = await session.call(calls.export, {})
    await house.runJob(jobs.exports)
    expect((await fetchFile(session, { id: before })).status).toBe(200)
    house.clock.advance(1000)
    const { id } = await session.call(calls.export, {})
    expect((await fetchFile(session, { id: before })).status).toBe(404)
    await house.runJob(jobs.exports)
    expect((await fetchFile(session, { id })).status).toBe(200)
    const { rows } = await owner.query('select distinct export_id as id from tenancy_export_parts where tenant_id = $1', [acme.id])
    expect(rows).toEqual([{ id }])
  })

  test('that the next one takes the place of breaks off while it is fetched, so that nobody takes a part for the whole', async () => {
    const session = await admin.session()
    const { id } = await session.call(calls.export, {})
    await house.runJob(jobs.exports)
    const whole = (await (await fetchFile(session, { id })).arrayBuffer()).byteLength
    // More than a connection holds ahead.
    await owner.query(
      `insert into tenancy_export_parts (tenant_id, export_id, number, name, crc, size, packed)
       select tenant_id, export_id, number + n, 'more-' || n, 0, 0, decode(repeat('00', 8000000), 'hex')
       from (select * from tenancy_export_parts where export_id = $1 order by number desc limit 1) as last, generate_series(1, 5) as n`,
      [id],
    )
    const answer = await fetchFile(session, { id })
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(whole + 40_000_000)
    const reader = answer.body?.getReader()
    await reader?.read()
    await session.call(calls.export, {})
    const rest = async () => {
      while ((await reader?.read())?.done === false);
    }
    await expect(rest()).rejects.toThrow()
    await house.runJob(jobs.exports)
  })

  test('goes on behind the last part where the server died', async () => {
    const session = await admin.session()
    const { id } = await session.call(calls.export, {})
    // As a server leaves it that died in the middle of the people: their first row is in a part, and the rest is not.
    const names = (await tenantTables(house.house.database)).filter((table) => exportedColumns(table).length > 0).map(({ name }) => name)
    const { rows } = await owner.query<{ id: string }>('select id from users where tenant_id = $1 order by id', [acme.id])
    await owner.query(`update tenancy_exports set tables_done = $1, after = array[$2, $3] where id = $4`, [
      names.indexOf('users'),
      acme.id,
      rows[0]?.id,
      id,
    ])
    await house.runJob(jobs.exports)
    const files = zipFiles(new Uint8Array(await (await fetchFile(session, { id })).arrayBuffer()), 100_000_000)
    const [name = ''] = [...(files?.keys() ?? [])].filter((file) => /^users-\d+\.jsonl$/.test(file))
    expect(
      Buffer.from(files?.get(name) ?? [])
        .toString()
        .trim()
        .split('\n'),
    ).toHaveLength(rows.length - 1)
  })

  test('is for who holds every permission and has just proved who they are', async () => {
    const some = await acme.person({ permissions: ['tenancyConfig', 'userView'] })
    expect(await refusal((await some.session()).call(calls.export, {}))).toMatchObject({ code: 'notAll' })
    const session = await admin.session()
    const { id } = await session.call(calls.export, {})
    await house.runJob(jobs.exports)
    house.clock.advance(10 * 60_000)
    const unproved = await fetchFile(session, { id })
    expect([unproved.status, await unproved.json()]).toEqual([403, expect.objectContaining({ code: 'proof_needed' })])
    expect(await refusal(session.call(calls.export, {}))).toMatchObject({ code: 'proof_needed' })
    expect(await refusal(session.call(calls.remove, { name: 'Acme' }))).toMatchObject({ code: 'proof_needed' })
  })

  test('takes along no column of bytes that nobody has looked at', async () => {
    const bytes = (await tenantTables(house.house.database)).flatMap((table) => {
      const leaves = exportedColumns(table)
      return table.columns.flatMap(({ name, type }) => (type.startsWith('bytea') && leaves.includes(name) ? [name] : []))
    })
    expect(bytes.filter((name) => /sealed|secret|key$|hash/.test(name) && !['public_key', 'hash'].includes(name))).toEqual([])
    expect(
      exportedColumns({
        name: 'later',
        ofInstallation: false,
        passing: false,
        columns: [
          { name: 'tenant_id', type: 'uuid' },
          { name: 'blob', type: 'bytea' },
          { name: 'api_secret', type: 'text' },
          { name: 'spent_hashes', type: 'text[]' },
        ],
      }),
    ).toEqual(['tenant_id'])
  })
})

describe('A tenancy', () => {
  test('that manages others stays', async () => {
    expect(await leader.call(calls.read, {})).toMatchObject({ stays: expect.stringContaining('management tenancy') as string })
    const fresh = await provedSession(await headOffice.person({ permissions: 'all' }))
    expect(await refusal(fresh.call(calls.remove, { name: 'Head office' }))).toMatchObject({ code: 'stays' })
  })

  test('is deleted by its name and a proof besides the sign-in, and then nobody works in it, until it is kept', async () => {
    const birch = await house.tenancy('Birch')
    const ada = await birch.person({ permissions: 'all' })
    const signedIn = await ada.session()
    expect(await refusal(signedIn.call(calls.remove, { name: 'Birch' }))).toMatchObject({ code: 'proof_needed' })
    const session = await provedSession(ada)
    expect(await session.call(calls.read, {})).toMatchObject({ manager: 'Head office', stays: '' })
    expect(await refusal(session.call(calls.remove, { name: 'birch' }))).toMatchObject({ code: 'otherName' })
    const { endsAt } = await session.call(calls.remove, { name: 'Birch' })
    expect(new Date(endsAt).getTime() - house.clock.now().getTime()).toBeGreaterThan((waitingDays - 1) * day)

    expect((await refusal(session.call(tenancy.calls.read, {}))).status).toBe(401)
    expect((await refusal(ada.call(users.calls.search, {}))).status).toBe(401)
    expect((await refusal(leader.call(sessions.calls.switchTenancy, { tenantId: birch.id }))).status).toBe(404)

    const log = await (await headOffice.person({ permissions: 'all' })).call(audit.calls.search, { about: birch.id })
    expect(log.rows.map(({ name }) => name)).toContain('deleted')
    const { rows: listed } = await leader.call(tenancy.calls.managed, { text: 'Birch' })
    expect(listed).toMatchObject([{ name: 'Birch', endsAt, removing: false }])
    const { ending } = await leader.call(calls.read, {})
    expect(ending).toMatchObject([{ id: birch.id, name: 'Birch', removing: false }])
    expect(await refusal((await admin.session()).call(calls.keep, { id: birch.id }))).toMatchObject({ status: 404 })
    const fresh = await (await headOffice.person({ permissions: 'all' })).session()
    await fresh.call(calls.keep, { id: birch.id })
    expect(await ada.call(users.calls.search, {})).toMatchObject({ total: 2 })
    house.clock.advance((waitingDays + 1) * day)
    await house.runJob(jobs.removals)
    expect(await ada.call(tenancy.calls.read, {})).toMatchObject({ name: 'Birch' })
  })
})

describe('A tenancy whose time is over', () => {
  test('is removed with every row of every table, also after a crash, and its certificate of deletion stays', async () => {
    const session = await provedSession(await acme.person({ permissions: 'all' }))
    const { rows: lists } = await owner.query<{ url: string }>('select crl_url as url from authorities where tenant_id = $1', [acme.id])
    const listPath = new URL(lists[0]?.url ?? '').pathname
    const before = (await house.fetch(listPath)).status
    await session.call(calls.remove, { name: 'Acme' })
    expect([before, (await house.fetch(listPath)).status]).toEqual([200, 200])
    await fillEveryTable()
    const birch = (await leaderTenancies()).rows.find(({ name }) => name === 'Birch')?.id ?? ''
    await fillWhatNamesAcme(birch)

    // The waiting time goes by the database's clock, too, which no test can move: its end is moved instead.
    await owner.query('alter table tenancies disable trigger hold_ending')
    await owner.query('update tenancies set ends_at = now() where id = $1', [acme.id])
    await owner.query('alter table tenancies enable trigger hold_ending')
    await house.runJob(jobs.removals)
    const { rows: kept } = await owner.query<{ count: number }>('select count(*)::integer as count from users where tenant_id = $1', [
      acme.id,
    ])
    expect(kept[0]?.count).toBeGreaterThan(3)
    const leaderNow = await (await headOffice.person({ permissions: 'all' })).session()
    expect(await refusal(leaderNow.call(calls.keep, { id: acme.id }))).toMatchObject({ code: 'removing' })

    house.clock.advance(settlingMilliseconds)
    // Breaks the removal off in the middle, as a server does that dies: what was committed is gone, and the rest stays.
    await owner.query(`create function broken() returns trigger language plpgsql as $$ begin raise exception 'the server died'; end $$`)
    await owner.query('create trigger broken before delete on users for each statement execute function broken()')
    await expect(house.runJob(jobs.removals)).rejects.toThrow(/the server died/)
    expect((await rowsLeft()).length).toBeGreaterThan(0)
    await owner.query('drop trigger broken on users')
    await house.runJob(jobs.removals)

    expect(await rowsLeft()).toEqual([])
    expect(await tablesNamingAcme()).toEqual([])
    const { rows: told } = await owner.query(`select body from events where tenant_id = $1 and name = 'grantsRemoved'`, [birch])
    expect(told).toHaveLength(1)
    expect((await owner.query('select id from tenancies where id = $1', [acme.id])).rowCount).toBe(0)
    expect((await house.fetch(listPath)).status).toBe(404)
    const person = await headOffice.person({ permissions: 'all' })
    const { rows } = await person.call(audit.calls.search, { about: acme.id })
    const removed = rows.find(({ name }) => name === 'removed')
    const { body } = await person.call(audit.calls.event, { eventId: removed?.id ?? '' })
    expect(JSON.parse(body)).toMatchObject({
      tenancyId: acme.id,
      name: 'Acme',
      rows: { authorities: expect.any(Number) as number, users: expect.any(Number) as number },
    })
  })

  test('is named by no column of another tenancy that nobody has looked at', async () => {
    const all = (await tenantTables(house.house.database)).flatMap(({ name, columns }) =>
      columns.flatMap((column) => (column.type === 'uuid' ? [`${name}.${column.name}`] : [])),
    )
    const naming = all.filter(
      (column) => /\.\w*(tenan|licensee)|\.owner_id$|home$/.test(column) && !/\.(tenant_id|\w*tenant_key_id)$/.test(column),
    )
    expect(naming.toSorted()).toEqual([...namesAnother, ...ofManagers, ...ofPeople].toSorted())
  })

  test('frees its name and the names of its people, and no other tenancy has lost a row', async () => {
    expect((await house.tenancy('Acme')).name).toBe('Acme')
    expect((await headOffice.person({ permissions: ['userView'], username: admin.username })).username).toBe(admin.username)
    const { rows } = await leaderTenancies()
    expect(rows.map(({ name }) => name)).toEqual(['Acme', 'Birch'])
  })

  const leaderTenancies = async () => (await headOffice.person({ permissions: 'all' })).call(tenancy.calls.managed, { sort: 'name' })
})

test('What says what was signed is not deleted while the tenancy stays', async () => {
  const client = new pg.Client({ ...house.connection, options: '-c role=chancery_app' })
  await client.connect()
  try {
    for (const table of ['authorities', 'serials', 'revoked_serials', 'authority_certificates', 'archived_keys'])
      await expect(client.query(`delete from ${table}`)).rejects.toMatchObject({ code: '42501' })
    // Whoever got as far as the application's own role neither feigns a removal, nor begins one early, nor takes the tenancy itself.
    const { id } = await house.tenancy('Cedar')
    const { id: standing } = await house.tenancy('Dogwood')
    await owner.query(`insert into public_addresses (id, tenant_id, kind, target) values ('dogwood', $1, 'crl', gen_random_uuid())`, [
      standing,
    ])
    await client.query(`select set_config('chancery.tenant', $1, false)`, [id])
    await client.query('create temporary table tenancies (id uuid, removing_at timestamptz)').catch(() => undefined)
    await client.query('insert into pg_temp.tenancies values ($1, now())', [id]).catch(() => undefined)
    await expect(client.query('delete from serials')).rejects.toMatchObject({ code: '42501' })
    for (const sets of [
      'removing_at = now()',
      "ends_at = now(), removing_at = now() + interval '1 day'",
      "ends_at = now() - interval '1 day'",
      "ends_at = now() + interval '1 day'",
    ])
      await expect(client.query(`update public.tenancies set ${sets} where id = $1`, [id])).rejects.toMatchObject({ code: '42501' })
    await expect(client.query('delete from public.tenancies where id = $1', [id])).rejects.toMatchObject({ code: '42501' })
    await client.query(`update public.tenancies set ends_at = now() + interval '30 days' where id = $1`, [id])
    await expect(client.query('update public.tenancies set removing_at = ends_at where id = $1', [id])).rejects.toMatchObject({
      code: '42501',
    })
    await expect(client.query('delete from public.public_addresses where tenant_id = $1', [standing])).rejects.toMatchObject({
      code: '42501',
    })
  } finally {
    await client.end()
  }
})

/** The tables that hold a row of Acme. The audit log does, because its rows are links of the installation's chain. */
async function rowsLeft(): Promise<string[]> {
  const left: string[] = []
  for (const { name } of await tenantTables(house.house.database)) {
    const { rowCount } = await owner.query(`select 1 from ${name} where tenant_id = $1 limit 1`, [acme.id])
    if (name !== 'events' && rowCount !== 0) left.push(name)
  }
  return left
}

const samples: Record<string, string> = {
  uuid: 'gen_random_uuid()',
  text: 'gen_random_uuid()::text',
  boolean: 'false',
  smallint: '0',
  integer: '0',
  bigint: '0',
  bytea: `'\\x00'::bytea`,
  'timestamp with time zone': 'now()',
  date: 'current_date',
  inet: `'192.0.2.1'::inet`,
  jsonb: `'{}'::jsonb`,
}

/** The home of somebody who works in a managed tenancy: it manages that one, so that it is not deleted before. */
const ofManagers = ['bulk_runs.home_tenant_id', 'card_agents.home_tenant_id', 'sso_providers.saved_by_home']
const ofPeople = ['acme_directories', 'applications', 'directories', 'enrolment_profiles', 'external_acme_orders'].map(
  (table) => `${table}.owner_id`,
)

/** Whatever of the other tenancies says the id of Acme, in whichever column. */
async function tablesNamingAcme(): Promise<string[]> {
  const naming: string[] = []
  for (const { name } of await tenantTables(house.house.database)) {
    const { rowCount } = await owner.query(`select 1 from ${name} as row where strpos(row::text, $1) > 0 limit 1`, [acme.id])
    if (name !== 'events' && rowCount !== 0) naming.push(name)
  }
  return naming
}

/** A row of another tenancy that names Acme in each table where there can be one. */
async function fillWhatNamesAcme(tenantId: string): Promise<void> {
  for (const table of await tenantTables(house.house.database))
    for (const { name } of table.columns)
      if (namesAnother.has(`${table.name}.${name}`)) await insertSample(table, { tenant_id: tenantId, [name]: acme.id })
  expect(await tablesNamingAcme()).toEqual(expect.arrayContaining([...namesAnother].map((column) => column.replace(/\..*/, ''))))
}

/** A row of Acme in each table that has none: what it says does not matter, so what checks it is lifted. */
async function fillEveryTable(): Promise<void> {
  const empty: TenantTable[] = []
  for (const table of await tenantTables(house.house.database)) {
    const { rowCount } = await owner.query(`select 1 from ${table.name} where tenant_id = $1 limit 1`, [acme.id])
    if (rowCount === 0 && table.name !== 'tenancy_removals') empty.push(table)
  }
  for (const table of empty) await insertSample(table, { tenant_id: acme.id })
  expect(empty.length).toBeGreaterThan(50)
}

async function insertSample({ name, ofInstallation }: TenantTable, ids: { readonly [column: string]: string }): Promise<void> {
  const { rows: checks } = await owner.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype in ('c', 'f')`,
    [name],
  )
  for (const check of checks) await owner.query(`alter table ${name} drop constraint ${check.name}`)
  const { rows: columns } = await owner.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and (attname = any($2) or attnotnull and not atthasdef and attidentity = '')`,
    [name, Object.keys(ids)],
  )
  const values = columns.map(({ name: column, type }) =>
    ids[column] === undefined ? (samples[type] ?? (type.endsWith('[]') ? `'{}'::${type}` : 'default')) : `'${ids[column]}'::uuid`,
  )
  if (!ofInstallation) await owner.query(`alter table ${name} disable row level security`)
  await owner.query(`insert into ${name} (${columns.map((column) => column.name).join(', ')}) values (${values.join(', ')})`)
  if (!ofInstallation) await owner.query(`alter table ${name} enable row level security`)
}
