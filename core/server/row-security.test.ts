// Every table of the product, found in the catalogue and not in a list: held by row-level security, or on the one short list of tables
// that belong to the installation. Each is filled with a row of two tenancies, whatever it holds, and then asked for the other's.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useHouse } from '#core/testing/house.ts'
import { connectionOptions, withRoles, type DatabaseRole } from './database.ts'

/** Tables without a tenancy: read before one is known, or above all of them. */
const ofTheInstallation = [
  'audit_checkpoints',
  'audit_key',
  'audit_stops',
  'audit_tree',
  'audit_verifications',
  'certificate_attempts',
  'delivery_lanes',
  'delivery_wakes',
  'event_positions',
  'floor_counts',
  'job_runs',
  'migrations',
  'password_reset_requests',
  'proved_domains',
  'public_addresses',
  'registration_requests',
  'setup_links',
  'sign_in_authorities',
  'spent_challenges',
  'tenancies',
  'undelivered_events',
  'usernames',
]

const acme = '018f0000-0000-7000-8000-00000000000a'
const globex = '018f0000-0000-7000-8000-00000000000b'

type Column = { name: string; type: string; needed: boolean }
type Table = { name: string; columns: Column[] }

let owner: pg.Client
let app: pg.Client
let tables: Table[]
let tenantTables: Table[]

async function connected(role?: DatabaseRole): Promise<pg.Client> {
  const client = new pg.Client(role === undefined ? house.connection : connectionOptions(await withRoles(house.connection), role))
  await client.connect()
  return client
}

const rowsOf = async <T extends object>(client: pg.Client, statement: string, values: unknown[] = []): Promise<T[]> =>
  (await client.query<T>(statement, values)).rows

const house = await useHouse()
beforeAll(async () => {
  owner = await connected()
  app = await connected('chancery_app')
  const columns = await rowsOf<{ table: string; name: string; type: string; needed: boolean }>(
    owner,
    `select class.relname as "table", attname as name, format_type(atttypid, null) as type, attnotnull and not atthasdef and attidentity = '' as needed
     from pg_attribute join pg_class class on class.oid = attrelid
     where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and attnum > 0 and not attisdropped
     order by class.relname, attnum`,
  )
  tables = [...new Set(columns.map(({ table }) => table))].map((name) => ({ name, columns: columns.filter(({ table }) => table === name) }))
  tenantTables = tables.filter(({ name }) => !ofTheInstallation.includes(name))
  await fillAll()
})
afterAll(async () => {
  await owner.end()
  await app.end()
})

/** What a column of that type may hold; it is for the policy and not for the product, so every check and reference is lifted first. */
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
const sampleOf = (type: string): string => samples[type] ?? (type.endsWith('[]') ? `'{}'::${type}` : 'default')

async function fillAll(): Promise<void> {
  for (const { name, kept } of await rowsOf<{ name: string; kept: string }>(
    owner,
    `select constraints.conname as name, conrelid::regclass::text as kept from pg_constraint constraints
     where connamespace = 'public'::regnamespace and contype in ('c', 'f')`,
  ))
    await owner.query(`alter table ${kept} drop constraint ${name}`)
  for (const { name, columns } of tenantTables) {
    await owner.query(`alter table ${name} disable row level security`)
    // What a row of one table leaves in another is not counted here.
    await owner.query(`alter table ${name} disable trigger user`)
    for (const tenant of [acme, globex]) {
      const given = columns.filter((column) => column.needed || column.name === 'tenant_id')
      const values = given.map((column) => (column.name === 'tenant_id' ? `'${tenant}'::uuid` : sampleOf(column.type)))
      await owner.query(`insert into ${name} (${given.map((column) => column.name).join(', ')}) values (${values.join(', ')})`)
    }
    await owner.query(`alter table ${name} enable row level security`)
  }
}

/** Runs the statement in a transaction that is undone; the SQLSTATE where it is refused, else how many rows it met. */
async function attempt(client: pg.Client, tenant: string | undefined, statement: string): Promise<number | string> {
  await client.query('begin')
  try {
    if (tenant !== undefined) await client.query(`select set_config('chancery.tenant', $1, true)`, [tenant])
    const { rowCount } = await client.query(statement)
    return rowCount ?? 0
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? '') : String(error)
  } finally {
    await client.query('rollback')
  }
}

const refusedByRight = '42501'

async function outcomes(tenant: string | undefined, statement: (table: Table) => string): Promise<Record<string, number | string>> {
  const all: Record<string, number | string> = {}
  for (const table of tenantTables) all[table.name] = await attempt(app, tenant, statement(table))
  return all
}

const each = (value: number | string): Record<string, number | string> => Object.fromEntries(tenantTables.map(({ name }) => [name, value]))

/** The tables of which a row was met: elsewhere none was, or the right to it is not even granted. */
const harmed = (all: Record<string, number | string>) =>
  Object.entries(all).filter(([, outcome]) => outcome !== 0 && outcome !== refusedByRight)

describe('Every table', () => {
  test('names its tenancy, or is on the short list of the installation', () => {
    expect(
      tenantTables
        .filter(({ columns }) => !columns.some(({ name, type, needed }) => name === 'tenant_id' && type === 'uuid' && needed))
        .map(({ name }) => name),
    ).toEqual([])
    expect(ofTheInstallation.filter((name) => !tables.some((table) => table.name === name))).toEqual([])
    expect(tenantTables.length).toBeGreaterThan(15)
  })

  test('of a tenancy has it first in its primary key', async () => {
    const keys = await rowsOf<{ table: string; first: string }>(
      owner,
      `select indrelid::regclass::text as table, attname as first from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0] where indisprimary and indrelid::regclass::text = any($1)`,
      [tenantTables.map(({ name }) => name)],
    )
    expect(Object.fromEntries(keys.map(({ table, first }) => [table, first]))).toEqual(each('tenant_id'))
  })

  test('of a tenancy is under forced row-level security with the one policy of the application', async () => {
    const rows = await rowsOf<{ name: string; held: boolean; policies: string[] }>(
      owner,
      `select relname as name, relrowsecurity and relforcerowsecurity as held,
         (select coalesce(array_agg(polname::text order by polname), '{}') from pg_policy where polrelid = pg_class.oid) as policies
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname = any($1)`,
      [tenantTables.map(({ name }) => name)],
    )
    const wrong = rows.filter(({ name, held, policies }) => !held || policies.join() !== (name === 'events' ? 'auditor,tenant' : 'tenant'))
    expect(wrong).toEqual([])
  })

  test('has no view, no other kind of relation and no privileged function beside it', async () => {
    expect(
      await rowsOf(
        owner,
        `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'i', 'I', 'S', 't')`,
      ),
    ).toEqual([])
    expect(await rowsOf(owner, `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`)).toEqual([])
  })
})

describe('The roles', () => {
  test('cannot pass row security, own anything or make anything', async () => {
    const roles = await rowsOf<{ rolname: string }>(
      owner,
      `select rolname from pg_roles where rolname in ('chancery_app', 'chancery_auditor') and not (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)`,
    )
    expect(roles).toHaveLength(2)
    expect(
      await rowsOf(
        owner,
        `select relname from pg_class where relowner in (select oid from pg_roles where rolname like 'chancery\\_%') and relnamespace <> coalesce(to_regnamespace('pgboss'), 0::oid)`,
      ),
    ).toEqual([])
    for (const statement of [
      'create table loot (a int)',
      'create function f() returns int language sql as $$ select 1 $$',
      'alter table users disable row level security',
      'drop table users',
      'truncate users',
      'drop policy tenant on users',
    ])
      expect([statement, await attempt(app, acme, statement)]).toEqual([statement, refusedByRight])
  })

  test('hold rows and never more: nobody else is granted anything', async () => {
    const grants = await rowsOf<{ grantee: string; right: string }>(
      owner,
      `select distinct grantee, privilege_type as right from information_schema.role_table_grants where table_schema = 'public' and grantee not in (select tableowner from pg_tables where schemaname = 'public') order by 1, 2`,
    )
    expect(
      grants.filter(
        ({ grantee, right }) => !/^chancery_(app|auditor)$/.test(grantee) || !['SELECT', 'INSERT', 'UPDATE', 'DELETE'].includes(right),
      ),
    ).toEqual([])
  })

  test('of the application adds events and never changes or removes one', async () => {
    for (const statement of [`update events set body = ''`, `update events set sequence = 1`, 'delete from events'])
      expect([statement, await attempt(app, acme, statement)]).toEqual([statement, refusedByRight])
    for (const table of ['audit_key', 'audit_tree', 'audit_checkpoints', 'audit_verifications', 'migrations'])
      expect([table, await attempt(app, acme, `select * from ${table}`)]).toEqual([table, refusedByRight])
  })

  test('are those of the connections themselves, and cannot be laid down for another', async () => {
    const auditor = await connected('chancery_auditor')
    const { rows } = await owner.query<{ owner: string }>('select current_user as owner')
    try {
      for (const [client, name, other] of [
        [app, 'chancery_app', 'chancery_auditor'],
        [auditor, 'chancery_auditor', 'chancery_app'],
      ] as const) {
        expect(await rowsOf(client, 'select session_user, current_user')).toEqual([{ session_user: name, current_user: name }])
        for (const statement of ['set role none', 'reset role', 'reset session authorization']) {
          await client.query(statement)
          expect([statement, await rowsOf(client, 'select current_user')]).toEqual([statement, [{ current_user: name }]])
        }
        for (const statement of [`set role ${rows[0]?.owner}`, `set session authorization ${rows[0]?.owner}`, `set role ${other}`])
          expect([statement, await attempt(client, undefined, statement)]).toEqual([statement, refusedByRight])
      }
    } finally {
      await auditor.end()
    }
  })

  test('of the application records an event and never says which number it has', async () => {
    const columns = 'tenant_id, id, at, actor, address, area, name, outcome, about, body, request_id'
    const values = `'${acme}', gen_random_uuid(), now(), '', '', '', '', 'done', '', '{}', ''`
    expect(await attempt(app, acme, `insert into events (${columns}) values (${values})`)).toBe(1)
    for (const number of ['-1', '1000000', 'null'])
      expect(await attempt(app, acme, `insert into events (${columns}, sequence) values (${values}, ${number})`)).toBe(refusedByRight)
    for (const statement of [
      'copy events from stdin',
      'select * from audit_stops for update',
      'delete from audit_stops',
      `insert into audit_stops values (true, now(), '', '')`,
      'create trigger t before insert on events execute function refuse_events_while_stopped()',
      'alter table events disable trigger all',
      'set session_replication_role = replica',
      `update pg_catalog.pg_class set relowner = 10 where relname = 'events'`,
      `copy (select 1) to program 'true'`,
      `select pg_read_file('/etc/passwd')`,
      `select lo_import('/etc/passwd')`,
      `alter role chancery_app superuser`,
      `create role thief`,
    ])
      expect([statement, await attempt(app, acme, statement)]).toEqual([statement, refusedByRight])
  })

  test('of the auditor reads events, numbers them, and sees nothing else of any tenancy', async () => {
    const auditor = await connected('chancery_auditor')
    try {
      expect(await attempt(auditor, undefined, 'select * from events')).toBe(2)
      for (const statement of [
        `update events set body = ''`,
        `update events set tenant_id = '${acme}'`,
        'delete from events',
        `insert into events select * from events`,
      ])
        expect([statement, await attempt(auditor, undefined, statement)]).toEqual([statement, refusedByRight])
      for (const { name } of tenantTables.filter((table) => table.name !== 'events'))
        expect([name, await attempt(auditor, acme, `select * from ${name}`)]).toEqual([name, refusedByRight])
    } finally {
      await auditor.end()
    }
  })
})

describe('A forgotten tenancy', () => {
  test('shows nothing of any table', async () => {
    expect(await outcomes(undefined, ({ name }) => `select * from ${name}`)).toEqual(each(0))
    expect(await outcomes('', ({ name }) => `select * from ${name}`)).toEqual(each(0))
  })

  test('changes nothing and adds nothing', async () => {
    expect(harmed(await outcomes(undefined, ({ name }) => `delete from ${name}`))).toEqual([])
    expect(harmed(await outcomes(undefined, ({ name }) => `update ${name} set tenant_id = tenant_id`))).toEqual([])
    expect(await outcomes(undefined, (table) => insertFor(table, acme))).toEqual(each(refusedByRight))
  })
})

const insertFor = ({ name, columns }: Table, tenant: string): string => {
  const given = columns.filter((column) => column.needed)
  return `insert into ${name} (${given.map((column) => column.name).join(', ')}) values (${given.map((column) => (column.name === 'tenant_id' ? `'${tenant}'::uuid` : sampleOf(column.type))).join(', ')})`
}

describe('In a tenancy', () => {
  test('its own row is seen in every table, and the other’s in none', async () => {
    expect(await outcomes(acme, ({ name }) => `select * from ${name}`)).toEqual(each(1))
    expect(await outcomes(acme, ({ name }) => `select * from ${name} where tenant_id = '${globex}'`)).toEqual(each(0))
    expect(await outcomes(acme, ({ name }) => `select * from ${name} where tenant_id <> '${acme}'`)).toEqual(each(0))
  })

  test('nothing can be added, moved, changed or removed for another', async () => {
    expect(await outcomes(acme, (table) => insertFor(table, globex))).toEqual(each(refusedByRight))
    expect(await outcomes(acme, ({ name }) => `update ${name} set tenant_id = '${globex}'`)).toEqual(each(refusedByRight))
    expect(harmed(await outcomes(acme, ({ name }) => `update ${name} set tenant_id = tenant_id where tenant_id = '${globex}'`))).toEqual([])
    expect(harmed(await outcomes(acme, ({ name }) => `delete from ${name} where tenant_id = '${globex}'`))).toEqual([])
  })

  test('row security cannot be switched off', async () => {
    await app.query('begin')
    await app.query('set local row_security = off')
    await expect(app.query('select * from users')).rejects.toMatchObject({ code: refusedByRight })
    await app.query('rollback')
  })
})
