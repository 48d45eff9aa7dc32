// What a kill leaves behind, with a process of its own that is really killed.

import { sql } from 'kysely'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { bulk } from '../contract.ts'
import { manyCertificates } from './many.fixture.ts'

const { prepare, start, view, rows } = bulk.calls
const count = 3_000

const { house, pki, close } = await openIssuingHouse({ head: 'Head office' })
const rita = await pki.tenancy.person({ permissions: ['certView', 'certRevokeView'], username: 'rita' })
afterAll(close)

const reached = async (runId: string) => (await rita.call(view, { runId })).reached

/** Works until the run is past that many rows, and is killed without a word. */
async function workUntil(runId: string, past: number): Promise<void> {
  const worker = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('worker.fixture.ts', import.meta.url)),
      JSON.stringify({ data: house.house.settings.dataDirectory, connection: house.connection }),
    ],
    { stdio: 'ignore' },
  )
  const gone = once(worker, 'exit')
  await expect.poll(() => reached(runId), { interval: 10 }).toBeGreaterThan(past)
  worker.kill('SIGKILL')
  await gone
}

test('A worker that is killed twice among thousands of rows leaves none undone, none done twice, and the failed one failed', async () => {
  const ids = await manyCertificates(house, pki, { count, name: 'killed' })
  const { runId } = await rita.call(prepare, {
    action: 'revocation.revoke',
    selection: { selectAll: true, inclusionList: [], exclusionList: [] },
    query: { issued: `${new Date(Date.now() - 86_400_000).toISOString()}/${new Date(Date.now() + 86_400_000).toISOString()}` },
  })
  const early = ids[1_234] ?? ''
  await rita.call(revocation.calls.revoke, { certId: early, reason: 'superseded' })
  await rita.call(start, { runId, count: count + 1, parameters: { reason: 'cessationOfOperation' } })
  await workUntil(runId, 0)
  const first = await reached(runId)
  await workUntil(runId, first)
  expect(await reached(runId)).toBeLessThan(count)
  await house.runJob(bulk.jobs.work)
  expect(await rita.call(view, { runId })).toMatchObject({ state: 'done', reached: count + 1, failed: 1, outcomes: { revoked: count } })
  expect((await rita.call(rows, { runId, state: 'failed' })).rows).toMatchObject([{ targetId: early, failureCode: 'alreadyRevoked' }])
  const { rows: found } = await inTenant(house.house.database, pki.tenancy.id, (db) =>
    sql<{ revocations: number; certificates: number; valid: number }>`
      select (select count(*) from revocations) as revocations, (select count(distinct certificate_id) from revocations) as certificates, (select count(*) from certificates where revoked_at is null) as valid`.execute(
      db,
    ),
  )
  expect(found).toEqual([{ revocations: count + 1, certificates: count + 1, valid: 0 }])
  const told = (await audited(house, pki.tenancy.id)).filter(({ area, name }) => area === 'revocation' && name === 'revoked')
  expect([told.length, new Set(told.map(({ about }) => about)).size]).toEqual([count + 1, count + 1])
})
