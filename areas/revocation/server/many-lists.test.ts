// How often there is a new list while many are revoked.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { manyCertificates } from '#areas/bulk/server/many.fixture.ts'
import { openIssuing, openSsl, type IssuingFixture } from '#areas/certificates/server/issuing.fixture.ts'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { revocation } from '../contract.ts'
import { finishPublishing } from './crl.ts'

type Place = { house: TestHouse; pki: IssuingFixture; rita: TestPerson }

const tools = openSsl()
let place: Place

async function open(options: { background?: boolean } = {}): Promise<Place> {
  const house = await openTestHouse(options)
  await house.tenancy('Head office')
  const pki = await openIssuing(house, tools, 'Acme')
  return { house, pki, rita: await pki.tenancy.person({ permissions: 'all', username: 'rita' }) }
}

beforeAll(async () => {
  place = await open()
})
afterAll(async () => {
  await place.house.close()
  tools.close()
})

/** How many whole lists there were, and how many stand on the last. */
async function lists({ house, pki }: Place): Promise<{ made: number; entries: number }> {
  await finishPublishing(house.house)
  const { rows } = await inTenant(house.house.database, pki.tenancy.id, (db) =>
    sql<{
      made: number
      entries: number
    }>`select count(*) as made, coalesce((array_agg(entry_count order by number desc))[1], 0) as entries from crls where ca_id = ${pki.caId} and part = 0`.execute(
      db,
    ),
  )
  return { made: Number(rows[0]?.made), entries: Number(rows[0]?.entries) }
}

async function run({ rita }: Place, ids: readonly string[]): Promise<string> {
  const { runId, total } = await rita.call(bulk.calls.prepare, {
    action: 'revocation.revoke',
    selection: { selectAll: false, inclusionList: [...ids], exclusionList: [] },
    query: {},
  })
  await rita.call(bulk.calls.start, { runId, count: total, parameters: { reason: 'superseded' } })
  return runId
}

test('Many batches make two lists: one when they begin and one at their end, which has them all', async () => {
  const ids = await manyCertificates(place.house, place.pki, { count: 1_050, name: 'many' })
  const before = await lists(place)
  await run(place, ids)
  await place.house.runJob(bulk.jobs.work)
  const after = await lists(place)
  expect([after.made - before.made, after.entries]).toEqual([2, ids.length])
})

test('What is revoked alone is on a list at once, also just after many', async () => {
  const [single = '', ...others] = await manyCertificates(place.house, place.pki, { count: 30, name: 'single' })
  const before = await lists(place)
  await run(place, others)
  await place.house.runJob(bulk.jobs.work)
  const between = await lists(place)
  await place.rita.call(revocation.calls.revoke, { certId: single, reason: 'keyCompromise' })
  const after = await lists(place)
  expect([between.entries - before.entries, after.made - between.made, after.entries - between.entries]).toEqual([others.length, 1, 1])
})

test('A run that is stopped in the middle leaves nothing of what it did off the lists', async () => {
  const other = await open({ background: true })
  try {
    const ids = await manyCertificates(other.house, other.pki, { count: 3_000, name: 'stopped' })
    const runId = await run(other, ids)
    const reached = async () => (await other.rita.call(bulk.calls.view, { runId })).reached
    // Past the first batch, which has a list of its own.
    await expect.poll(reached, { interval: 20 }).toBeGreaterThan(200)
    const stopped = await other.rita.call(bulk.calls.cancel, { runId })
    expect(stopped).toMatchObject({ state: 'cancelled' })
    await expect.poll(async () => (await lists(other)).entries).toBe(await reached())
  } finally {
    await other.house.close()
  }
})
