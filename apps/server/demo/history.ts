// Writes the demonstration's past. Each certificate takes the product's own path: requested, agreed to, reserved and recorded, committed, signed,
// stored. Only the times are given, and many share one commit.

import { createHash, randomUUID } from 'node:crypto'
import { insertApprovals, insertVotes, type ApprovalRow, type VoteRow } from '#areas/approvals/server/store.ts'
import { cancelApproval, openApproval, vote, type Subject } from '#areas/approvals/service.ts'
import { reserveAll, signAllReserved, storeAllSigned } from '#areas/authorities/making-history.ts'
import { listIssuers, type CertificateDraft, type Issuer, type Reserved } from '#areas/authorities/service.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { plainSubject } from '#areas/certificates/plain-subject.ts'
import type { RequestStage } from '#areas/certificates/rules.ts'
import { insertCertificates } from '#areas/certificates/server/inventory/certificate-store.ts'
import { certificateRecordOf } from '#areas/certificates/server/issuing/certificate-record.ts'
import { reserveRequest } from '#areas/certificates/server/issuing/issue.ts'
import { changeRequest, insertRequests, lockReserved, setIssued } from '#areas/certificates/server/requests/request-store.ts'
import type { CertificateRecord, RequestRecord } from '#areas/certificates/server/store.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { emitSettled, settle } from '#areas/revocation/server/settle.ts'
import { insertRevocation, type RevocationRecord } from '#areas/revocation/server/store.ts'
import { previewCertificate, validityOf } from '#areas/templates/preview.ts'
import { certificateParts } from '#areas/templates/requests.ts'
import { fullName } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Actor, House } from '#core/server/house.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
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
export async function writeHistory(
  scribe: Scribe,
  tenancies: readonly FoundTenancy[],
  planned: readonly PlannedCertificate[],
): Promise<Written[]> {
  const written: Written[] = []
  const due: Written[] = []
  for (let from = 0; from < planned.length; from += batch * tenancies.length) {
    const slice = planned.slice(from, from + batch * tenancies.length)
    const until = planned[from + batch * tenancies.length]?.at ?? scribe.house.now()
    const issued = await Promise.all(
      tenancies.map((tenancy) =>
        issueBatch(
          scribe,
          tenancy,
          slice.filter((one) => one.tenancy === tenancy),
        ),
      ),
    )
    written.push(...issued.flat())
    due.push(...issued.flat().filter((one) => one.planned.revocation !== undefined))
    const ripe = due.filter(({ planned: { revocation } }) => revocation !== undefined && revocation.at < until)
    due.splice(0, due.length, ...due.filter((one) => !ripe.includes(one)))
    await Promise.all(
      tenancies.map((tenancy) =>
        revokeBatch(
          scribe,
          tenancy,
          ripe.filter((one) => one.planned.tenancy === tenancy),
        ),
      ),
    )
  }
  return written
}

type Asked = { planned: PlannedCertificate; request: RequestRecord }
type Due = Asked & { issuer: Issuer; reserved: Reserved }

/** First commit: requests, approvals, serials with the bytes to be signed, and the records of all that. Then the signatures. Second commit: the certificates. */
async function issueBatch(scribe: Scribe, tenancy: FoundTenancy, planned: readonly PlannedCertificate[]): Promise<Written[]> {
  const { house } = scribe
  const due = await workInThePast(house, tenancy.id, (work) => reserveRequests(work, scribe, tenancy, planned))
  const signed = await Promise.all(
    byAuthority(due).map(async ([issuer, group]) => {
      const made = await signAllReserved(
        house,
        issuer,
        group.map(({ reserved }) => reserved),
      )
      return group.flatMap((one, at) => (made[at] === undefined ? [] : [{ ...one, certificate: made[at] }]))
    }),
  )
  return workInThePast(house, tenancy.id, (work) => storeCertificates(work, tenancy, signed.flat()))
}

const byAuthority = <T extends { issuer: Issuer }>(all: readonly T[]): [Issuer, T[]][] =>
  [...Map.groupBy(all, ({ issuer }) => issuer.caId).values()].flatMap((group) => (group[0] === undefined ? [] : [[group[0].issuer, group]]))

async function reserveRequests(
  { db, emitAt }: PastWork,
  { house, keys, chance }: Scribe,
  tenancy: FoundTenancy,
  planned: readonly PlannedCertificate[],
): Promise<Due[]> {
  const asked = planned.map((one): Asked => {
    const at = before(one.at, one.template.issueApprovers === 0 ? 1000 : (10 + chance.below(48 * 60)) * minute)
    return { planned: one, request: requestOf(keys, one, at, 'reserved') }
  })
  const approvals = asked.flatMap(({ planned: one, request }) => approvalOf(one, request, before(one.at, 2_000), chance) ?? [])
  const issuers = new Map((await listIssuers(db, tenancy.id, house.now())).map((issuer) => [issuer.caId, issuer]))
  const due = asked.map((one): Asked & { issuer: Issuer } => {
    const issuer = issuers.get(one.request.ca_id)
    if (issuer === undefined) throw new Error(`The authority ${one.request.ca_name} is not there`)
    return { ...one, issuer }
  })
  const reserved: Due[] = []
  for (const [issuer, group] of byAuthority(due)) {
    const made = await reserveAll(
      db,
      issuer,
      group.map(({ planned: one, request }) => ({ draft: draftOf(issuer, one, request), now: one.at })),
    )
    reserved.push(
      ...group.flatMap((one, at) =>
        made[at] === undefined ? [] : [{ ...one, reserved: made[at], request: { ...one.request, serial_hex: made[at].serialHex } }],
      ),
    )
  }
  await insertRequests(
    db,
    reserved.map(({ request }) => request),
  )
  await insertApprovals(
    db,
    approvals.map(({ approval }) => approval),
  )
  await insertVotes(
    db,
    approvals.flatMap(({ votes }) => votes),
  )
  for (const { planned: one, request, issuer, reserved: made } of reserved) {
    emitRequested(emitAt, one, request)
    for (const { voter_id: userId, voter: name, at } of approvals.find(({ approval }) => approval.subject_id === request.id)?.votes ?? [])
      emitAt(certificates, at, { userId, name })('approved', { requestId: request.id }, request.id)
    const tbsSha256 = createHash('sha256').update(made.tbs).digest('hex')
    emitAt(certificates, one.at, issuing)(
      'reserved',
      { requestId: request.id, caId: issuer.caId, serialNumber: made.serialHex, tbsSha256 },
      request.id,
    )
  }
  return reserved
}

/** What would be signed, after the same look that every request gets. */
function draftOf(
  issuer: Issuer,
  { draft, template: { extensions }, at, name }: PlannedCertificate,
  { id, public_key }: RequestRecord,
): CertificateDraft {
  const publicKey = public_key ?? new Uint8Array()
  const wrong = previewCertificate(issuer, extensions, draft, publicKey, at, 'csr').findings.find(({ severity }) => severity !== 'warn')
  if (wrong !== undefined) throw new Error(`The certificate for ${name} would not be right: ${wrong.message}`)
  const { notBefore, notAfter } = validityOf(extensions, issuer, at)
  return { ...certificateParts(draft), notBefore, notAfter, publicKey, about: { kind: 'certificate', id } }
}

async function storeCertificates(
  { db, emitAt }: PastWork,
  tenancy: FoundTenancy,
  signed: readonly (Due & { certificate: Uint8Array })[],
): Promise<Written[]> {
  // The job that finishes what is unfinished may have been faster with one of them.
  const reserved = await lockReserved(
    db,
    tenancy.id,
    signed.map(({ request }) => request.id),
  )
  const written: Written[] = []
  for (const [issuer, group] of byAuthority(signed.filter(({ request }) => reserved.has(request.id)))) {
    const stored = await storeAllSigned(
      db,
      issuer,
      group.map((one) => ({ serialHex: one.reserved.serialHex, certificate: one.certificate, now: issuedAt(one.planned) })),
    )
    for (const {
      planned,
      request,
      reserved: { serialHex },
      certificate: der,
    } of group) {
      if (!stored.has(serialHex)) throw new Error(`The serial ${serialHex} was stored without its request`)
      const now = issuedAt(planned)
      const holder = planned.holder === undefined ? '' : fullName(planned.holder)
      const record = certificateRecordOf(request, issuer, {
        id: timeOrderedId(now),
        serialHex,
        der,
        holder,
        validity: parseCertificate(der),
        now,
      })
      written.push({ record, planned })
      emitAt(certificates, now, issuing)(
        'issued',
        { requestId: request.id, certificateId: record.id, caId: issuer.caId, serialNumber: serialHex, class: request.class },
        record.id,
      )
    }
  }
  const records = written.map(({ record }) => record)
  await insertCertificates(db, records)
  await setIssued(db, tenancy.id, records)
  return written
}

const issuedAt = ({ at }: PlannedCertificate) => new Date(at.getTime() + 40)

function requestOf(keys: SubjectKeys, wanted: Wanted, at: Date, stage: RequestStage): RequestRecord {
  const { tenancy, template, requester } = wanted
  const { subject } = certificateParts(wanted.draft)
  // Where the server is to make the key, nobody has sent a request.
  const own = stage === 'awaitingKey' ? undefined : keys.request(wanted.key, subject)
  return {
    tenant_id: tenancy.id,
    id: timeOrderedId(at),
    stage,
    entity: wanted.entity,
    class: template.class,
    template_id: template.id,
    template_name: template.displayName,
    template_version: template.version,
    ca_id: template.caId,
    ca_name: tenancy.authorityNames.get(template.caId) ?? '',
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
    renews: null,
    same_key: false,
    created_at: at,
    updated_at: at,
  }
}

const emitRequested = (emitAt: PastWork['emitAt'], { requester, template }: Wanted, { id, created_at: at }: RequestRecord): void =>
  emitAt(certificates, at, actorOf(requester))(
    'requested',
    { requestId: id, templateName: template.displayName, caId: template.caId, class: template.class },
    id,
  )

async function ask({ db, emitAt }: PastWork, keys: SubjectKeys, wanted: Wanted, at: Date, stage: RequestStage): Promise<string> {
  const { tenancy, template, requester } = wanted
  const request = requestOf(keys, wanted, at, stage)
  await insertRequests(db, [request])
  if (stage === 'waiting')
    await openApproval(db, {
      ...subjectOf(tenancy, request.id),
      title: titleOf(wanted),
      rule: { needed: template.issueApprovers, permission: 'certApprovals' },
      requester: { userId: requester.id, name: requester.username },
      now: at,
    })
  emitRequested(emitAt, wanted, request)
  return request.id
}

const requestKind = 'certificateRequest'
const subjectOf = (tenancy: FoundTenancy, subjectId: string): Subject => ({ tenantId: tenancy.id, kind: requestKind, subjectId })
const titleOf = ({ template, draft }: Wanted) => `${template.displayName}: ${plainSubject(formatName(certificateParts(draft).subject))}`

/** An approval of long ago, as it stood when its last vote was cast; undefined where nobody had to agree. */
function approvalOf(
  wanted: Wanted,
  request: RequestRecord,
  at: Date,
  chance: Chance,
): { approval: ApprovalRow; votes: VoteRow[] } | undefined {
  const { tenancy, template, requester } = wanted
  if (template.issueApprovers === 0) return undefined
  const opened = request.created_at
  const id = timeOrderedId(opened)
  const approval: ApprovalRow = {
    tenant_id: tenancy.id,
    id,
    kind: requestKind,
    subject_id: request.id,
    title: titleOf(wanted),
    requester_id: requester.id,
    requester: requester.username,
    excluded: [requester.id],
    needed: template.issueApprovers,
    permission: 'certApprovals',
    state: 'approved',
    round: 1,
    opened_at: opened,
    decided_at: at,
  }
  const votes = officersFor(wanted, template.issueApprovers, chance).map((officer): VoteRow => ({
    tenant_id: tenancy.id,
    approval_id: id,
    round: 1,
    voter_id: officer.id,
    voter: officer.username,
    verdict: 'approve',
    comment: '',
    at,
  }))
  return { approval, votes }
}

async function deny(house: House, { db, emitAt }: PastWork, wanted: Wanted, requestId: string, at: Date, chance: Chance): Promise<void> {
  for (const officer of officersFor(wanted, 1, chance)) {
    const voter = { userId: officer.id, name: officer.username, permissions: ['certApprovals'] }
    const counted = await vote(house, db, {
      ...subjectOf(wanted.tenancy, requestId),
      voter,
      verdict: 'deny',
      comment: chance.pick(denials),
      now: at,
    })
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

async function revokeBatch({ house, chance }: Scribe, tenancy: FoundTenancy, revoked: readonly Written[]): Promise<void> {
  if (revoked.length === 0) return
  await workInThePast(house, tenancy.id, async ({ db, emitAt }) => {
    for (const { record, planned } of revoked) {
      if (planned.revocation === undefined) continue
      const { at } = planned.revocation
      const officer = chance.pick(membersOf(tenancy, 'certificateOfficer'))
      const row: RevocationRecord = {
        ...revocationOf(record, officer, planned.revocation),
        state: 'revoked',
        decided_by: officer.username,
        decided_at: at,
      }
      const settled = await settle(db, row, at)
      if (settled.state === 'failed') throw new Error(`The certificate for ${planned.name} was not revoked: ${settled.failureCode}`)
      await insertRevocation(db, row)
      emitSettled(emitAt(revocation, at, actorOf(officer)), row)
    }
  })
}

const revocationOf = (
  record: CertificateRecord,
  requester: Member,
  { at, reason, note }: NonNullable<PlannedCertificate['revocation']>,
): RevocationRecord => ({
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
  const fit = candidates.filter(
    ({ record, planned }) => record.revocation_approvers > 0 && planned.revocation === undefined && record.not_after > now,
  )
  for (const { record, planned } of fit.slice(-count)) {
    const at = before(now, (2 + chance.below(60)) * hour)
    await workInThePast(house, record.tenant_id, async ({ db, emitAt }) => {
      const row = revocationOf(record, planned.requester, { at, reason: 'superseded', note: 'The service has moved' })
      await insertRevocation(db, row)
      const requester = { userId: planned.requester.id, name: planned.requester.username }
      await openApproval(db, {
        tenantId: record.tenant_id,
        kind: 'revocation',
        subjectId: row.id,
        title: record.subject,
        rule: { needed: record.revocation_approvers, permission: 'certRevokeView' },
        requester,
        now: at,
      })
      emitAt(revocation, at, requester)(
        'requested',
        { revocationId: row.id, certificateId: record.id, caId: record.ca_id ?? '', serialNumber: record.serial_hex, reason: row.reason },
        record.id,
      )
    })
  }
}

/** Requests that are still open, or ended without a certificate. */
export async function writeRequests({ house, keys, chance }: Scribe, requests: readonly PlannedRequest[]): Promise<void> {
  const ends: Record<PlannedRequest['kind'], (work: PastWork, one: PlannedRequest, requestId: string) => Promise<unknown>> = {
    waiting: async () => {},
    awaitingKey: async () => {},
    denied: (work, one, requestId) => deny(house, work, one, requestId, new Date(one.at.getTime() + 2 * hour), chance),
    failed: ({ db, emitAt }, one, requestId) =>
      reserveRequest({ db, tenantId: one.tenancy.id, requestId, now: one.at, emit: emitAt(certificates, one.at, issuing) }),
    withdrawn: ({ db, emitAt }, one, requestId) =>
      withdraw(db, one, requestId, () => emitAt(certificates, one.at, actorOf(one.requester))('withdrawn', { requestId }, requestId)),
  }
  const stages: Record<PlannedRequest['kind'], RequestStage> = {
    waiting: 'waiting',
    awaitingKey: 'awaitingKey',
    denied: 'waiting',
    failed: 'approved',
    withdrawn: 'waiting',
  }
  for (const one of requests.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    await workInThePast(house, one.tenancy.id, async (work) =>
      ends[one.kind](work, one, await ask(work, keys, one, one.at, stages[one.kind])),
    )
  }
}

async function withdraw(db: Database, { tenancy, at }: PlannedRequest, requestId: string, emit: () => void): Promise<void> {
  await changeRequest(db, tenancy.id, requestId, { stage: 'withdrawn', error: 'Withdrawn by the requester', updated_at: at })
  await cancelApproval(db, subjectOf(tenancy, requestId), at)
  emit()
}
