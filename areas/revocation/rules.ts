// Decisions of revocation that need nothing but their arguments.

import { revocationReasonLabels } from '#areas/certificates/rules.ts'
import {
  isHold,
  isRevocationReason,
  mayBecome,
  REVOCATION_REASONS,
  reasonsToChoose,
  type RevocationReason,
  type RevocationSubject,
} from '#standards/crl/reasons.ts'
import type { SignedBy } from './signing.ts'

/** For who comes too late. */
export const howDecided: Record<RevocationState, string> = {
  pending: 'it was decided at this moment',
  revoked: 'it was approved, and the certificate is revoked',
  released: 'it was approved, and the certificate is released',
  denied: 'it was denied',
  cancelled: 'it was taken back',
  failed: 'it was approved, and could not be done',
}

/** What somebody meets who looked at it before. */
export const howItStands = (revoked: { reason: RevocationReason; at: Date } | undefined): string =>
  revoked === undefined
    ? 'it is not revoked any more'
    : isHold(revoked.reason)
      ? `it is on hold since ${revoked.at.toISOString().slice(0, 10)}`
      : `it was revoked on ${revoked.at.toISOString().slice(0, 10)} for another reason or by somebody else`

export const revocationStates = ['pending', 'revoked', 'released', 'denied', 'cancelled', 'failed'] as const
export type RevocationState = (typeof revocationStates)[number]

/** Why a revocation that was asked for could not be done. */
export const failureCodes = {
  notIssuedHere: 'This certificate was not issued by an authority of this installation. Revoke it where it was issued.',
  unknownSerial: 'The authority has no record of a certificate with this serial number. Nothing was revoked.',
  alreadyRevoked: 'The certificate had been revoked already when this was decided.',
  notOnHold: 'The certificate was not on hold any more when this was decided.',
  over: 'The certificate had ended when this was decided, and its hold with it.',
} as const
export type FailureCode = keyof typeof failureCodes
export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failureCodes, code)

/** What people read for each reason, and when to choose it. */
export const reasonTexts: Record<RevocationReason, { label: string; hint: string }> = {
  unspecified: { label: revocationReasonLabels.unspecified, hint: 'Nothing is said about why.' },
  keyCompromise: {
    label: revocationReasonLabels.keyCompromise,
    hint: 'The private key was lost, stolen or seen by somebody else, or may have been.',
  },
  cACompromise: { label: revocationReasonLabels.cACompromise, hint: 'The key of the authority was lost, stolen or seen.' },
  affiliationChanged: {
    label: revocationReasonLabels.affiliationChanged,
    hint: 'The name or the organisation in the certificate is no longer right.',
  },
  superseded: { label: revocationReasonLabels.superseded, hint: 'Another certificate has taken its place.' },
  cessationOfOperation: { label: revocationReasonLabels.cessationOfOperation, hint: 'The person, device or service no longer needs it.' },
  certificateHold: { label: revocationReasonLabels.certificateHold, hint: 'Suspended. It can be released again, or revoked for good.' },
  removeFromCRL: { label: revocationReasonLabels.removeFromCRL, hint: 'A hold has ended.' },
  privilegeWithdrawn: { label: revocationReasonLabels.privilegeWithdrawn, hint: 'A right that the certificate grants was taken away.' },
  aACompromise: { label: revocationReasonLabels.aACompromise, hint: 'The key of an attribute authority was lost.' },
}

export const allReasons = Object.keys(REVOCATION_REASONS).filter(isRevocationReason)

export const isReason = (reason: string): reason is RevocationReason => isRevocationReason(reason)

export const mayChoose = (reason: RevocationReason, subject: RevocationSubject): boolean => reasonsToChoose(subject).includes(reason)

/** To put many on hold is work of its own, which can be ended for many, too. */
export const reasonsForMany: readonly RevocationReason[] = reasonsToChoose('certificate').filter((reason) => !isHold(reason))

export const actions = ['revocation', 'hold', 'release'] as const
export type Action = (typeof actions)[number]

/** What is asked for. A release stands among the revocations, with the reason by which delta lists tell of it. */
export const actionOf = (reason: RevocationReason): Action =>
  reason === 'removeFromCRL' ? 'release' : isHold(reason) ? 'hold' : 'revocation'
export const reasonsOf = (action: Action): RevocationReason[] => allReasons.filter((reason) => actionOf(reason) === action)
export const isRelease = ({ reason }: { reason: RevocationReason }): boolean => actionOf(reason) === 'release'

/** Nothing can be added to this revocation by that reason. */
export const isRevokedFor = (revoked: { reason: RevocationReason } | undefined, reason: RevocationReason): boolean =>
  revoked !== undefined && !mayBecome(revoked.reason, reason)

/** The reasons that are left to choose for a certificate, as it stands now. */
export const reasonsLeft = (revoked: { reason: RevocationReason } | undefined): RevocationReason[] =>
  reasonsToChoose('certificate').filter((reason) => !isRevokedFor(revoked, reason))

/** It is revoked for good, and is about to be said to have lost its key. */
export const isFoundLater = (revoked: { reason: string } | undefined): boolean => revoked !== undefined && !isHold(revoked.reason)

/** RFC 5280 5.3.2: the day since when the key is not to be trusted lies within the certificate's life and not ahead. */
export function invalidityFault(invalidityDate: Date, certificate: { validFrom: Date }, now: Date): string | undefined {
  if (invalidityDate.getTime() > now.getTime()) return 'This lies in the future'
  if (invalidityDate.getTime() < certificate.validFrom.getTime()) return 'This lies before the certificate was valid'
  return undefined
}

const hour = 3_600_000

/** A list is made at least once a day and is valid for 48 hours where nothing else is set, which leaves a day of reserve if making one fails. */
const crlPeriodMilliseconds = 24 * hour

/** Expired certificates stay on the list until one that was made after their end has shown them (RFC 5280 3.3). */
export const expiredStay = (now: Date): Date => new Date(now.getTime() - 2 * crlPeriodMilliseconds)

/** Which list of an authority: 0 the whole, from 1 one of its parts, -1 the delta to the whole. */
export const wholeList = 0
export const deltaList = -1

/** The lists of an authority: the whole first, then the delta, then the parts. */
export const partsOf = ({ crlShards }: { crlShards: number }, { delta }: { delta: boolean }): number[] => [
  wholeList,
  ...(delta ? [deltaList] : []),
  ...Array.from({ length: crlShards }, (_part, at) => at + 1),
]

/** How an authority tells of revocations. */
export type StatusSettings = {
  /** Revocations come on a delta list at once, and on the whole one once a day. */
  delta: boolean
  deltaMinutes: number
  /** So long the whole list and its parts are valid. */
  listHours: number
  /** So long an OCSP answer is valid. */
  answerMinutes: number
  responderId: 'byKey' | 'byName'
  signedBy: SignedBy
}
export const usualStatusSettings: StatusSettings = {
  delta: false,
  deltaMinutes: 60,
  listHours: 48,
  answerMinutes: 60,
  responderId: 'byKey',
  signedBy: 'authority',
}

/** What can be set: CRLs of a year are as long as anybody takes them, and an answer of less than ten minutes would have ended before it has come through caches. */
export const listHoursLimits = { least: 4, most: 8760 } as const
export const answerMinutesLimits = { least: 10, most: 10_080 } as const

const minute = 60_000
const validMilliseconds = (part: number, { deltaMinutes, listHours }: StatusSettings): number =>
  part === deltaList ? 2 * deltaMinutes * minute : listHours * hour

/** A list is followed by another when half of its life is over, and once a day however long it lives. */
const periodOfLife = (milliseconds: number): number => Math.min(milliseconds / 2, crlPeriodMilliseconds)
export const periodOf = (part: number, settings: StatusSettings): number => periodOfLife(validMilliseconds(part, settings))

type ListLife = { thisUpdate: Date; nextUpdate: Date }

/** When another should have followed this list, going by its own life: settings may have changed since. */
export const followedBy = ({ thisUpdate, nextUpdate }: ListLife): Date =>
  new Date(thisUpdate.getTime() + periodOfLife(nextUpdate.getTime() - thisUpdate.getTime()))

export const nextUpdateOf = (thisUpdate: Date, part: number, settings: StatusSettings): Date =>
  new Date(thisUpdate.getTime() + validMilliseconds(part, settings))

/**
 * The number of a new list: the milliseconds since 1970, or one more than the last where that is more. So a number tells when it was given, and after the
 * restore of an older backup, when the database has forgotten the last ones, the clock alone is past all of them: what was given
 * before was at most the time of then.
 */
export const nextCrlNumber = (last: number | undefined, now: Date): number => Math.max((last ?? 0) + 1, now.getTime())

export type CrlCover = { thisUpdate: Date; revision: number }

/** Whether a new list is due: there is none, it is a period old, or something that must be on it at once was revoked since. */
export const crlIsDue = (latest: CrlCover | undefined, newestChange: number, now: Date, period = crlPeriodMilliseconds): boolean =>
  latest === undefined || latest.revision < newestChange || now.getTime() - latest.thisUpdate.getTime() >= period

export const listStates = ['fresh', 'ending', 'ended', 'none'] as const
export type ListState = (typeof listStates)[number]

/** A list whose last fifth has begun, and none has followed it, is ending. */
export function listState(list: ListLife | undefined, now: Date): ListState {
  if (list === undefined) return 'none'
  const left = list.nextUpdate.getTime() - now.getTime()
  if (left <= 0) return 'ended'
  return left < (list.nextUpdate.getTime() - list.thisUpdate.getTime()) / 5 ? 'ending' : 'fresh'
}

/** Seconds for which others may keep a list: a revocation makes a new one at once, and a copy on the way must not hide it for long. */
export const crlMaxAge = (nextUpdate: Date, now: Date): number =>
  Math.max(0, Math.min(300, Math.floor((nextUpdate.getTime() - now.getTime()) / 2000)))

/** How many lists of each kind keep their bytes. */
export const crlsRetained = 5

export const answerValidMilliseconds = ({ answerMinutes }: StatusSettings): number => answerMinutes * minute
/** An answer in memory is signed anew after this. */
export const answerCacheMilliseconds = (settings: StatusSettings): number => Math.min(hour, answerValidMilliseconds(settings)) / 6
/** For this long an answer in memory is given without asking the database whether something was revoked. */
export const ocspLeaseMilliseconds = 500
/** A GET answer may be kept this long by what stands between (RFC 5019 6.2); after that, what was revoked is revoked there, too. */
export const ocspCachedSeconds = 60
export const mostCachedAnswers = 20_000
/** Answers that a process signs at the same time; whoever comes beyond is asked to try later. */
export const ocspSigningAtOnce = 256

/** What leads anybody to an authority's CRL and OCSP responder (public_addresses.kind). */
export const addressKind = 'authority'
