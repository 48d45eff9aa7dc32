// Writes the demonstration's past. Each certificate takes the product's own path: requested, agreed to, reserved and recorded, committed, signed,
// stored. Only the times are given, and many share one commit.

import { randomUUID } from 'node:crypto'
import type { Actor, House } from '#core/server/house.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Database } from '#core/server/database.ts'
import { cancelApproval, openApproval, vote, type Subject } from '#areas/approvals/service.ts'
import { insertApproval, insertVote } from '#areas/approvals/server/store.ts'
import { signAllReserved } from '#areas/authorities/service.ts'
import { certificates } from '#areas/certificates/contract.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { reserveRequest, storeRequest, type Due } from '#areas/certificates/server/issue.ts'
import { changeRequest, insertRequest, type CertificateRecord } from '#areas/certificates/server/store.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { emitSettled, settle } from '#areas/revocation/server/settle.ts'
import { insertRevocation, type RevocationRecord } from '#areas/revocation/server/store.ts'
import { formatName } from '#standards/x509/names.ts'
import { certificateParts } from '#areas/templates/requests.ts'
import type { Chance } from './chance.ts'
import { denials } from './estate.ts'
import type { FoundTenancy, Member } from './found.ts'
import type { SubjectKeys } from './keys.ts'
import { membersOf, type PlannedCertificate, type PlannedRequest, type Wanted } from './plan.ts'
import { workInThePast, type PastWork } from './then.ts'

const minute = 60_000
const hour = 60 * minute
const before = (at: Date, milliseconds: number) => new Date(at.getTime() - milliseconds)
const actorOf = ({ id, username }: Member): Actor => ({ userId: id, name: username })
const issuing: Actor = { name: 'Issuing' }

/** Certificates that share one commit. */
const batch = 200

export type Written = { record: CertificateRecord; planned: PlannedCertificate }

export type Scribe = { house: House; keys: SubjectKeys; chance: Chance }

/** In the order of time, the tenancies side by side. Returns what came of it. */
export async function writeHistory(scribe: Scribe, tenancies: readonly FoundTenancy[], planned: readonly PlannedCertificate[]): Promise<Written[]> {
  const written: Written[] = []
  const due: Written[] = []
  for (let from = 0; from < planned.length; from += batch * tenancies.length) {
    const slice = planned.slice(from, from + batch * tenancies.length)
    const until = planned[from + batch * tenancies.length]?.at ?? scribe.house.now()
    const issued = await Promise.all(tenancies.map((tenancy) => issueTogether(scribe, tenancy, slice.filter((one) => one.tenancy === tenancy))))
    written.push(...issued.flat())
    due.push(...issued.flat().filter((one) => one.planned.revocation !== undefined))
    const ripe = due.filter(({ planned: { revocation } }) => revocation !== undefined && revocation.at < until)
    due.splice(0, due.length, ...due.filter((one) => !ripe.includes(one)))
    await Promise.all(tenancies.map((tenancy) => revokeTogether(scribe, tenancy, ripe.filter((one) => one.planned.tenancy === tenancy))))
  }
  return written
}

async function issueTogether({ house, keys, chance }: Scribe, tenancy: FoundTenancy, planned: readonly PlannedCertificate[]): Promise<Written[]> {
  const reserved = await workInThePast(house, tenancy.id, async (work) => {
    const found: Reserved[] = []
    for (const one of planned) {
      const asked = before(one.at, one.template.issueApprovers === 0 ? 1000 : (10 + chance.below(48 * 60)) * minute)
      const requestId = await ask(work, keys, one, asked, 'approved')
      await recordApproval(work, one, requestId, asked, before(one.at, 2_000), chance)
      const due = await reserveRequest(work.db, tenancy.id, requestId, one.at, work.emitAt(certificates, one.at, issuing))
      if ('stage' in due) throw new Error(`The certificate for ${one.name} was not reserved: ${due.error}`)
      found.push({ planned: one, requestId, due })
    }
    return found
  })
  const signed = await signTogether(house, reserved)
  return workInThePast(house, tenancy.id, async ({ db, emitAt }) => {
    const written: Written[] = []
    for (const { planned: one, requestId, due, certificate } of signed) {
      const stored = new Date(one.at.getTime() + 40)
      const { record } = await storeRequest(db, tenancy.id, requestId, { ...due, certificate }, stored, emitAt(certificates, stored, issuing))
      if (record !== undefined) written.push({ record, planned: one })
    }
    return written
  })
}

type Reserved = { planned: PlannedCertificate; requestId: string; due: Due }

async function signTogether(house: House, reserved: readonly Reserved[]): Promise<(Reserved & { certificate: Uint8Array })[]> {
  const byAuthority = Map.groupBy(reserved, ({ due }) => due.issuer.caId)
  const signed = await Promise.all(
    [...byAuthority.values()].map(async (group) => {
      const issuer = group[0]?.due.issuer
      const made = issuer === undefined ? [] : await signAllReserved(house, issuer, group.map(({ due }) => due.reserved))
      return group.flatMap((one, at) => (made[at] === undefined ? [] : [{ ...one, certificate: made[at] }]))
    }),
  )
  return signed.flat()
}

async function ask({ db, emitAt }: PastWork, keys: SubjectKeys, wanted: Wanted, at: Date, stage: RequestStage): Promise<string> {
  const { tenancy, template, requester } = wanted
  const id = timeOrderedId(at)
  const { subject } = certificateParts(wanted.draft)
  // Where the server is to make the key, nobody has sent a request.
  const own = stage === 'awaitingKey' ? undefined : keys.request(wanted.key, subject)
  await insertRequest(db, {
    tenant_id: tenancy.id,
    id,
    stage,
    entity: wanted.entity,
    class: template.class,
    template_id: template.id,
    template_name: template.displayName,
    template_version: template.version,
    ca_id: template.caId,
    ca_name: tenancy.plan.issuing.find(({ role }) => role === (template.caId === tenancy.retiredCaId ? 'retired' : wanted.entity === 'user' ? 'people' : 'devices'))?.name ?? '',
    requester_id: requester.id,
    requester: requester.username,
    holder_user_id: wanted.holder?.id ?? null,
    csr: own?.csr ?? null,
    key_kind: wanted.key,
    public_key: own?.spki ?? null,
    plan: { draft: wanted.draft, extensions: template.extensions },
    findings: [],
    subject: formatName(subject),
    typed: wanted.typed,
    friendly_name: '',
    contact_email: requester.emailAddress,
    comment: '',
    approvers_needed: template.issueApprovers,
    revocation_approvers: template.revocationApprovers,
    serial_hex: null,
    certificate_id: null,
    error: '',
    idempotency_key: randomUUID(),
    input_hash: '',
    created_at: at,
    updated_at: at,
  })
  if (stage === 'waiting') {
    await openApproval(db, { ...subjectOf(tenancy, id), title: titleOf(wanted), rule: { needed: template.issueApprovers, permission: 'certApprovals' }, requester: { userId: requester.id, name: requester.username }, now: at })
  }
  emitAt(certificates, at, actorOf(requester))('requested', { requestId: id, templateName: template.displayName, caId: template.caId, class: template.class }, id)
  return id
}

const requestKind = 'certificateRequest'
const subjectOf = (tenancy: FoundTenancy, subjectId: string): Subject => ({ tenantId: tenancy.id, kind: requestKind, subjectId })
const titleOf = ({ template, draft }: Wanted) => `${template.displayName}: ${formatName(certificateParts(draft).subject)}`

/** An approval of long ago: the row and its votes as they stood when the last one was cast. */
async function recordApproval({ db, emitAt }: PastWork, wanted: Wanted, requestId: string, asked: Date, at: Date, chance: Chance): Promise<void> {
  const { tenancy, template, requester } = wanted
  if (template.issueApprovers === 0) return
  const id = timeOrderedId(asked)
  const common = { tenant_id: tenancy.id, requester_id: requester.id, requester: requester.username, excluded: [requester.id] }
  await insertApproval(db, { ...common, id, kind: requestKind, subject_id: requestId, title: titleOf(wanted), needed: template.issueApprovers, permission: 'certApprovals', state: 'approved', round: 1, opened_at: asked, decided_at: at })
  for (const officer of officersFor(wanted, template.issueApprovers, chance)) {
    await insertVote(db, { tenant_id: tenancy.id, approval_id: id, round: 1, voter_id: officer.id, voter: officer.username, verdict: 'approve', comment: '', at })
    emitAt(certificates, at, actorOf(officer))('approved', { requestId }, requestId)
  }
}

async function deny({ db, emitAt }: PastWork, wanted: Wanted, requestId: string, at: Date, chance: Chance): Promise<void> {
  for (const officer of officersFor(wanted, 1, chance)) {
    const voter = { userId: officer.id, name: officer.username, permissions: ['certApprovals'] }
    const counted = await vote(db, { ...subjectOf(wanted.tenancy, requestId), voter, verdict: 'deny', comment: chance.pick(denials), now: at })
    if ('refused' in counted) throw new Error(`A vote was refused: ${counted.refused}`)
    emitAt(certificates, at, actorOf(officer))('denied', { requestId }, requestId)
  }
}

/** Different ones, and never who asked. */
function officersFor({ tenancy, requester }: Wanted, count: number, chance: Chance): Member[] {
  const officers = membersOf(tenancy, 'certificateOfficer').filter(({ id }) => id !== requester.id)
  if (officers.length < count) throw new Error(`${tenancy.plan.name} has too few certificate officers`)
  const first = chance.below(officers.length)
  return [...officers.slice(first), ...officers.slice(0, first)].slice(0, count)
}

async function revokeTogether({ house, chance }: Scribe, tenancy: FoundTenancy, revoked: readonly Written[]): Promise<void> {
  if (revoked.length === 0) return
  await workInThePast(house, tenancy.id, async ({ db, emitAt }) => {
    for (const { record, planned } of revoked) {
      if (planned.revocation === undefined) continue
      const { at } = planned.revocation
      const officer = chance.pick(membersOf(tenancy, 'certificateOfficer'))
      const row: RevocationRecord = { ...revocationOf(record, officer, planned.revocation), state: 'revoked', decided_by: officer.username, decided_at: at }
      const settled = await settle(db, row, at)
      if (settled.state !== 'revoked') throw new Error(`The certificate for ${planned.name} was not revoked: ${settled.failureCode}`)
      await insertRevocation(db, row)
      emitSettled(emitAt(revocation, at, actorOf(officer)), row)
    }
  })
}

const revocationOf = (record: CertificateRecord, requester: Member, { at, reason, note }: NonNullable<PlannedCertificate['revocation']>): RevocationRecord => ({
  tenant_id: record.tenant_id,
  id: timeOrderedId(at),
  certificate_id: record.id,
  ca_id: record.ca_id,
  serial_hex: record.serial_hex,
  subject: record.subject,
  reason,
  invalidity_date: null,
  note,
  state: 'pending',
  failure_code: null,
  requester_id: requester.id,
  requester: requester.username,
  requested_at: at,
  decided_by: null,
  decided_at: null,
})

/** Revocations that wait for a second person, of certificates whose template asks for one. */
export async function askToRevoke({ house, chance }: Scribe, candidates: readonly Written[], count: number): Promise<void> {
  const now = house.now()
  const fit = candidates.filter(({ record, planned }) => record.revocation_approvers > 0 && planned.revocation === undefined && record.not_after > now)
  for (const { record, planned } of fit.slice(-count)) {
    const at = before(now, (2 + chance.below(60)) * hour)
    await workInThePast(house, record.tenant_id, async ({ db, emitAt }) => {
      const row = revocationOf(record, planned.requester, { at, reason: 'superseded', note: 'The service has moved' })
      await insertRevocation(db, row)
      const requester = { userId: planned.requester.id, name: planned.requester.username }
      await openApproval(db, { tenantId: record.tenant_id, kind: 'revocation', subjectId: row.id, title: `Revoke ${record.subject}`, rule: { needed: record.revocation_approvers, permission: 'certRevokeView' }, requester, now: at })
      emitAt(revocation, at, requester)('requested', { revocationId: row.id, certificateId: record.id, caId: record.ca_id ?? '', serialNumber: record.serial_hex, reason: row.reason }, record.id)
    })
  }
}

/** Requests that are still open, or ended without a certificate. */
export async function writeRequests({ house, keys, chance }: Scribe, requests: readonly PlannedRequest[]): Promise<void> {
  const ends: Record<PlannedRequest['kind'], (work: PastWork, one: PlannedRequest, requestId: string) => Promise<unknown>> = {
    waiting: async () => {},
    awaitingKey: async () => {},
    denied: (work, one, requestId) => deny(work, one, requestId, new Date(one.at.getTime() + 2 * hour), chance),
    failed: ({ db, emitAt }, one, requestId) => reserveRequest(db, one.tenancy.id, requestId, one.at, emitAt(certificates, one.at, issuing)),
    withdrawn: ({ db, emitAt }, one, requestId) => withdraw(db, one, requestId, () => emitAt(certificates, one.at, actorOf(one.requester))('withdrawn', { requestId }, requestId)),
  }
  const stages: Record<PlannedRequest['kind'], RequestStage> = { waiting: 'waiting', awaitingKey: 'awaitingKey', denied: 'waiting', failed: 'approved', withdrawn: 'waiting' }
  for (const one of requests.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    await workInThePast(house, one.tenancy.id, async (work) => ends[one.kind](work, one, await ask(work, keys, one, one.at, stages[one.kind])))
  }
}

async function withdraw(db: Database, { tenancy, at }: PlannedRequest, requestId: string, emit: () => void): Promise<void> {
  await changeRequest(db, tenancy.id, requestId, { stage: 'withdrawn', error: 'Withdrawn by the requester', updated_at: at })
  await cancelApproval(db, subjectOf(tenancy, requestId), at)
  emit()
}
