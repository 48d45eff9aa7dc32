// Decisions of revocation that need nothing but their arguments.

import { isRevocationReason, REVOCATION_REASONS, reasonsToChoose, type RevocationReason, type RevocationSubject } from '#standards/crl/reasons.ts'

export const revocationStates = ['pending', 'revoked', 'denied', 'cancelled', 'failed'] as const
export type RevocationState = (typeof revocationStates)[number]

/** Why a revocation that was asked for could not be done. */
export const failureCodes = {
  notIssuedHere: 'This certificate was not issued by an authority of this installation. Revoke it where it was issued.',
  unknownSerial: 'The authority has no record of a certificate with this serial number. Nothing was revoked.',
  alreadyRevoked: 'The certificate had been revoked already when this was decided.',
} as const
export type FailureCode = keyof typeof failureCodes
export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failureCodes, code)

/** What people read for each reason, and when to choose it. */
export const reasonTexts: Record<RevocationReason, { label: string; hint: string }> = {
  unspecified: { label: 'No particular reason', hint: 'Nothing is said about why.' },
  keyCompromise: { label: 'Key compromise', hint: 'The private key was lost, stolen or seen by somebody else, or may have been.' },
  cACompromise: { label: 'Authority compromise', hint: 'The key of the authority was lost, stolen or seen.' },
  affiliationChanged: { label: 'Affiliation changed', hint: 'The name or the organisation in the certificate is no longer right.' },
  superseded: { label: 'Superseded', hint: 'Another certificate has taken its place.' },
  cessationOfOperation: { label: 'Cessation of operation', hint: 'The person, device or service no longer needs it.' },
  certificateHold: { label: 'On hold', hint: 'Suspended, and may come back.' },
  removeFromCRL: { label: 'Removed from the list', hint: 'A hold has ended.' },
  privilegeWithdrawn: { label: 'Privilege withdrawn', hint: 'A right that the certificate grants was taken away.' },
  aACompromise: { label: 'Attribute authority compromise', hint: 'The key of an attribute authority was lost.' },
}

export const allReasons = Object.keys(REVOCATION_REASONS).filter(isRevocationReason)

export const isReason = (reason: string): reason is RevocationReason => isRevocationReason(reason)

export const mayChoose = (reason: RevocationReason, subject: RevocationSubject): boolean => reasonsToChoose(subject).includes(reason)

/** RFC 5280 5.3.2: the day since when the key is not to be trusted lies within the certificate's life and not ahead. */
export function invalidityFault(invalidityDate: Date, certificate: { validFrom: Date }, now: Date): string | undefined {
  if (invalidityDate.getTime() > now.getTime()) return 'This lies in the future'
  if (invalidityDate.getTime() < certificate.validFrom.getTime()) return 'This lies before the certificate was valid'
  return undefined
}

const hour = 3_600_000

/** A list is made once a day and holds two: for a day nobody notices that the making failed. */
export const crlPeriodMilliseconds = 24 * hour
export const crlOverlapMilliseconds = 24 * hour

export const nextUpdateOf = (thisUpdate: Date): Date => new Date(thisUpdate.getTime() + crlPeriodMilliseconds + crlOverlapMilliseconds)

/** Expired certificates stay on the list until one that was made after their end has shown them (RFC 5280 3.3). */
export const expiredStay = (now: Date): Date => new Date(now.getTime() - 2 * crlPeriodMilliseconds)

export type CrlCover = { thisUpdate: Date; revision: number }

/** Whether a new list is due: there is none, it is a period old, or something was revoked since. */
export const crlIsDue = (latest: CrlCover | undefined, revision: number, now: Date): boolean =>
  latest === undefined || latest.revision < revision || now.getTime() - latest.thisUpdate.getTime() >= crlPeriodMilliseconds

/** Seconds for which others may keep a list: half of what is left of it, at most an hour, so that a new one is seen soon. */
export const crlMaxAge = (nextUpdate: Date, now: Date): number => Math.max(0, Math.min(3600, Math.floor((nextUpdate.getTime() - now.getTime()) / 2000)))

/** How many lists keep their bytes. */
export const crlsKept = 5

/** An OCSP answer says that it holds this long. */
export const ocspValidMilliseconds = hour
/** An answer in memory is signed anew after this. */
export const ocspKeptMilliseconds = hour / 6
/** For this long an answer in memory is given without asking the database whether something was revoked. */
export const ocspLeaseMilliseconds = 500
export const ocspAnswersKept = 20_000
/** Answers that a process signs at the same time; whoever comes beyond is asked to try later. */
export const ocspSigningAtOnce = 256

/** What leads strangers to an authority's CRL and OCSP responder (public_addresses.kind). */
export const addressKind = 'authority'

/** To see a certificate is not enough to revoke it: one must have asked for it, hold it, or be one of those who decide revocations. */
export const mayRevoke = (
  viewer: { userId: string; permission: { api: readonly string[] } },
  certificate: { requesterId: string | undefined; holderUserId: string | undefined },
): boolean => viewer.permission.api.includes('certRevokeView') || viewer.userId === certificate.requesterId || viewer.userId === certificate.holderUserId
