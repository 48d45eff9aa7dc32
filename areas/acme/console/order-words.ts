import type { AuthorizationStatus, ChallengeStatus, OrderStatus } from '#standards/acme/states.ts'

type Word = { kind: string; label: string }

/** The states of the standard, as people read them. */
export const orderWords: Record<OrderStatus, Word> = {
  pending: { kind: 'pending', label: 'Names to be proven' },
  ready: { kind: 'approved', label: 'Names proven' },
  processing: { kind: 'issuing', label: 'Being issued' },
  valid: { kind: 'issued', label: 'Issued' },
  invalid: { kind: 'failed', label: 'Failed' },
}

export const authorizationWords: Record<AuthorizationStatus, Word> = {
  pending: { kind: 'pending', label: 'To be proven' },
  valid: { kind: 'approved', label: 'Proven' },
  invalid: { kind: 'failed', label: 'Not proven' },
  deactivated: { kind: 'disabled', label: 'Abandoned' },
  expired: { kind: 'expired', label: 'Over' },
  revoked: { kind: 'revoked', label: 'Revoked' },
}

export const challengeWords: Record<ChallengeStatus, Word> = {
  pending: { kind: 'draft', label: 'Not tried' },
  processing: { kind: 'issuing', label: 'Being looked at' },
  valid: { kind: 'approved', label: 'Met' },
  invalid: { kind: 'failed', label: 'Not met' },
}
