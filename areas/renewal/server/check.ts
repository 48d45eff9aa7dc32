// Checks the renewal of one certificate, as one person may see it: the verdict, the next step, and the attempts.

import type { RefusalKind, RenewalRefusal } from '#areas/certificates/renewal-rules.ts'
import {
  checkRenewal,
  decidesOn,
  findRenewable,
  findRenewables,
  predecessorOf,
  renewalRequestOf,
  supersededBy,
  type Renewable,
  type RenewalRequest,
} from '#areas/certificates/renewing.ts'
import {
  certificateStatus,
  keeperOf,
  lifetimeOf,
  whoseIs,
  type CertificateReference,
  type CertificateStatus,
} from '#areas/certificates/rules.ts'
import { rulesByTemplate } from '#areas/enrolment/service.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { renewal } from '../contract.ts'
import { keysFor, takesNewKey, type RenewalKeyName } from '../key-choices.ts'
import { verdictOn, windowOf, type Attempt, type RenewalMode, type Verdict } from '../rules.ts'
import { settledVerdicts, stepOn } from '../steps.ts'
import { mayKnow, mayRenew, mayRenewEarly } from './policy.ts'
import { askerFor, askingAs, commentOf, isHoldersTurn, keyFactsOf, modeOf, type Certificate } from './renew.ts'
import { renewalsOf, type RenewalRecord } from './store.ts'

type RenewalInfo = DraftOf<{ input: typeof renewal.calls.info.output }>

export type Checked = {
  certificate: Certificate
  template: Template | undefined
  mode: RenewalMode
  window: { opens: Date; due: Date }
  status: CertificateStatus
  rows: RenewalRecord[]
  request: RenewalRequest | undefined
  verdict: Verdict
}

/** The certificate, if this person may know of its renewal. */
export async function findFor(db: Database, viewer: Viewer, reference: CertificateReference): Promise<Certificate | undefined> {
  const certificate = await findRenewable(db, viewer.tenantId, reference)
  return certificate !== undefined && mayKnow(viewer, certificate) ? certificate : undefined
}

/** Reads what is known of the renewal and judges it. `reader` is the person to whom the sentences speak. */
export async function checkCertificate(
  house: House,
  { tenantId, userId: reader }: Pick<Viewer, 'tenantId' | 'userId'>,
  certificate: Certificate,
): Promise<Checked> {
  const now = house.now()
  const known = await inTenant(house.database, tenantId, async (db) => {
    const template = certificate.template_id === null ? undefined : await findTemplate(db, tenantId, certificate.template_id, now)
    const request = await renewalRequestOf(db, tenantId, certificate.id)
    const asker = await askerFor(db, tenantId, certificate, template)
    // Whose turn it is, or will be.
    const personId =
      request?.stage === 'awaitingKey' ? request.collectorId : 'refused' in asker ? keeperOf(whoseIs(certificate)) : asker.userId
    return {
      template,
      request,
      asker,
      personId,
      person: personId === undefined ? undefined : await findPerson(db, tenantId, personId),
      rows: await renewalsOf(db, tenantId, certificate.id),
      superseding: certificate.template_id === null ? undefined : await supersededBy(db, tenantId, certificate),
      successor: certificate.renewed_by === null ? undefined : (await findRenewables(db, tenantId, [certificate.renewed_by]))[0],
      rule: template === undefined ? undefined : (await rulesByTemplate(db, tenantId)).get(template.id),
    }
  })
  const { template, rows, request, successor, asker } = known
  const mode = modeOf(certificate, template)
  const window = windowOf(
    { id: certificate.id, notBefore: certificate.not_before, notAfter: certificate.not_after },
    mode,
    template?.extensions.renewalDays,
  )
  const status = certificateStatus(lifetimeOf(certificate), now)
  const external = certificate.ca_id === null
  const settled = external || successor !== undefined || certificate.revoked_at !== null || mode === 'NONE'
  const verdict = verdictOn({
    now,
    status,
    revoked:
      certificate.revoked_at === null ? undefined : { reason: certificate.revocation_reason ?? 'unspecified', at: certificate.revoked_at },
    external,
    notAfter: certificate.not_after,
    mode,
    window,
    madeHere: certificate.madeHere,
    newKey: takesNewKey(keyFactsOf(certificate, template, mode)),
    holder: known.person === undefined ? certificate.holder || certificate.requester || 'Its holder' : fullName(known.person),
    yours: known.personId === reader,
    renewedBy: successor && { serialHex: successor.serial_hex, at: successor.issued_at },
    supersededBy: known.superseding && { serialHex: known.superseding.serial_hex },
    rule: known.rule,
    attempt: attemptOf(rows[0], request),
    blocked: settled
      ? undefined
      : 'refused' in asker
        ? asker.refused
        : await blockedAhead(house, asker, { certificate, template, mode, opens: window.opens }),
  })
  return { certificate, template, mode, window, status, rows, request, verdict }
}

/** The row as its request stands, which may be ahead of it. */
function attemptOf(row: RenewalRecord | undefined, request: RenewalRequest | undefined): Attempt | undefined {
  if (row === undefined) return undefined
  const attempt: Attempt = {
    state: row.state,
    reason: row.reason,
    tries: row.tries,
    at: isHoldersTurn(row) ? (row.told_at ?? row.updated_at) : row.updated_at,
    next: row.next_attempt_at ?? undefined,
    stage: undefined,
  }
  if (row.state !== 'waiting' || request?.requestId !== row.request_id) return attempt
  const { stage, error } = request
  if (stage === 'failed') return { ...attempt, state: 'failed', reason: error }
  if (stage === 'denied' || stage === 'withdrawn') return { ...attempt, state: 'denied', reason: error }
  return { ...attempt, stage, reason: error }
}

type Ahead = { certificate: Certificate; template: Template | undefined; mode: RenewalMode; opens: Date }

async function blockedAhead(
  house: House,
  viewer: Viewer,
  { certificate, template, mode, opens }: Ahead,
): Promise<RenewalRefusal | undefined> {
  const { tenantId } = viewer
  const key = mode === 'AUTOMATIC_NEW_KEY' && certificate.madeHere ? 'made' : 'same'
  // Before its time comes, what will be in the way then: an authority or a licence that ends too soon is known long before.
  const at = new Date(Math.max(house.now().getTime(), opens.getTime()))
  const refused = await checkRenewal(
    house,
    { tenantId, certificateId: certificate.id, key, viewer, by: '', comment: commentOf(certificate, key) },
    at,
  )
  // A key of the holder's that is to change may be good for nothing any more.
  const harmless =
    refused?.kind === 'key' && mode === 'AUTOMATIC_NEW_KEY' && key === 'same' && takesNewKey(keyFactsOf(certificate, template, mode))
  return harmless ? undefined : refused
}

/** What this person can do about it, and with which keys: what a renewal by this person would be refused for is looked at, and not offered. Not inside a transaction. */
export async function choicesOf(
  house: House,
  viewer: Viewer,
  { certificate, template, mode, window, status, request, verdict }: Checked,
): Promise<Pick<RenewalInfo, 'step' | 'keys'>> {
  const { tenantId, userId } = viewer
  const open = house.now() >= window.opens
  const [may, early] = [mayRenew(viewer, certificate), mayRenewEarly(viewer, certificate)]
  const possible = keysFor(keyFactsOf(certificate, template, mode))
  const wrong = new Set<RenewalKeyName>(verdict.why === 'key' ? ['same'] : [])
  let refusedFor: RefusalKind | undefined
  if (may && (open || early) && !settledVerdicts.includes(verdict.kind) && (status === 'active' || status === 'expiring')) {
    // A key that is not there yet cannot be looked at; all else about its renewal can.
    const seen = possible.filter((key) => key !== 'brought')
    for (const key of seen.length > 0 ? seen : (['same'] as const)) {
      const refused = await checkRenewal(house, {
        tenantId,
        certificateId: certificate.id,
        key,
        viewer: askingAs(viewer, certificate),
        by: '',
        comment: '',
        early: !open,
      })
      if (refused?.kind === 'key') wrong.add(key)
      else refusedFor ??= refused?.kind
    }
  }
  const keys = possible.filter((key) => !wrong.has(key))
  const waits = request !== undefined && verdict.kind === 'approval'
  return {
    keys,
    step: stepOn({
      verdict: verdict.kind,
      status,
      open,
      mayRenew: may,
      mayEarly: early,
      keys,
      refusedFor,
      collects: request?.collectorId === userId,
      decides:
        waits &&
        certificate.holder_user_id !== userId &&
        (await inTenant(house.database, tenantId, (db) => decidesOn(db, viewer, request))),
      reads: request !== undefined && (isAskedBy(userId, certificate, request) || viewer.permission.api.includes('certApprovals')),
    }),
  }
}

/** Its request stands among this person's own. */
const isAskedBy = (userId: string, { holder_user_id: holderId }: Certificate, { requesterId }: RenewalRequest): boolean =>
  requesterId === userId || holderId === userId

export async function presentTo(
  db: Database,
  viewer: Viewer,
  checked: Checked,
  choices: Pick<RenewalInfo, 'step' | 'keys'>,
): Promise<RenewalInfo> {
  const { certificate, mode, window, status, rows, request, verdict } = checked
  const { tenantId } = viewer
  const predecessor = await predecessorOf(db, tenantId, certificate)
  const successor = certificate.renewed_by === null ? undefined : (await findRenewables(db, tenantId, [certificate.renewed_by]))[0]
  return {
    certificateId: certificate.id,
    name: certificate.name,
    serialNumber: certificate.serial_hex,
    entity: certificate.entity,
    holder: certificate.holder !== '' ? certificate.holder : certificate.requester,
    templateName: certificate.template_name,
    notAfter: certificate.not_after.toISOString(),
    status,
    mode,
    opensAt: window.opens.toISOString(),
    verdict,
    ...choices,
    ...(request === undefined ? {} : { requestId: request.requestId, requestOwn: isAskedBy(viewer.userId, certificate, request) }),
    ...(predecessor === undefined ? {} : { renews: neighbour(predecessor) }),
    ...(successor === undefined ? {} : { renewedBy: neighbour(successor) }),
    attempts: rows.map(presentAttempt),
  }
}

const neighbour = ({ id, name, serial_hex, not_after }: Renewable) => ({
  certificateId: id,
  name,
  serialNumber: serial_hex,
  notAfter: not_after.toISOString(),
})

export const presentAttempt = (row: RenewalRecord) => ({
  renewalId: row.id,
  state: row.state,
  reason: row.reason,
  tries: row.tries,
  askedBy: row.asked_by,
  begunAt: row.begun_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  ...(row.next_attempt_at === null ? {} : { nextAttemptAt: row.next_attempt_at.toISOString() }),
  ...(row.request_id === null ? {} : { requestId: row.request_id }),
})
