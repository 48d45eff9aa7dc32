// Recurring work, on two servers over one database: each job by one of them at a time.

import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findViewer } from '#areas/sessions/service.ts'
import { contract, jobName } from '#core/contract/contract.ts'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { wakeAfterCommit } from './commit.ts'
import { readRuns, recordStart } from './job-runs.ts'
import { soon } from './jobs.ts'
import { migrate } from './migrate.ts'
import { migrationFolders, openHouse, version, type OpenHouse } from './open.ts'
import { serve } from './serve.ts'

const runs = { quick: 0, left: 0, later: 0, lost: 0, slow: 0, atOnce: 0, most: 0, failing: 0 }

const yearly = '0 0 1 1 *'
const work = contract({
  area: 'work',
  title: 'Work',
  jobs: {
    quick: { title: 'Quick', every: yearly },
    left: { title: 'Left', every: yearly },
    later: { title: 'Later', every: yearly },
    lost: { title: 'Lost', every: yearly },
    slow: { title: 'Slow', every: yearly },
    failing: { title: 'Failing', every: yearly },
  },
})
const workRoom = serve(
  work,
  {},
  {
    jobs: {
      quick: { inHouse: async () => void (runs.quick += 1) },
      left: { inHouse: async () => void (runs.left += 1) },
      later: { inHouse: async () => void (runs.later += 1) },
      lost: { inHouse: async () => void (runs.lost += 1) },
      slow: {
        async inHouse({ database }) {
          runs.atOnce += 1
          runs.most = Math.max(runs.most, runs.atOnce)
          // So many questions of the database later, another that may run has begun.
          for (let question = 0; question < 100; question += 1) await sql`select 1`.execute(database)
          runs.atOnce -= 1
          runs.slow += 1
        },
      },
      failing: {
        async inHouse() {
          runs.failing += 1
          throw new Error('out of paper')
        },
      },
    },
  },
)

let first: TestHouse
let second: OpenHouse
let third: TestHouse

beforeAll(async () => {
  first = await openTestHouse({ background: true, moreRooms: [workRoom] })
  third = await openTestHouse({})
  // As a server leaves it that was killed in the middle.
  for (const job of [work.jobs.left, work.jobs.later, work.jobs.lost]) await recordStart(first.house.database, jobName(job), new Date())
  await first.asOwner(`update job_runs set lost = 2 where name = '${jobName(work.jobs.later)}'`)
  await first.asOwner(`update job_runs set lost = 5 where name = '${jobName(work.jobs.lost)}'`)
  second = await openHouse({
    settings: first.house.settings,
    connection: first.connection,
    rooms: first.rooms,
    identify: findViewer,
    port: 0,
    migrated: true,
    warn: () => {},
  })
})
afterAll(async () => {
  await second.close()
  await third.close()
  await first.close()
})

test('the job queue works under a role that reaches its own schema and nothing else', async () => {
  const client = new pg.Client(first.connection)
  await client.connect()
  const read = async (statement: string) => (await client.query(statement)).rows as unknown[]
  onTestFinished(() => client.end())
  expect(
    await read(`select distinct usename from pg_stat_activity where application_name = 'chancery-jobs' and datname = current_database()`),
  ).toEqual([{ usename: 'chancery_jobs' }])
  expect(await read(`select 1 as found from pg_tables where schemaname = 'pgboss' and tableowner <> 'chancery_jobs'`)).toEqual([])
  expect(
    await read(
      `select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and (has_table_privilege('chancery_jobs', oid, 'select, insert, update, delete, truncate') or has_any_column_privilege('chancery_jobs', oid, 'select, insert, update'))`,
    ),
  ).toEqual([])
  expect(
    await read(
      `select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as strong, pg_has_role(rolname, 'chancery_app', 'member') as app, has_schema_privilege(rolname, 'public', 'create') as makes, has_database_privilege(rolname, current_database(), 'create') as schemas from pg_roles where rolname = 'chancery_jobs'`,
    ),
  ).toEqual([{ strong: false, app: false, makes: false, schemas: false }])
})

test('a queue that an earlier release made as the owner is made anew for its role', async () => {
  const client = new pg.Client(third.connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('drop schema pgboss cascade; create schema pgboss; create table pgboss.version (version int)')
  await migrate(third.connection, migrationFolders(third.rooms), { version })
  const { rows } = await client.query(
    `select nspowner::regrole::text as owner, to_regclass('pgboss.version') as table from pg_namespace where nspname = 'pgboss'`,
  )
  expect(rows).toEqual([{ owner: 'chancery_jobs', table: null }])
})

test('a job that a dying server left behind runs when the next one starts', async () => {
  await expect.poll(() => runs.left).toBe(1)
})

test('a job in which servers die again and again runs later each time, and is then given up until somebody starts it', async () => {
  const client = new pg.Client(first.connection)
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query(
    `select name, extract(epoch from start_after - created_on)::integer as pause from pgboss.job where name = any($1)`,
    [[jobName(work.jobs.later), jobName(work.jobs.lost)]],
  )
  expect(rows).toEqual([{ name: jobName(work.jobs.later), pause: 60 }])
  const last = async () => (await readRuns(first.house.database)).find(({ name }) => name === jobName(work.jobs.lost))
  expect(await last()).toMatchObject({ outcome: 'lost', error: expect.stringContaining('6 times') as string })
  expect(runs.lost).toBe(0)
  first.house.wake(work.jobs.lost)
  await expect.poll(last).toMatchObject({ outcome: 'done', error: '' })
})

test('a job that is woken runs at once, not at its next time', async () => {
  first.house.wake(work.jobs.quick)
  await expect.poll(() => runs.quick).toBe(1)
})

test('a job runs on one server at a time, however many wake it', async () => {
  for (let time = 0; time < 5; time += 1) {
    const before = runs.slow
    for (const { house } of [first, second, first, second]) house.wake(work.jobs.slow)
    await expect.poll(() => runs.slow > before && runs.atOnce === 0).toBe(true)
  }
  expect(runs.most).toBe(1)
  expect(runs.slow).toBeLessThan(20)
})

test('a job that failed runs again when it is woken again', async () => {
  first.house.wake(work.jobs.failing)
  await expect.poll(() => runs.failing).toBe(1)
  first.house.wake(work.jobs.failing)
  await expect.poll(() => runs.failing).toBe(2)
})

test('a job that a transaction asks for runs once when it is committed, and not where it is undone', async () => {
  const before = runs.quick
  const tenantId = '018f0000-0000-7000-8000-000000000001'
  const undone = first.house.work(tenantId, { name: 'Test' }, async ({ db }) => {
    wakeAfterCommit(db, work.jobs.quick)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await first.house.work(tenantId, { name: 'Test' }, async ({ db }) => {
    for (let time = 0; time < 3; time += 1) wakeAfterCommit(db, work.jobs.quick)
    expect(runs.quick).toBe(before)
  })
  await expect.poll(() => runs.quick).toBe(before + 1)
})

test('What a killed server leaves in a job goes on within a minute', async () => {
  expect(soon.beat + 2 * soon.look + soon.delay + soon.poll).toBeLessThanOrEqual(60)
  const client = new pg.Client({ ...first.connection })
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query(`select heartbeat_seconds, retry_limit, retry_delay from pgboss.queue where name like 'work.%'`)
  expect(rows).toEqual(rows.map(() => ({ heartbeat_seconds: soon.beat, retry_limit: 2, retry_delay: soon.delay })))
  expect(rows.length).toBeGreaterThan(3)
})
