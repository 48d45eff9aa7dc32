// The job: what is open is followed up, what failed is tried again, and what is due is begun; so many in one run, so that ten thousand that end together
// are no storm. Run twice, or on two servers at once, it renews nothing twice.

import { findRenewable, renewableBy, renewalRequestOf, stagesOf, supersededBy, type Renewable } from '#areas/certificates/renewing.ts'
import { rulesByTemplate } from '#areas/enrolment/service.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { listTemplates, type Template } from '#areas/templates/service.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { on, type TenancyTurn } from '#core/server/serve.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { say } from '#standards/say/say.ts'
import { usualWindowDays, windowOf } from '../rules.ts'
import { job, jobName, sendDigests } from './mail.ts'
import { begin, isHoldersTurn, isOpen, lapse, modeOf, postpone, proceed, settle, takeUp, type Certificate } from './renew.ts'
import { newestOf, openRenewals, renewalsAgain, renewalsLapsed, currentRenewal, type RenewalRecord } from './store.ts'

/** More one run does not begin for one tenancy; the next goes on. */
const mostAttempts = 200
const pageSize = 500
/** What was claimed so long ago and not settled, a crash has left. */
const stale = 120_000
const day = 86_400_000
const revoked = 'It was revoked'

type Run = { house: House; tenantId: string; templates: Map<string, Template>; rules: Map<string, unknown>; left: number; end: number }

export async function runRenewals({ house, tenantId, until: end }: TenancyTurn): Promise<void> {
  const known = await inTenant(house.database, tenantId, async (db) => ({
    templates: await listTemplates(db, tenantId, house.now()),
    rules: await rulesByTemplate(db, tenantId),
  }))
  const run: Run = {
    house,
    tenantId,
    templates: new Map(known.templates.map((template) => [template.id, template])),
    rules: known.rules,
    left: mostAttempts,
    end,
  }
  for (const row of await inTenant(house.database, tenantId, (db) => renewalsLapsed(db, tenantId, house.now(), pageSize)))
    await lapse(house, row)
  await followUp(run)
  await tryAgain(run)
  await beginDue(run)
  await sendDigests(house, tenantId)
}

const goesOn = ({ left, end }: Run): boolean => left > 0 && performance.now() < end

/** What is revoked is not renewed, and nobody is asked to any more. A request that is open already is denied when it would be issued (certificates/server/issuing/issue.ts). */
export const endForRevoked = on(revocation.events.revoked, async ({ tenantId, about: certificateId }, house) => {
  const { row, certificate } = await inTenant(house.database, tenantId, async (db) => ({
    row: await currentRenewal(db, tenantId, certificateId),
    certificate: await findRenewable(db, tenantId, { certId: certificateId }),
  }))
  // It may be released, and then goes on.
  if (certificate !== undefined && isHold(certificate.revocation_reason)) return
  if (row !== undefined && ['awaitingHolder', 'awaitingKey', 'refused'].includes(row.state)) await lapse(house, row, revoked)
})

/** Open ones whose request has moved on, and those that a crash left claimed. */
async function followUp(run: Run): Promise<void> {
  const { house, tenantId } = run
  for (let after: string | undefined; ;) {
    const rows = await inTenant(house.database, tenantId, (db) =>
      openRenewals(db, tenantId, new Date(house.now().getTime() - stale), after, pageSize),
    )
    const stages = await inTenant(house.database, tenantId, (db) =>
      stagesOf(
        db,
        tenantId,
        rows.flatMap(({ request_id: id }) => id ?? []),
      ),
    )
    for (const row of rows) {
      const seen = row.request_id === null ? undefined : stages.get(row.request_id)
      const moved = seen === undefined || ['issued', 'failed', 'denied', 'withdrawn'].includes(seen.stage) || seen.error !== row.reason
      if (moved) await guarded(run, row, (certificate, template) => follow(house, row, certificate, template))
    }
    after = rows.at(-1)?.id
    if (rows.length < pageSize || performance.now() > run.end) return
  }
}

async function follow(house: House, row: RenewalRecord, certificate: Certificate, template: Template | undefined): Promise<unknown> {
  const { tenant_id: tenantId } = row
  const request = await inTenant(house.database, tenantId, (db) => renewalRequestOf(db, tenantId, certificate.id))
  return request !== undefined && (row.state === 'waiting' || isOpen(request))
    ? settle({ house, row, certificate, actor: job }, request)
    : proceed({ house, row, certificate, template, actor: job })
}

async function tryAgain(run: Run): Promise<void> {
  const { house, tenantId } = run
  for (const seen of await inTenant(house.database, tenantId, (db) => renewalsAgain(db, tenantId, house.now(), run.left))) {
    if (!goesOn(run)) return
    const certificate = await inTenant(house.database, tenantId, (db) => findRenewable(db, tenantId, { certId: seen.certificate_id }))
    if (certificate === undefined || (certificate.revoked_at !== null && !isHold(certificate.revocation_reason)))
      await lapse(house, seen, revoked)
    // Its template renews none today, a rule asks instead, or a person asked before its time.
    else if (!isPast(run, certificate, house.now(), 'opens')) await postpone(house, seen)
    else
      await attempt(run, certificate, () =>
        takeUp(house, seen, { mode: modeOf(certificate, templateOf(run, certificate)), askedBy: jobName }),
      )
  }
}

const templateOf = ({ templates }: Run, { template_id: id }: Renewable): Template | undefined =>
  id === null ? undefined : templates.get(id)

/** From those that end first on: what is due and has no attempt yet, or one whose request failed long enough ago. */
async function beginDue(run: Run): Promise<void> {
  const { house, tenantId, templates } = run
  const now = house.now()
  const days = Math.max(usualWindowDays, ...[...templates.values()].map(({ extensions }) => extensions.renewalDays ?? 0))
  const until = new Date(now.getTime() + days * day)
  for (let after: { notAfter: Date; id: string } | undefined; ;) {
    const page = await inTenant(house.database, tenantId, (db) => renewableBy(db, tenantId, { now, until, after, most: pageSize }))
    const before = await inTenant(house.database, tenantId, (db) =>
      newestOf(
        db,
        tenantId,
        page.map(({ id }) => id),
      ),
    )
    for (const certificate of page) {
      if (!goesOn(run)) return
      const claim = claimOf(run, certificate, before.get(certificate.id), now)
      if (claim === undefined || !isPast(run, certificate, now, 'due')) continue
      if ((await inTenant(house.database, tenantId, (db) => supersededBy(db, tenantId, certificate))) !== undefined) continue
      await attempt(run, certificate, claim)
    }
    const last = page.at(-1)
    after = last && { notAfter: last.not_after, id: last.id }
    if (page.length < pageSize) return
  }
}

/** What never was tried, failed long enough ago, or was left to the holder by what the template said then and says no more. */
function claimOf(
  run: Run,
  certificate: Renewable,
  last: RenewalRecord | undefined,
  now: Date,
): (() => Promise<RenewalRecord | undefined>) | undefined {
  const { house, tenantId } = run
  const mode = modeOf(certificate, templateOf(run, certificate))
  if (last === undefined || (last.state === 'failed' && last.next_attempt_at !== null && last.next_attempt_at <= now))
    return () => begin(house, tenantId, certificate, { mode, askedBy: jobName, tries: (last?.tries ?? 0) + 1 })
  return isHoldersTurn(last) && last.mode !== mode ? () => takeUp(house, last, { mode, askedBy: jobName }) : undefined
}

/** False where this room leaves it alone. */
function isPast(run: Run, certificate: Renewable, now: Date, moment: 'opens' | 'due'): boolean {
  const template = templateOf(run, certificate)
  const mode = modeOf(certificate, template)
  // A rule of auto-enrolment asks for the next one by itself.
  if (mode === 'NONE' || (template !== undefined && run.rules.has(template.id))) return false
  return (
    now >=
    windowOf(
      { id: certificate.id, notBefore: certificate.not_before, notAfter: certificate.not_after },
      mode,
      template?.extensions.renewalDays,
    )[moment]
  )
}

async function attempt(run: Run, { id }: Pick<Renewable, 'id'>, claim: () => Promise<RenewalRecord | undefined>): Promise<void> {
  const row = await claim()
  if (row === undefined) return
  run.left -= 1
  await guarded(run, row, (certificate, template) => proceed({ house: run.house, row, certificate, template, actor: job }), id)
}

/** One that fails for a reason of ours keeps no other from its turn; it is tried again as what was refused is. */
async function guarded(
  run: Run,
  row: RenewalRecord,
  act: (certificate: Certificate, template: Template | undefined) => Promise<unknown>,
  id = row.certificate_id,
): Promise<void> {
  const { house, tenantId } = run
  const certificate = await inTenant(house.database, tenantId, (db) => findRenewable(db, tenantId, { certId: id }))
  if (certificate === undefined) throw new Error(`The certificate ${id} of a renewal is gone`)
  try {
    await act(certificate, templateOf(run, certificate))
  } catch (error) {
    house.log.error({ error, certificate: id }, 'a certificate could not be renewed; it is tried again')
    if (row.state === 'asking')
      await settle(
        { house, row, certificate, actor: job },
        { refused: { kind: 'policy', says: say`An unexpected error occurred, which is in the log of the server` } },
      )
  }
}
