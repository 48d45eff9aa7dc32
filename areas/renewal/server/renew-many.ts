// Renewing what a list's filter finds, by the way of the single call with the key that it takes where nobody says; where only its holder has that key, the
// holder is asked for it. Each is signed and stored by itself before the run moves on: what a kill leaves half done the next look finds, and says what
// has become of it.

import * as z from 'zod'
import { bulkAction, type RowOutcome } from '#areas/bulk/service.ts'
import { findRenewable, requestRenewal } from '#areas/certificates/renewing.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { renewalFacts, selectCertificates } from '#areas/certificates/service.ts'
import { SearchedCertificates } from '#areas/certificates/shapes.ts'
import { listTemplates } from '#areas/templates/service.ts'
import { dayText } from '#core/contract/days.ts'
import { inTenant } from '#core/server/database.ts'
import { Fault, faultOf, faultOfCall, type FaultDetail } from '#core/server/fault.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { renewal } from '../contract.ts'
import { renewAction } from '../early-paths.ts'
import { windowLength, type RowWord } from '../rules.ts'
import { choicesOf, checkCertificate, type Checked } from './check.ts'
import { refuseUnready, renewNow } from './now.ts'
import { mayRenew, mayRenewEarly } from './policy.ts'
import { askingAs, begin, commentOf, isHoldersTurn, settle, takeUp, tellHolder, type Certificate } from './renew.ts'
import { newestOf, currentRenewal, type RenewalRecord } from './store.ts'

/** With these one renews what is of others. */
const others = ['certSigningRequest', 'certSigningRequestUser'] as const

const day = 86_400_000

/** So many at the same time: their signatures share a commit where they meet. */
const atOnce = 4

function refuse(code: string, detail?: FaultDetail): never {
  throw faultOfCall(renewal.calls.renew, code, detail)
}

type Outcome = RowWord | { word: RowWord; requestId?: string }

const invited: Outcome = { word: 'invited' }

/** What waits for others to agree, or for its holder to collect the key, is no more than a request yet. */
function outcomeOf({ stage, requestId }: { stage: RequestStage; requestId: string }, reason: string): Outcome {
  if (stage === 'failed' || stage === 'denied' || stage === 'withdrawn') return refuse('refused', { params: { reason } })
  if (stage === 'issued') return 'renewed'
  if (stage === 'awaitingKey') return { word: 'collect', requestId }
  return stage === 'waiting' ? { word: 'waiting', requestId } : 'underWay'
}

type Row = { viewer: Viewer; address: string; since: Date; /** Also before their time, where the person may. */ early: boolean }

async function renewOne(house: House, { viewer, address, since, early }: Row, certificateId: string): Promise<Outcome> {
  const { tenantId } = viewer
  const certificate =
    (await inTenant(house.database, tenantId, (db) => findRenewable(db, tenantId, { certId: certificateId }))) ??
    refuse('noSuchCertificate')
  // Before anything that is under way is taken up, whoever began it.
  if (!mayRenew(viewer, certificate)) refuse('notYours')
  const before = await inTenant(house.database, tenantId, (db) => currentRenewal(db, tenantId, certificateId))
  // Told since the run was begun: by it, before a kill, or by somebody at the same moment.
  if (before !== undefined && isHoldersTurn(before) && before.told_at !== null && before.told_at >= since) return invited
  const checked = await checkCertificate(house, viewer, certificate)
  const begun = before !== undefined && before.begun_at >= since ? before : undefined
  // Likewise. There is one request for it whoever asks.
  if (begun?.state === 'renewed') return 'renewed'
  if (begun?.state === 'waiting' && checked.request !== undefined) return outcomeOf(checked.request, checked.request.error)
  if (begun?.state !== 'asking') refuseUnready(viewer, checked, { now: house.now(), early }, refuse)
  const [key] = (await choicesOf(house, viewer, checked)).keys
  const actor = { userId: viewer.userId, name: actorOf(viewer), address }
  const ahead = house.now() < checked.window.opens
  // Whoever would be asked for the key could not use it yet.
  if (key === 'brought' && ahead) refuse('early', { params: { from: dayText(checked.window.opens) } })
  if (key === 'brought') return invite(house, { tenantId, certificate, checked, before, begun, actor })
  if (begun?.state !== 'asking') {
    const asked = await renewNow(house, { viewer, address, certificate, checked, key, early }, refuse)
    return outcomeOf(asked, asked.reason)
  }
  const outcome = await requestRenewal(house, {
    tenantId,
    certificateId,
    key: key ?? 'same',
    viewer: askingAs(viewer, certificate),
    by: actor.name,
    address,
    comment: commentOf(certificate, key ?? 'same'),
    early: ahead,
  })
  await settle({ house, row: begun, certificate, actor }, outcome)
  return 'refused' in outcome ? refuse('refused', { params: { reason: outcome.refused.says } }) : outcomeOf(outcome, outcome.error)
}

type Inviting = {
  tenantId: string
  certificate: Certificate
  checked: Checked
  before: RenewalRecord | undefined
  begun: RenewalRecord | undefined
  actor: Actor & { name: string }
}

/** Only its holder has, or makes, a key that it can be renewed with: that person is told, also where the job has done so before, and whoever runs it at most once a day. */
async function invite(
  house: House,
  { tenantId, certificate, checked: { mode, template }, before, begun, actor }: Inviting,
): Promise<Outcome> {
  const notifiedAt =
    (await inTenant(house.database, tenantId, (db) => newestOf(db, tenantId, [certificate.id]))).get(certificate.id)?.told_at ?? undefined
  if (notifiedAt !== undefined && house.now().getTime() < notifiedAt.getTime() + day)
    refuse('asked', { params: { date: dayText(notifiedAt) } })
  const claimed =
    begun ??
    (before === undefined
      ? await begin(house, tenantId, certificate, { mode, askedBy: actor.name, tries: 1 })
      : await takeUp(house, before, { mode, askedBy: actor.name })) ??
    refuse('underWay')
  const row = await tellHolder({ house, row: { ...claimed, told_at: null }, certificate, template, actor })
  return isHoldersTurn(row) ? invited : refuse('refused', { params: { reason: row.reason } })
}

export const renewMany = bulkAction({
  name: renewAction,
  // Who sees the list; who may renew which of them is asked of each.
  needs: 'certView',
  tokens: renewal.calls.renew.tokens,
  query: SearchedCertificates,
  parameters: z.object({ early: z.boolean('Say true or false').default(false) }),
  // Of all that match, those that one keeps where one may renew no others; of those chosen one by one, each, so that its reason is told.
  targets: (db, { tenantId, viewer, query, selected, now }) =>
    selectCertificates(
      db,
      tenantId,
      query,
      selected,
      now,
      'ids' in selected || others.some((name) => viewer.permission.api.includes(name)) ? undefined : { of: viewer.userId, as: 'keeper' },
    ),
  async facts(db, { tenantId, viewer, now }, ids) {
    const templates = new Map(
      (await listTemplates(db, tenantId, now)).map(({ id, extensions: { renewalMode: mode, renewalDays } }) => [
        id,
        { mode, ...windowLength(renewalDays) },
      ]),
    )
    const early = (['user', 'device'] as const).filter((entity) => mayRenewEarly(viewer, { entity }))
    return renewalFacts(db, tenantId, ids, { templates, usual: windowLength(undefined), early }, now)
  },
  batchSize: 5 * atOnce,
  async performApart({ viewer, since, address, house }, targets, { early }) {
    const results: (RowOutcome | Fault)[] = []
    for (let from = 0; from < targets.length; from += atOnce) {
      const some = targets.slice(from, from + atOnce).map(({ id }) =>
        renewOne(house, { viewer, address, since, early }, id).catch((error: unknown) => {
          const fault = faultOf(error)
          // The database is away, or the audit cannot be written: nothing is wrong with the row, and it comes again.
          if (fault.status === 503) throw error
          if (!(error instanceof Fault)) house.log.error({ error, certificate: id }, 'a row of a bulk renewal failed')
          return fault
        }),
      )
      results.push(...(await Promise.all(some)))
    }
    return results
  },
})
