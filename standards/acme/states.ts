// The states of orders, authorisations and challenges (RFC 8555 7.1.6), and which step leads from one to another. None leads back.

export const orderStatuses = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const
export type OrderStatus = (typeof orderStatuses)[number]
export const authorizationStatuses = ['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'] as const
export type AuthorizationStatus = (typeof authorizationStatuses)[number]
export const challengeStatuses = ['pending', 'processing', 'valid', 'invalid'] as const
export type ChallengeStatus = (typeof challengeStatuses)[number]
export const accountStatuses = ['valid', 'deactivated', 'revoked'] as const
export type AccountStatus = (typeof accountStatuses)[number]

export const orderSteps: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['ready', 'invalid'],
  ready: ['processing', 'invalid'],
  processing: ['valid', 'invalid'],
  valid: [],
  invalid: [],
}

export const authorizationSteps: Record<AuthorizationStatus, readonly AuthorizationStatus[]> = {
  pending: ['valid', 'invalid', 'deactivated', 'expired'],
  valid: ['deactivated', 'expired', 'revoked'],
  invalid: [],
  deactivated: [],
  expired: [],
  revoked: [],
}

/** What an authorisation is now: one whose time is over counts as expired, whatever the row says. */
export function authorizationStatus({ status, expires }: { status: AuthorizationStatus; expires: Date }, now: Date): AuthorizationStatus {
  return (status === 'pending' || status === 'valid') && now >= expires ? 'expired' : status
}

/**
 * What an order is now. Until somebody finalises it, that follows from its authorisations and its end; from then on it is written down. Because no
 * authorisation returns to an earlier state, neither does the order.
 */
export function orderStatus(
  { status, expires }: { status: OrderStatus; expires: Date },
  authorizations: readonly { status: AuthorizationStatus; expires: Date }[],
  now: Date,
): OrderStatus {
  if (status !== 'pending' && status !== 'ready') return status
  const all = authorizations.map((one) => authorizationStatus(one, now))
  if (now >= expires || all.some((one) => one !== 'pending' && one !== 'valid')) return 'invalid'
  return all.length > 0 && all.every((one) => one === 'valid') ? 'ready' : 'pending'
}
