// The states of a request and of a certificate, and small decisions about lists of them. Pure, for both sides.

import { dayText } from '#core/contract/days.ts'
import { isHold } from '#standards/crl/reasons.ts'
import type { RequestStatus } from './request-status.ts'

/**
 * How far a request is. waiting: others must agree. awaitingKey: nobody objects, and its requester fetches key and certificate in one step.
 * approved: to be issued now. reserved: serial and bytes are on record, the signature is due. Recovery finishes `approved` and `reserved`.
 */
export const requestStages = ['waiting', 'awaitingKey', 'approved', 'reserved', 'issued', 'denied', 'withdrawn', 'failed'] as const
export type RequestStage = (typeof requestStages)[number]

/** How a request was decided, for who comes too late. */
export const howDecided: Record<RequestStage, string> = {
  waiting: 'it waits again',
  awaitingKey: 'it was approved, and its key waits to be collected',
  approved: 'it was approved',
  reserved: 'it was approved',
  issued: 'it was approved, and the certificate is issued',
  denied: 'it was denied',
  withdrawn: 'it was withdrawn',
  failed: 'it was approved, and could not be issued',
}

/** What an approval of a request is called in the room of approvals. */
export const approvalKind = 'certificateRequest'

/** The specification's status of each stage. */
const statusOfStage: Record<RequestStage, RequestStatus> = {
  waiting: 'under_submission',
  awaitingKey: 'incomplete',
  approved: 'under_submission',
  reserved: 'under_submission',
  issued: 'issued',
  denied: 'denied',
  withdrawn: 'denied',
  failed: 'error',
}

/** `external`: its certificate is another issuer's, which nobody here revokes. */
export const requestStatus = (stage: RequestStage, revoked: boolean, external = false): RequestStatus =>
  stage !== 'issued' ? statusOfStage[stage] : external ? 'issued_out_of_band' : revoked ? 'revoked' : 'issued'

/** The stages in which a request can have this status. */
export const stagesWith = (status: RequestStatus): RequestStage[] =>
  requestStages.filter((stage) =>
    [requestStatus(stage, false), requestStatus(stage, true), requestStatus(stage, false, true)].includes(status),
  )

/** The requester on record of an anonymous request: an id of no account, and a name that no account can have. */
export const anonymous = { id: '00000000-0000-4000-8000-000000000000', name: 'Anonymous (public request page)' } as const

/** `revoked` is for good; on hold is a state of its own, that ends. */
export const certificateStatuses = ['active', 'expiring', 'expired', 'onHold', 'revoked', 'pending'] as const
export type CertificateStatus = (typeof certificateStatuses)[number]

/** RFC 5280 5.3.1, as people read them. */
export const revocationReasonLabels = {
  unspecified: 'No particular reason',
  keyCompromise: 'Key compromise',
  cACompromise: 'Authority compromise',
  affiliationChanged: 'Affiliation changed',
  superseded: 'Superseded',
  cessationOfOperation: 'Cessation of operation',
  certificateHold: 'On hold',
  removeFromCRL: 'Release from hold',
  privilegeWithdrawn: 'Privilege withdrawn',
  aACompromise: 'Attribute authority compromise',
} as const

export const reasonWord = (reason: string): string =>
  Object.hasOwn(revocationReasonLabels, reason) ? revocationReasonLabels[reason as keyof typeof revocationReasonLabels] : reason

/** By what one's own certificates are sorted. */
export const ownSorts = ['issuedAt', 'notAfter', 'name'] as const

type Whose = { requesterId: string | null | undefined; holderUserId: string | null | undefined }

/** Of a row. */
export const whoseIs = (record: { requester_id: string | null; holder_user_id: string | null }): Whose => ({
  requesterId: record.requester_id,
  holderUserId: record.holder_user_id,
})

/** Who asked for it and who holds it may take it and give it back, also where they see no other certificates. */
export const isTheirs = ({ userId }: { userId: string }, { requesterId, holderUserId }: Whose): boolean =>
  userId === requesterId || userId === holderUserId

/** Nobody has begun to issue it. */
export const withdrawableStages = ['waiting', 'awaitingKey'] as const satisfies RequestStage[]

/** The one person who has its key, who is told when it ends, and renews it: its holder; of a device, whoever asked for it. */
export const keeperOf = ({ requesterId, holderUserId }: Whose): string | undefined => holderUserId ?? requesterId ?? undefined

/** Close to expiry. */
export const expiringDays = 30
const day = 86_400_000

/** A certificate's dates, and why it was revoked where it was. */
export type Lifetime = {
  notBefore: Date
  notAfter: Date
  revokedAt: Date | undefined
  revocationReason: string | undefined
  /** Another has taken its place: its end concerns nobody. */
  replaced?: boolean
}

export const lifetimeOf = (record: {
  not_before: Date
  not_after: Date
  revoked_at: Date | null
  revocation_reason: string | null
  renewed_by: string | null
  replaced_at: Date | null
}): Lifetime => ({
  notBefore: record.not_before,
  notAfter: record.not_after,
  revokedAt: record.revoked_at ?? undefined,
  revocationReason: record.revocation_reason ?? undefined,
  replaced: record.renewed_by !== null || record.replaced_at !== null,
})

/**
 * What a certificate is now. Revoked for good outlasts everything. A hold ends with the certificate: released or not, nobody accepts it any more, and
 * there is nothing left to decide. What was replaced does not expire soon: nobody need renew it. Both ends belong to the validity.
 */
export function certificateStatus(
  { notBefore, notAfter, revokedAt, revocationReason, replaced = false }: Lifetime,
  now: Date,
): CertificateStatus {
  if (revokedAt !== undefined) return !isHold(revocationReason) ? 'revoked' : now > notAfter ? 'expired' : 'onHold'
  if (now < notBefore) return 'pending'
  if (now > notAfter) return 'expired'
  return !replaced && notAfter.getTime() - now.getTime() <= expiringDays * day ? 'expiring' : 'active'
}

/** A key of one person in a certificate of another is what an impostor wants: somebody else looks, whatever the template says. */
export const approversNeeded = (issueApprovers: number, isKeyOfAnother: boolean): number =>
  isKeyOfAnother ? Math.max(1, issueApprovers) : issueApprovers

/** Counts days by the calendar, as what stands beside it names one: what ends the night after next does not end tomorrow. Days are those of UTC. */
export const daysLeft = (notAfter: Date, now: Date): number => (Date.parse(dayText(notAfter)) - Date.parse(dayText(now))) / day

/** Expiry, as the facets cut it: from today to so many days. */
export const expiryWindows = { week: 7, month: 30, quarter: 90, year: 365 } as const
export type ExpiryWindow = keyof typeof expiryWindows
export const expiryWindowLabels: Record<ExpiryWindow, string> = {
  week: 'In 7 days',
  month: 'In 30 days',
  quarter: 'In 90 days',
  year: 'In a year',
}

/** Issued within so many days. */
export const recentDays = { day: 1, week: 7, month: 30 } as const
export type Recent = keyof typeof recentDays
export const recentLabels: Record<Recent, string> = {
  day: 'In the last 24 hours',
  week: 'In the last 7 days',
  month: 'In the last 30 days',
}

/** What a person writes on a certificate. No semicolon, which ends the word that it is found by. */
export const longestTag = 40
export const mostTags = 20
export const tagPattern = /^[^\s;,](?:[^;,\p{C}]*[^\s;,])?$/u

/** A stretch of time as a list's address gives it, `2026-01-05T00:00:00Z/2026-01-12T00:00:00Z` (ISO 8601): the beginning is in it, the end is not. */
const timeSpan = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

export function readSpan(text: string): { from: Date; until: Date } | undefined {
  const [from, until] = text.split('/').map((part) => new Date(part))
  return from === undefined || until === undefined || !timeSpan.test(text) || Number.isNaN(from.getTime()) || Number.isNaN(until.getTime())
    ? undefined
    : { from, until }
}

/** The days before expiry on which the holder is told, once each. */
export const noticeDays = [30, 7, 1] as const

/** The notice that is due: the nearest one whose day has come, so that a certificate found late is told of once, not three times. */
export function dueNotice(notAfter: Date, now: Date, sent: readonly number[]): number | undefined {
  const left = (notAfter.getTime() - now.getTime()) / day
  if (left < 0) return undefined
  const reached = noticeDays.filter((days) => left <= days)
  const nearest = reached.at(-1)
  return nearest === undefined || sent.some((days) => days <= nearest) ? undefined : nearest
}

/** `{caId}:{serial}`, a serial, or an id of ours, as the view's address gives it. */
export type CertificateReference = { certId: string; caId?: string | undefined }
export type ReadReference = { id: string } | { caId: string | undefined; serialHex: string }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Undefined where it is no reference at all. Serials may be grouped by colons or spaces. */
export function readReference({ certId, caId }: CertificateReference): ReadReference | undefined {
  const joined = /^([0-9a-f-]{36}):(.+)$/i.exec(certId)
  const authority = caId ?? joined?.[1]
  if (authority !== undefined && !uuid.test(authority)) return undefined
  const own = joined?.[2] ?? certId
  if (uuid.test(own) && authority === undefined) return { id: own.toLowerCase() }
  const serialHex = normalSerial(own)
  return serialHex === undefined ? undefined : { caId: authority?.toLowerCase(), serialHex }
}

/** Lower-case hex without grouping or leading zeros of the byte's sign; undefined where it is none. */
export function normalSerial(text: string): string | undefined {
  const digits = text.replace(/[\s:]/g, '').replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{1,42}$/.test(digits)) return undefined
  const trimmed = digits.replace(/^(?:00)+(?=..)/, '')
  return trimmed.length % 2 === 0 ? trimmed : `0${trimmed}`
}

/** Bulk work on requests. */
export const decideAction = 'certificates.decide'
export const withdrawAction = 'certificates.withdraw'
/** Bulk work on certificates. */
export const assignAction = 'certificates.assign'

/** A password for a PKCS#12 file. */
export const fewestPasswordCharacters = 8

/** Behind a name, in a letter; nothing where there is nothing to say. */
export const inBrackets = (text: string): string => (text === '' ? '' : ` (${text})`)
