// The job that looks every minute: what the database knows is read each time, and the public addresses are tried in turn, a few at a time. What
// has changed is written with its event, and told, in one commit for a tenancy.

import { wholeList } from '#areas/revocation/rules.ts'
import { inTenant } from '#core/server/database.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { health } from '../contract.ts'
import { fine, newsOf, probeEveryMilliseconds, stateOf, strikesToCount, type CheckKind, type Finding, type HealthState } from '../rules.ts'
import { tellOfHealth, type News } from './mail.ts'
import { probeList, probeOcsp } from './probe.ts'
import { allChecks, dropCheck, holdChecks, putCheck, type CheckRow } from './store.ts'
import { findingsOf, isProbed, surveyOf, type Surveyed } from './survey.ts'

const watchman: Actor = { name: 'Health of authorities' }

/** So many authorities are probed in one run, and so many at the same time. */
const probesOfARun = 40
const probesAtOnce = 4

/** Job. Where there is more to try than a run allows, the next begins with another tenancy. */
export function watchHealth(): TakeTurn {
  let budget = probesOfARun
  return async ({ house, tenantId }) => {
    // Others have their turns meanwhile: what is left is read after the wait, not before.
    const used = await watchTenancy(house, tenantId, budget)
    budget -= used
  }
}

/** One authority, now. Undefined where there is none. */
export async function watchOne(house: House, tenantId: string, caId: string): Promise<HealthState | undefined> {
  const known = await watchTenancy(house, tenantId, 1, caId)
  if (known === 0) return undefined
  const rows = await inTenant(house.database, tenantId, (db) => allChecks(db, tenantId, caId))
  return rows.some(({ state }) => state === 'failing') ? 'failing' : rows.some(({ state }) => state === 'late') ? 'late' : 'ok'
}

const byName = (rows: readonly CheckRow[]): Map<string, CheckRow> => new Map(rows.map((row) => [`${row.ca_id} ${row.kind}`, row]))

type Found = { authority: Surveyed; findings: Map<CheckKind, Finding> }
const probed: readonly CheckKind[] = ['served', 'ocsp']

/** How many were probed; of one authority that is asked for by its id, 1 where there is such a one. */
async function watchTenancy(house: House, tenantId: string, budget: number, caId?: string): Promise<number> {
  const now = house.now()
  const { authorities, before } = await inTenant(house.database, tenantId, async (db) => {
    const surveyed = await surveyOf(db, tenantId, now, caId)
    return { authorities: surveyed, before: surveyed.length === 0 ? [] : await allChecks(db, tenantId, caId) }
  })
  if (authorities.length === 0) return 0
  const rows = byName(before)
  const found: Found[] = authorities.map((authority) => ({ authority, findings: findingsOf(authority, now) }))
  const lastProbe = ({ authority }: Found) => rows.get(`${authority.caId} ocsp`)
  const due = found
    .filter(({ authority }) => isProbed(authority))
    .filter((one) => caId !== undefined || probeIsDue(lastProbe(one), now))
    .toSorted((a, b) => (lastProbe(a)?.checked_at.getTime() ?? 0) - (lastProbe(b)?.checked_at.getTime() ?? 0))
    .slice(0, Math.max(0, budget))
  for (let at = 0; at < due.length; at += probesAtOnce) await Promise.all(due.slice(at, at + probesAtOnce).map((one) => probe(one, now)))
  await keep(house, tenantId, found, rows, now)
  return caId === undefined ? due.length : 1
}

const probeIsDue = (last: CheckRow | undefined, now: Date): boolean =>
  last === undefined || last.strikes > 0 || last.state !== 'ok' || now.getTime() - last.checked_at.getTime() >= probeEveryMilliseconds

/** No authority has given a certificate this serial: where there is none to ask about, the answer is that it is not known. */
const anySerial = Buffer.of(1)

async function probe({ authority, findings }: Found, now: Date): Promise<void> {
  if (!isProbed(authority)) return
  const { issuer, freshness } = authority
  const whole = freshness.lists.find(({ part }) => part === wholeList)
  const serial = freshness.signer === undefined ? anySerial : Buffer.from(freshness.signer.serialHex, 'hex')
  const [served, ocsp] = await Promise.all([
    probeList(whole?.url ?? issuer.addresses.crl, whole?.list, now),
    probeOcsp(issuer, serial, now),
  ])
  findings.set('served', served)
  findings.set('ocsp', ocsp)
}

type Change = { row: CheckRow; from: HealthState; news: News['news'] | undefined }

/** What a finding makes of a check. A probe that fails once changes nothing yet. */
function judge(before: CheckRow | undefined, key: Pick<CheckRow, 'tenant_id' | 'ca_id' | 'kind'>, finding: Finding, now: Date): Change {
  const from = before?.state ?? 'ok'
  const strikes = probed.includes(key.kind) && stateOf(finding) !== 'ok' ? (before?.strikes ?? 0) + 1 : 0
  const counts = strikes === 0 || strikes >= strikesToCount || from !== 'ok'
  const { name, params, mark } = counts ? finding : fine
  const state = stateOf({ name })
  const row: CheckRow = {
    ...key,
    finding: name,
    params,
    mark: mark ?? null,
    state,
    since: before === undefined || before.state !== state ? now : before.since,
    checked_at: now,
    strikes,
  }
  return { row, from, news: newsOf({ state: from, mark: before?.mark ?? undefined }, { state, mark }) }
}

const isSame = (before: CheckRow | undefined, { row }: Change): boolean =>
  before !== undefined &&
  before.finding === row.finding &&
  before.mark === row.mark &&
  before.strikes === row.strikes &&
  JSON.stringify(before.params) === JSON.stringify(row.params) &&
  // Of a probe its time matters, too.
  !probed.includes(row.kind)

/** What the findings of `now` make of the rows. */
function outcomeOf(
  tenantId: string,
  found: readonly Found[],
  rows: ReadonlyMap<string, CheckRow>,
  now: Date,
): { changes: Change[]; gone: CheckRow[] } {
  const changes = found.flatMap(({ authority: { caId }, findings }) =>
    [...findings].flatMap(([kind, finding]) => {
      const before = rows.get(`${caId} ${kind}`)
      const change = judge(before, { tenant_id: tenantId, ca_id: caId, kind }, finding, now)
      return isSame(before, change) ? [] : [change]
    }),
  )
  const gone = found.flatMap(({ authority, findings }) =>
    [...rows.values()].filter(
      ({ ca_id: caId, kind }) => caId === authority.caId && !findings.has(kind) && !(probed.includes(kind) && isProbed(authority)),
    ),
  )
  return { changes, gone }
}

async function keep(
  house: House,
  tenantId: string,
  found: readonly Found[],
  rows: ReadonlyMap<string, CheckRow>,
  now: Date,
): Promise<void> {
  const seen = outcomeOf(tenantId, found, rows, now)
  if (seen.changes.length === 0 && seen.gone.length === 0) return
  await house.work(tenantId, watchman, async ({ db, emitFor }) => {
    // The probes took their time: another look may have said the same meanwhile, and told everybody.
    await holdChecks(db, tenantId)
    const { changes, gone } = outcomeOf(tenantId, found, byName(await allChecks(db, tenantId)), now)
    for (const row of gone) await dropCheck(db, row)
    for (const { row, from, news } of changes) {
      await putCheck(db, row)
      if (row.state !== from || news !== undefined)
        emitFor(health)('stateChanged', { caId: row.ca_id, check: row.kind, from, to: row.state, finding: row.finding }, row.ca_id)
    }
    const news = changes.flatMap((change): News[] =>
      change.news === undefined
        ? []
        : [
            {
              caId: change.row.ca_id,
              kind: change.row.kind,
              finding: { name: change.row.finding, params: change.row.params },
              news: change.news,
            },
          ],
    )
    if (news.length === 0) return
    const authorities = found.map(({ authority }) => authority)
    await tellOfHealth(db, house, { tenantId, authorities, news, checks: await allChecks(db, tenantId) }, now)
  })
}
