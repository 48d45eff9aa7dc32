// A renewal that a person asks for now, of one certificate. Whoever asks a second time while it is under way, or after, is told so.

import type { FaultDetail } from '#core/server/fault.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { checkRenewal, requestRenewal, type RenewalKey } from '#areas/certificates/renewing.ts'
import type { renewal } from '../contract.ts'
import { dateText, type RenewalState } from '../rules.ts'
import { lookAt, mayRenew, type Looked } from './look.ts'
import { begin, commentOf, isOpen, settle, takeUp, type Certificate } from './renew.ts'
import { standingRenewal } from './store.ts'

type Refuse = (code: keyof typeof renewal.calls.renew.faults | 'noSuchCertificate', detail?: FaultDetail) => never

export type Asked = { state: RenewalState; stage: RequestStage; requestId: string; certificateId: string | undefined; reason: string }

/** Throws the fault of what is in the way. `recorded` runs once the record of who did it and what came of it is written. Not inside a transaction. */
export async function renewNow(house: House, { viewer, certificate, csr, looked }: { viewer: Viewer; certificate: Certificate; csr?: string | undefined; looked?: Looked }, fault: Refuse, recorded: () => void = () => {}): Promise<Asked> {
  const { tenantId } = viewer
  const now = house.now()
  if (!mayRenew(viewer, certificate)) fault('notYours')
  const { mode, window, status, standing, verdict } = looked ?? (await lookAt(house, tenantId, certificate))
  if (certificate.renewed_by !== null) fault('already')
  if (certificate.ca_id === null || mode === 'NONE') fault('never')
  if (status === 'onHold') fault('onHold')
  if (status === 'expired' || status === 'revoked') fault('over')
  if (standing !== undefined && isOpen(standing)) fault('underWay')
  if (verdict.kind === 'superseded' || verdict.kind === 'rule') fault('notNeeded', { params: { reason: verdict.says } })
  if (now < window.opens) fault('early', { params: { from: dateText(window.opens) } })
  const given = csr === undefined || csr.trim() === '' ? undefined : csr
  if (given === undefined && mode === 'AUTOMATIC_NEW_KEY' && !certificate.madeHere) fault('needsKey', { fields: [{ field: 'csr', says: 'Paste the certificate request (CSR) that you made from the new key' }] })
  const key: RenewalKey = given !== undefined ? { csr: given } : mode === 'AUTOMATIC_NEW_KEY' ? 'made' : 'same'
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
  return { state: row.state, stage: outcome.stage, requestId: outcome.requestId, certificateId: outcome.certificateId, reason: outcome.error }
}
