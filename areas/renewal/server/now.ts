// A renewal that a person asks for now, of one certificate. Whoever asks a second time while it is under way, or after, is told so.

import { checkRenewal, requestRenewal, type RenewalKey, type RenewalRequest } from '#areas/certificates/renewing.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { dayText } from '#core/contract/days.ts'
import { inTenant } from '#core/server/database.ts'
import { invalidField, type FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import type { renewal } from '../contract.ts'
import { choiceRefusal, keysFor, type KeyFacts, type RenewalKeyName } from '../key-choices.ts'
import type { RenewalState } from '../rules.ts'
import { checkCertificate, type Checked } from './check.ts'
import { mayRenew, mayRenewEarly } from './policy.ts'
import { askingAs, begin, commentOf, isOpen, keyFactsOf, settle, takeUp, type Certificate } from './renew.ts'
import { currentRenewal } from './store.ts'

type Refuse = (code: keyof typeof renewal.calls.renew.faults | 'noSuchCertificate', detail?: FaultDetail) => never

export type Asked = {
  key: RenewalKeyName
  state: RenewalState
  stage: RequestStage
  requestId: string
  certificateId: string | undefined
  reason: string
  findings: RenewalRequest['findings']
}

/** Throws the fault of what keeps a certificate from being renewed now, by this person, whatever the key. */
export function refuseUnready(
  viewer: Viewer,
  { certificate, mode, window, status, request, verdict }: Checked,
  { now, early }: { now: Date; early: boolean },
  fault: Refuse,
): void {
  if (!mayRenew(viewer, certificate)) fault('notYours')
  if (certificate.renewed_by !== null) fault('already')
  if (certificate.ca_id === null || mode === 'NONE') fault('never')
  if (status === 'onHold') fault('onHold')
  if (status === 'expired' || status === 'revoked') fault('over')
  if (request !== undefined && isOpen(request)) fault('underWay')
  if (verdict.kind === 'superseded' || verdict.kind === 'rule')
    fault('notNeeded', { params: { reason: verdict.says.replace(/^It is not renewed, because the /, 'The ') } })
  if (now < window.opens && !(early && mayRenewEarly(viewer, certificate))) fault('early', { params: { from: dayText(window.opens) } })
}

type Wish = { key?: RenewalKeyName | undefined; csr?: string | undefined; early?: boolean }
/** `address`: from where it is asked. */
type ToRenew = Wish & { viewer: Viewer; address: string; certificate: Certificate; checked?: Checked }

/** Throws the fault of what is in the way. `recorded` runs once the record of who did it and what came of it is written. Not inside a transaction. */
export async function renewNow(
  house: House,
  { viewer, address, certificate, checked: known, ...wish }: ToRenew,
  fault: Refuse,
  recorded: () => void = () => {},
): Promise<Asked> {
  const { tenantId } = viewer
  const now = house.now()
  if (!mayRenew(viewer, certificate)) fault('notYours')
  const checked = known ?? (await checkCertificate(house, viewer, certificate))
  refuseUnready(viewer, checked, { now, early: wish.early === true }, fault)
  const { mode, template, window } = checked
  const { name, key, supplied } = chooseKey(wish, keyFactsOf(certificate, template, mode), fault)
  const actor = { userId: viewer.userId, name: actorOf(viewer), address }
  const order = {
    tenantId,
    certificateId: certificate.id,
    key,
    viewer: askingAs(viewer, certificate),
    by: actor.name,
    address,
    comment: commentOf(certificate, key),
    early: now < window.opens,
  }
  const refuse = (says: string) =>
    fault('refused', { params: { reason: says }, ...(supplied === undefined ? {} : { fields: [{ field: 'csr', says }] }) })
  const refusal = await checkRenewal(house, order)
  if (refusal !== undefined) return refuse(refusal.says)

  const seen = await inTenant(house.database, tenantId, (db) => currentRenewal(db, tenantId, certificate.id))
  if (seen?.state === 'renewed') fault('already')
  if (seen?.state === 'asking' || seen?.state === 'waiting') fault('underWay')
  const claimed =
    (seen === undefined
      ? await begin(house, tenantId, certificate, { mode, askedBy: actor.name, tries: 1 })
      : await takeUp(house, seen, { mode, askedBy: actor.name })) ?? fault('underWay')
  const outcome = await requestRenewal(house, order)
  const row = await settle({ house, row: claimed, certificate, actor }, outcome)
  recorded()
  if ('refused' in outcome) return refuse(outcome.refused.says)
  if (outcome.stage === 'failed') return refuse(outcome.error)
  return {
    key: name,
    state: row.state,
    stage: outcome.stage,
    requestId: outcome.requestId,
    certificateId: outcome.certificateId,
    reason: outcome.error,
    findings: outcome.findings,
  }
}

const askForRequest = 'Paste the certificate request (CSR) that you made from the new key'

function chooseKey(
  { key: wanted, csr }: { key?: RenewalKeyName | undefined; csr?: string | undefined },
  facts: KeyFacts,
  fault: Refuse,
): { name: RenewalKeyName; key: RenewalKey; supplied: string | undefined } {
  const supplied = csr === undefined || csr.trim() === '' ? undefined : csr
  const name = wanted ?? (supplied === undefined ? keysFor(facts)[0] : 'brought') ?? 'brought'
  const refused = choiceRefusal(name, facts)
  if (refused !== undefined) fault('otherKey', { params: { reason: refused } })
  if (name !== 'brought' && supplied !== undefined)
    throw invalidField('csr', say`A certificate request (CSR) brings a new key. Choose that, or leave it out`)
  if (name !== 'brought') return { name, key: name, supplied: undefined }
  if (supplied !== undefined) return { name, key: { csr: supplied }, supplied }
  if (wanted !== undefined) throw invalidField('csr', askForRequest)
  return fault('needsKey', { fields: [{ field: 'csr', says: askForRequest }] })
}
