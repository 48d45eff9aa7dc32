// Why a certificate was revoked: CRLReason of RFC 5280 section 5.3.1, for CRLs and OCSP alike. The numbers are the wire's
// and have a hole at 7. Who may give which reason is the product's decision and stands in the same line.

/** What is revoked: a person's or a device's certificate, or that of an authority. */
export type RevocationSubject = 'certificate' | 'authority'

interface ReasonEntry {
  readonly code: number
  /** what people may choose it for; the rest is set by the product alone or never */
  readonly chosenFor: readonly RevocationSubject[]
}

export const REVOCATION_REASONS = {
  // On the wire this one is said by silence (RFC 5280 5.3.1: the extension SHOULD be absent instead).
  unspecified: { code: 0, chosenFor: ['certificate', 'authority'] },
  keyCompromise: { code: 1, chosenFor: ['certificate', 'authority'] },
  cACompromise: { code: 2, chosenFor: ['authority'] },
  affiliationChanged: { code: 3, chosenFor: ['certificate', 'authority'] },
  superseded: { code: 4, chosenFor: ['certificate', 'authority'] },
  cessationOfOperation: { code: 5, chosenFor: ['certificate', 'authority'] },
  // The only state that can be taken back. What stands below an authority does not come and go with it.
  certificateHold: { code: 6, chosenFor: ['certificate'] },
  // 7 is not used.
  // Only in a delta CRL, where a hold has ended.
  removeFromCRL: { code: 8, chosenFor: [] },
  privilegeWithdrawn: { code: 9, chosenFor: ['certificate', 'authority'] },
  // Attribute authorities do not occur here.
  aACompromise: { code: 10, chosenFor: [] },
} as const satisfies Record<string, ReasonEntry>

export type RevocationReason = keyof typeof REVOCATION_REASONS

/** Revoked for now: it can be released again. */
export const holdReason = 'certificateHold' satisfies RevocationReason
export const isHold = (reason: string | null | undefined): boolean => reason === holdReason

const entries = Object.entries(REVOCATION_REASONS) as [RevocationReason, ReasonEntry][]
const byCode = new Map(entries.map(([reason, { code }]) => [code, reason]))

export function isRevocationReason(name: string): name is RevocationReason {
  return Object.hasOwn(REVOCATION_REASONS, name)
}

/** undefined for a number that is no reason, 7 among them. */
export function reasonFromCode(code: number): RevocationReason | undefined {
  return byCode.get(code)
}

/**
 * Whether what is revoked for one reason may come to be revoked for another: a hold becomes a revocation for good, and any reason becomes key compromise
 * when the key turns out to have been lost (RFC 5280 5.3.1). Nothing else follows a revocation for good.
 */
export const mayBecome = (from: RevocationReason, to: RevocationReason): boolean =>
  isHold(from) ? !isHold(to) : to === 'keyCompromise' && from !== to

/** The reasons that a form offers, in the order of the standard. */
export function reasonsToChoose(subject: RevocationSubject): RevocationReason[] {
  return entries.filter(([, { chosenFor }]) => chosenFor.includes(subject)).map(([reason]) => reason)
}
