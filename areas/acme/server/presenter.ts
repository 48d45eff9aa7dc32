// What of orders, authorisations and challenges goes over the wire (RFC 8555 7.1).

import { presentProblem } from '#standards/acme/problem.ts'
import { authorizationStatus, orderStatus, type OrderStatus } from '#standards/acme/states.ts'
import type { AuthorizationRecord, ChallengeRecord, DirectoryRecord, OrderRecord } from './store.ts'

const instant = (at: Date): string => at.toISOString().replace(/\.\d{3}Z$/, 'Z')

export const orderUrl = (base: string, id: string): string => `${base}/order/${id}`
export const authorizationUrl = (base: string, id: string): string => `${base}/authz/${id}`
export const challengeUrl = (base: string, id: string): string => `${base}/challenge/${id}`
export const certificateUrl = (base: string, id: string): string => `${base}/certificate/${id}`

export const statusOf = (order: OrderRecord, authorizations: readonly AuthorizationRecord[], now: Date): OrderStatus =>
  orderStatus({ status: order.status, expires: order.expires_at }, authorizations.map(timed), now)

export const timed = ({ status, expires_at: expires }: AuthorizationRecord) => ({ status, expires })

export const presentOrder = (base: string, order: OrderRecord, authorizations: readonly AuthorizationRecord[], now: Date) => ({
  status: statusOf(order, authorizations, now),
  expires: instant(order.expires_at),
  identifiers: order.identifiers,
  profile: order.profile,
  authorizations: order.authorization_ids.map((id) => authorizationUrl(base, id)),
  finalize: `${orderUrl(base, order.id)}/finalize`,
  ...(order.certificate_id === null ? {} : { certificate: certificateUrl(base, order.certificate_id) }),
  ...(order.replaces === null ? {} : { replaces: order.replaces }),
  ...(order.error === null ? {} : { error: presentProblem(order.error) }),
})

export function presentAuthorization(
  base: string,
  authorization: AuthorizationRecord,
  challenges: readonly ChallengeRecord[],
  { directory, now }: { directory: DirectoryRecord; now: Date },
) {
  const status = authorizationStatus(timed(authorization), now)
  // What decided is shown; while nothing is decided, what may be tried.
  const deciding = challenges.filter((one) => one.status === status)
  const accountUrl = `${base}/account/${authorization.account_id}`
  return {
    identifier: { type: authorization.type, value: authorization.value },
    status,
    expires: instant(authorization.expires_at),
    challenges: (deciding.length > 0 ? deciding : challenges).map((one) => presentChallenge(base, one, { directory, accountUrl })),
    ...(authorization.wildcard ? { wildcard: true } : {}),
  }
}

export const presentChallenge = (
  base: string,
  { id, type, token, status, validated_at, error }: ChallengeRecord,
  { directory, accountUrl }: { directory: DirectoryRecord; accountUrl: string },
) => ({
  type,
  url: challengeUrl(base, id),
  status,
  ...(type === 'dns-persist-01' ? { 'issuer-domain-names': directory.settings.caaIdentities, accounturi: accountUrl } : { token }),
  ...(validated_at === null ? {} : { validated: instant(validated_at) }),
  ...(error === null ? {} : { error: presentProblem(error) }),
})
