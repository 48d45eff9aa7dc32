// What the person who looks can do about a renewal: out of what is said of it, whose it is, and what a renewal by this person would be refused for.
// What is offered here is taken when it is tried.

import type { RefusalKind } from '#areas/certificates/renewal-rules.ts'
import type { CertificateStatus } from '#areas/certificates/rules.ts'
import type { RenewalKeyName } from './key-choices.ts'
import type { VerdictKind } from './rules.ts'

/**
 * renew: one click. early: the same, before its time. answer: a request with a new key. collect: the new key waits.
 * approve: its decision waits for this person. show: so it does for others, or it is there to be read. request: only another certificate helps.
 */
export const renewalSteps = ['renew', 'early', 'answer', 'collect', 'approve', 'show', 'request', 'none'] as const
export type RenewalStep = (typeof renewalSteps)[number]

export type Standpoint = {
  verdict: VerdictKind
  status: CertificateStatus
  /** Its time has come. */
  open: boolean
  /** Whose it is, and who may ask for others. */
  mayRenew: boolean
  /** Who may ask for others could ask for a new one at any time, and need not wait for the time of a renewal. */
  mayEarly: boolean
  /** The keys with which a renewal by this person would not be refused for the key. */
  keys: readonly RenewalKeyName[]
  /** What else a renewal by this person would be refused for. */
  refusedFor: RefusalKind | undefined
  collects: boolean
  decides: boolean
  /** May read its request. */
  reads: boolean
}

/** With these another certificate, asked for anew, would not be refused as well. */
const helpedByAnother: readonly (RefusalKind | undefined)[] = ['names', 'policy', 'key']

export function stepOn({ verdict, status, open, mayRenew, mayEarly, keys, refusedFor, collects, decides, reads }: Standpoint): RenewalStep {
  if (verdict === 'collect') return collects ? 'collect' : reads ? 'show' : 'none'
  if (verdict === 'approval') return decides ? 'approve' : reads ? 'show' : 'none'
  if (!mayRenew || settledVerdicts.includes(verdict)) return 'none'
  if (status === 'expired' || status === 'revoked' || verdict === 'never') return 'request'
  if (!open) return mayEarly && keys.length > 0 && refusedFor === undefined ? 'early' : 'none'
  if (refusedFor !== undefined) return helpedByAnother.includes(refusedFor) ? 'request' : 'none'
  if (keys.length === 0) return 'request'
  return keys.every((key) => key === 'brought') ? 'answer' : 'renew'
}

/** Of these nobody renews anything: it is done, is being done, is done elsewhere, or something comes before. */
export const settledVerdicts: readonly VerdictKind[] = ['renewed', 'superseded', 'external', 'underWay', 'rule', 'onHold']
