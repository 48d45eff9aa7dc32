// Renewing what a list's filter finds, by the way of the single call, as far as no holder is needed for it. Each is a deed of its own, signed and
// stored before the run moves on: what a kill leaves half done the next look finds, and says what has become of it.

import * as z from 'zod'
import { registerBulkAction, type RowOutcome } from '#areas/bulk/service.ts'
import { CertificateFilter } from '#areas/certificates/shapes.ts'
import { findRenewable, renewalStanding, requestRenewal } from '#areas/certificates/renewing.ts'
import { renewalFacts, selectCertificates } from '#areas/certificates/service.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { listTemplates } from '#areas/templates/service.ts'
import { inTenant } from '#core/server/database.ts'
import { Fault, faultOf, faultOfCall, type FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { renewal } from '../contract.ts'
import { renewAction, type RowWord } from '../rules.ts'
import { lookAt, mayRenew } from './look.ts'
import { commentOf, settle } from './renew.ts'
import { renewNow } from './now.ts'
import { standingRenewal } from './store.ts'

const Query = CertificateFilter.extend({ text: z.string().max(200).default('') })

/** With these one renews what is of others. */
const others = ['certSigningRequest', 'certSigningRequestUser'] as const

/** So many at the same time: their signatures share a commit where they meet. */
const atOnce = 4

function refuse(code: string, detail?: FaultDetail): never {
  throw faultOfCall(renewal.calls.renew, code, detail)
}

const holdersTurn = {
  byHand: { status: 409, says: 'Its template says that it is renewed by hand, one by one' },
  holdersKey: { status: 409, says: 'Its template wants a new key, which only its holder can make' },
} as const

type Outcome = RowWord | { word: RowWord; requestId: string }

/** What waits for others to agree, or for its holder to collect the key, is no more than a request yet. */
function outcomeOf({ stage, requestId }: { stage: RequestStage; requestId: string }): Outcome {
  if (stage === 'issued') return 'renewed'
  if (stage === 'awaitingKey') return { word: 'collect', requestId }
  return stage === 'waiting' ? { word: 'waiting', requestId } : 'underWay'
}

async function renewOne(house: House, viewer: Viewer, certificateId: string, since: Date): Promise<Outcome> {
  const { tenantId } = viewer
  const certificate = (await inTenant(house.database, tenantId, (db) => findRenewable(db, tenantId, { certId: certificateId }))) ?? refuse('noSuchCertificate')
  // Before anything that is under way is taken up, whoever began it.
  if (!mayRenew(viewer, certificate)) refuse('notYours')
  const before = await inTenant(house.database, tenantId, (db) => standingRenewal(db, tenantId, certificateId))
  if (before !== undefined && before.begun_at >= since) {
    // Begun since the run was: by it, before a kill, or by somebody at the same moment. There is one request for it whoever asks.
    if (before.state === 'renewed') return 'renewed'
    if (before.state === 'asking') {
      const order = { tenantId, certificateId, key: before.mode === 'AUTOMATIC_NEW_KEY' ? ('made' as const) : ('same' as const), viewer, by: actorOf(viewer), comment: commentOf(certificate, 'same') }
      const outcome = await requestRenewal(house, order)
      await settle(house, before, certificate, outcome, { userId: viewer.userId, name: actorOf(viewer) })
      return 'refused' in outcome ? refuse('refused', { params: { reason: outcome.refused.says } }) : outcomeOf(outcome)
    }
    const standing = before.state === 'waiting' ? await inTenant(house.database, tenantId, (db) => renewalStanding(db, tenantId, certificateId)) : undefined
    if (standing !== undefined) return outcomeOf(standing)
  }
  const looked = await lookAt(house, viewer, certificate)
  if (certificate.renewed_by === null) {
    const turn = looked.mode === 'MANUAL' ? 'byHand' : looked.mode === 'AUTOMATIC_NEW_KEY' && !certificate.madeHere ? 'holdersKey' : undefined
    if (turn !== undefined) throw new Fault(turn, holdersTurn[turn])
  }
  const asked = await renewNow(house, { viewer, certificate, looked }, refuse)
  return asked.stage === 'failed' ? refuse('refused', { params: { reason: asked.reason } }) : outcomeOf(asked)
}

export function registerRenewMany(house: House): void {
  registerBulkAction(house, {
    name: renewAction,
    // Who sees the list; who may renew which of them is asked of each.
    needs: 'certView',
    tokens: renewal.calls.renew.tokens,
    query: Query,
    parameters: z.object({}),
    // Of all that match, those of one's own where one may renew no others; of those chosen one by one, each, so that its reason is told.
    targets: (db, { tenantId, viewer, query, selected, now }) => selectCertificates(db, tenantId, query, selected, now, 'ids' in selected || others.some((name) => viewer.permission.api.includes(name)) ? undefined : viewer.userId),
    async facts(db, { tenantId, now }, ids) {
      const modes = new Map((await listTemplates(db, tenantId, now)).map(({ id, extensions }) => [id, extensions.renewalMode]))
      return renewalFacts(db, tenantId, ids, modes, now)
    },
    rowsAtOnce: 5 * atOnce,
    async performApart({ viewer, since }, targets) {
      const results: (RowOutcome | Fault)[] = []
      for (let from = 0; from < targets.length; from += atOnce) {
        const some = targets.slice(from, from + atOnce).map(({ id }) =>
          renewOne(house, viewer, id, since).catch((error: unknown) => {
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
}
