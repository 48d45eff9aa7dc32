// A renewal that a person asks for now, of one certificate. Whoever asks a second time while it is under way, or after, is told so.

import { inTenant } from '#core/server/database.ts'
import { invalidField, type FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { checkRenewal, requestRenewal, type RenewalKey, type Standing } from '#areas/certificates/renewing.ts'
import type { renewal } from '../contract.ts'
import { keyRefusal, keysFor, type KeyFacts, type RenewalKeyName } from '../key-choices.ts'
import { dateText, type RenewalState } from '../rules.ts'
import { lookAt, mayRenew, type Looked } from './look.ts'
import { begin, commentOf, isOpen, settle, takeUp, type Certificate } from './renew.ts'
import { standingRenewal } from './store.ts'

type Refuse = (code: keyof typeof renewal.calls.renew.faults | 'noSuchCertificate', detail?: FaultDetail) => never

export type Asked = { key: RenewalKeyName; state: RenewalState; stage: RequestStage; requestId: string; certificateId: string | undefined; reason: string; findings: Standing['findings'] }

/** Throws the fault of what is in the way. `recorded` runs once the record of who did it and what came of it is written. Not inside a transaction. */
export async function renewNow(house: House, { viewer, certificate, looked, ...wish }: { viewer: Viewer; certificate: Certificate; key?: RenewalKeyName | undefined; csr?: string | undefined; looked?: Looked }, fault: Refuse, recorded: () => void = () => {}): Promise<Asked> {
  const { tenantId } = viewer
  const now = house.now()
  if (!mayRenew(viewer, certificate)) fault('notYours')
  const { mode, template, window, status, standing, verdict } = looked ?? (await lookAt(house, viewer, certificate))
  if (certificate.renewed_by !== null) fault('already')
  if (certificate.ca_id === null || mode === 'NONE') fault('never')
  if (status === 'onHold') fault('onHold')
  if (status === 'expired' || status === 'revoked') fault('over')
  if (standing !== undefined && isOpen(standing)) fault('underWay')
  if (verdict.kind === 'superseded' || verdict.kind === 'rule') fault('notNeeded', { params: { reason: verdict.says.replace(/^It is not renewed, because the /, 'The ') } })
  if (now < window.opens) fault('early', { params: { from: dateText(window.opens) } })
  const { name, key, given } = chooseKey(wish, { mode, madeHere: certificate.madeHere, archived: template?.extensions.keyArchival === true }, fault)
  // Of one's own certificate the template's mode is leave enough, as it is for the job; a narrowed token serves oneself only where its scopes say so.
  const servesSelf = viewer.narrowed !== true || viewer.permission.api.includes('selfServicePortal')
  const asking = certificate.holder_user_id === viewer.userId && servesSelf ? { ...viewer, permission: { ...viewer.permission, api: [...viewer.permission.api, 'certSigningRequestUser' as const] } } : viewer
  const order = { tenantId, certificateId: certificate.id, key, viewer: asking, by: actorOf(viewer), comment: commentOf(certificate, key) }
  const refuse = (says: string) => fault('refused', { params: { reason: says }, ...(given === undefined ? {} : { fields: [{ field: 'csr', says }] }) })
  const inTheWay = await checkRenewal(house, order)
  if (inTheWay !== undefined) return refuse(inTheWay.says)

  const seen = await inTenant(house.database, tenantId, (db) => standingRenewal(db, tenantId, certificate.id))
  if (seen?.state === 'renewed') fault('already')
  if (seen?.state === 'asking' || seen?.state === 'waiting') fault('underWay')
  const claimed = (seen === undefined ? await begin(house, tenantId, certificate, mode, actorOf(viewer), 1) : await takeUp(house, seen, mode, actorOf(viewer))) ?? fault('underWay')
  const outcome = await requestRenewal(house, order)
  const row = await settle(house, claimed, certificate, outcome, { userId: viewer.userId, name: actorOf(viewer) })
  recorded()
  if ('refused' in outcome) return refuse(outcome.refused.says)
  return { key: name, state: row.state, stage: outcome.stage, requestId: outcome.requestId, certificateId: outcome.certificateId, reason: outcome.error, findings: outcome.findings }
}

const askForRequest = 'Paste the certificate request (CSR) that you made from the new key'

function chooseKey({ key: wanted, csr }: { key?: RenewalKeyName | undefined; csr?: string | undefined }, facts: KeyFacts, fault: Refuse): { name: RenewalKeyName; key: RenewalKey; given: string | undefined } {
  const given = csr === undefined || csr.trim() === '' ? undefined : csr
  const name = wanted ?? (given === undefined ? keysFor(facts)[0] : 'brought') ?? 'brought'
  const refused = keyRefusal(name, facts)
  if (refused !== undefined) fault('otherKey', { params: { reason: refused } })
  if (name !== 'brought' && given !== undefined) throw invalidField('csr', 'A certificate request (CSR) brings a new key. Choose that, or leave it out')
  if (name !== 'brought') return { name, key: name, given: undefined }
  if (given !== undefined) return { name, key: { csr: given }, given }
  if (wanted !== undefined) throw invalidField('csr', askForRequest)
  return fault('needsKey', { fields: [{ field: 'csr', says: askForRequest }] })
}
