import { expect, test } from 'vitest'
import { runStatement } from '#core/testing/cluster.ts'
import { check, emptyMemory } from '#core/testing/crash-check.ts'
import { emptyLedger, takeUp, work } from '#core/testing/crash-clients.ts'
import { openCrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { runCrashRounds } from '#core/testing/crash.ts'

/** Three in `npm test`; many more, with a full disk and a clock that jumps, in `npm run test:long`. */
const rounds = Number(process.env['CHANCERY_CRASH_ROUNDS'] ?? 3)

test('what was acknowledged outlives kill -9 of the server, of the database and of both', { timeout: rounds * 60_000 }, async () => {
  const { breaches, figures } = await runCrashRounds(rounds, undefined, { hostile: rounds > 3 })
  expect(breaches).toEqual([])
  expect(figures.acknowledged).toBeGreaterThan(10)
  expect(figures.crlNumber).toBeGreaterThanOrEqual(3)
})

/** What somebody with the database in hand could do, and what the check must say of it. */
const damages = [
  {
    does: `update certificates set certificate = overlay(certificate placing '\\x00' from octet_length(certificate)) where id = (select id from certificates order by id limit 1)`,
    says: 'does not name these bytes',
  },
  {
    does: `delete from certificates where id = (select id from certificates where revoked_at is null order by id desc limit 1)`,
    says: 'was acknowledged and is missing',
  },
  {
    does: `update serials set revoked_at = null, revocation_reason = null; update serial_revisions set revision = revision + 1`,
    says: 'which is revoked',
  },
  { does: `delete from revoked_serials; update serial_revisions set revision = revision + 1`, says: 'omits device' },
  {
    does: `update certificate_requests set stage = 'approved', certificate_id = null where approvers_needed = 1 and stage = 'issued'`,
    says: 'was approved and stands at approved',
  },
  { does: `delete from approval_votes`, says: 'was issued with 0 of 1 approvals' },
  { does: `delete from events where area = 'certificates' and name = 'issued'`, says: 'has 0 issued events' },
  { does: `update events set body = '{}' where area = 'sessions'`, says: 'The audit log does not verify' },
]

test('the check after a crash sees each kind of damage', async () => {
  const server = await openCrashServer()
  try {
    const site = await setUpSite(server)
    const ledger = emptyLedger()
    const stop = new AbortController()
    const working = work(site, ledger, 3, stop.signal)
    await expect
      .poll(() => [
        ledger.errands.filter(({ revokedAt }) => revokedAt !== undefined).length > 1,
        ledger.errands.filter(({ verdict, der }) => verdict === 'approve' && der !== undefined).length > 1,
      ])
      .toEqual([true, true])
    stop.abort()
    await working
    await takeUp(site, ledger)

    const memory = emptyMemory()
    const look = async () => {
      const seen: string[] = []
      memory.checked.clear()
      await check(site, ledger, memory, 0, true, (says) => void seen.push(says))
      return seen
    }
    expect(await look()).toEqual([])
    for (const { does, says } of damages) {
      // Past the triggers that keep records as they are.
      await runStatement(server.connection, `set session_replication_role = replica; ${does}`)
      // More than one look, because OCSP may give an answer of half a second ago.
      await expect.poll(look).toContainEqual(expect.stringContaining(says))
    }
    // Numbers come from the clock, so that no damage to the tables brings one back; a list of tomorrow shows that the check would see it.
    memory.crlNumber += 86_400_000n
    expect(await look()).toContainEqual(expect.stringContaining('The revocation list went back'))
  } finally {
    await server.remove()
  }
})
