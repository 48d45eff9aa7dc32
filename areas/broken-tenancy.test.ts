// Every job of every room, with one tenancy that the database refuses to enter: the others get theirs, and Jobs shows which one failed and why.
// The fault is the database's own, so that no job can look past it, and the database counts which tenancies a job came to.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { recovery } from '#areas/recovery/contract.ts'
import { registration } from '#areas/registration/contract.ts'
import { contract, jobName, type Job } from '#core/contract/contract.ts'
import { readRuns } from '#core/server/job-runs.ts'
import { makeTenantSecret } from '#core/server/secrets.ts'
import { serve } from '#core/server/serve.ts'
import { allTenancies } from '#core/server/tenancies.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { pageOfOutbox } from './mail/server/store.ts'

const yearly = '0 0 1 1 *'
const sloppy = contract({
  area: 'sloppy',
  title: 'Sloppy',
  jobs: { stops: { title: 'Stops at the first', every: yearly }, hides: { title: 'Hides what failed', every: yearly } },
})

const reading = (house: TestHouse['house'], tenantId: string) =>
  withTenancy(house, tenantId, (tenancy) => pageOfOutbox(tenancy, { page: 1, size: 1, text: '', status: undefined }))

/** Goes over the tenancies itself, as no job may: the test must find it out. */
const sloppyRoom = serve(
  sloppy,
  {},
  {
    jobs: {
      stops: {
        async inHouse(house) {
          for (const { id } of await allTenancies(house)) await reading(house, id)
        },
      },
      hides: {
        async inHouse(house) {
          for (const { id } of await allTenancies(house)) await reading(house, id).catch(() => {})
        },
      },
    },
  },
)

let house: TestHouse
let all: readonly { id: string; name: string }[]
let broken: { id: string; name: string }

const fault = 'this tenancy is broken'
const counter = (id: string) => `came_to_${id.replaceAll('-', '')}`

beforeAll(async () => {
  // A mail server that is out of reach, which no job may take for an excuse: no mail waits.
  house = await openTestHouse({ moreRooms: [sloppyRoom], settings: { CHANCERY_SMTP_URL: 'smtp://127.0.0.1:9' } })
  for (const name of ['Acme', 'Broken', 'Globex']) await house.tenancy(name)
  all = await allTenancies(house.house)
  broken = all[1] ?? { id: '', name: '' }
  // Waits for the jobs that come to a tenancy only where somebody asked for something.
  await house.signedOut.call(recovery.calls.request, { emailAddress: 'somebody@example.org' })
  for (const { id } of all)
    await house.signedOut.call(registration.calls.register, {
      givenName: 'Some',
      familyName: 'Body',
      emailAddress: `${id}@example.org`,
      code: makeTenantSecret('', id).text,
    })
  for (const { id } of all)
    await house.asOwner(`create sequence ${counter(id)}; grant all on sequence ${counter(id)} to chancery_app, chancery_auditor`)
  // Found before the one of PostgreSQL, which it calls, by connections that are made from now on.
  await house.asOwner(`
    create function public.set_config(name text, value text, local boolean) returns text language plpgsql as $$
    begin
      if name = 'chancery.tenant' then perform nextval('public.came_to_' || replace(value, '-', '')); end if;
      if name = 'chancery.tenant' and value = '${broken.id}' then raise exception '${fault}'; end if;
      return pg_catalog.set_config(name, value, local);
    end $$;
    do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$;
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
})
afterAll(() => house.close())

/** How often each tenancy was come to, in the order of their ids. */
async function visits(): Promise<number[]> {
  const found: number[] = []
  for (const { id } of all) {
    const { rows } = await house.house.auditor.pool.query<{ count: number }>(
      `select coalesce(pg_sequence_last_value('${counter(id)}'::regclass), 0) as count`,
    )
    found.push(Number(rows[0]?.count))
  }
  return found
}

type Seen = { cameTo: boolean[]; outcome: string | undefined; tenancies: number | undefined; failed: number | undefined; error: string }

async function seenOf(job: Job): Promise<Seen> {
  const before = await visits()
  await house.runJob(job).catch(() => {})
  const after = await visits()
  const run = (await readRuns(house.house.database)).find(({ name }) => name === jobName(job))
  return {
    cameTo: after.map((count, at) => count > (before[at] ?? 0)),
    outcome: run?.outcome,
    tenancies: run?.tenancies,
    failed: run?.failed,
    error: run?.error ?? '',
  }
}

/** Jobs that go by what waits, through all tenancies that it may concern. */
const goByWhatWaits: readonly Job[] = [recovery.jobs.send, registration.jobs.send]
/** Jobs that read and delete what is of no tenancy, or of all together, and come to none; removals come to deleted tenancies alone, one by one. */
const comeToNone = new Set(['audit.verify', 'departure.removals', 'mtls.clean', 'passkeys.clean', 'sessions.limits'])
const isBound = (job: Job): boolean => goByWhatWaits.some((one) => jobName(one) === jobName(job))

/** Whoever comes to a tenancy comes to all, and what failed in one is counted and named. */
const isFair = ({ cameTo, outcome, tenancies, failed, error }: Seen): boolean =>
  cameTo.includes(true)
    ? cameTo.every(Boolean) && outcome === 'failed' && tenancies === all.length && failed === 1 && error.includes(`${broken.name}: `)
    : outcome === 'done' && error === ''

describe('With one tenancy that cannot be entered', () => {
  const jobs = rooms.flatMap((room) => room.jobs)

  test.each(jobs.filter(({ job }) => !isBound(job)).map(({ job }) => ({ name: jobName(job), job })))(
    'the job $name does its work in the others, and says where it failed',
    async ({ job }) => expect(await seenOf(job)).toSatisfy(isFair),
  )

  test.each(jobs.filter((one) => !('inHouse' in one)).map(({ job }) => ({ name: jobName(job), job })))(
    'the job $name comes to each tenancy',
    async ({ job }) => expect(await seenOf(job)).toMatchObject({ cameTo: all.map(() => true), error: expect.stringContaining(fault) }),
  )

  test.each(goByWhatWaits.map((job) => ({ name: jobName(job), job })))(
    'the job $name, for which something waits in each, does it in the others and says where it failed',
    async ({ job }) =>
      expect(await seenOf(job)).toMatchObject({ cameTo: all.map(() => true), outcome: 'failed', error: expect.stringContaining(fault) }),
  )

  test('no other job goes without its turn in each tenancy, unless it is named here', () => {
    const others = jobs.filter((one) => 'inHouse' in one && !isBound(one.job)).map(({ job }) => jobName(job))
    expect(others.filter((name) => !name.startsWith(`${sloppy.area}.`)).toSorted()).toEqual([...comeToNone].toSorted())
  })

  test('a job that goes over the tenancies itself is found out', async () => {
    expect(await seenOf(sloppy.jobs.stops)).not.toSatisfy(isFair)
    expect(await seenOf(sloppy.jobs.hides)).not.toSatisfy(isFair)
  })
})
