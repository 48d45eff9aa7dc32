// What of an order leaves the server. No key, no nonce and no token of an account is among it.

import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { httpPath } from '#standards/acme/challenges.ts'
import { renewalSays } from '../renewal-says.ts'
import { challengeOf, nonceSteps } from '../rules.ts'
import { findChallengeAddress, listAttempts } from './order-store.ts'
import { recordOf } from './steps.ts'
import { findAuthority, findResponder, type OrderRecord } from './store.ts'

export const presentRow = (order: OrderRecord, authorityName: string) => ({
  id: order.id,
  names: order.names,
  authorityName,
  step: order.step,
  runs: order.runs,
  ownerName: order.owner_name,
  createdAt: order.created_at.toISOString(),
  ...(order.not_after === null ? {} : { notAfter: order.not_after.toISOString() }),
  ...(order.renew_at === null || !order.renews ? {} : { renewAt: order.renew_at.toISOString() }),
  ...(order.problem === null ? {} : { problem: order.problem }),
})

export const renewalOf = (order: OrderRecord): string =>
  renewalSays({
    obtained: order.certificate_id !== null,
    renews: order.renews,
    proof: order.proof,
    step: order.step,
    runs: order.runs,
    problem: order.problem?.detail,
    nextAt: order.next_at,
    renewAt: order.renew_at ?? undefined,
    ari: order.ari ?? undefined,
  })

const addressIn = (name: string): string => (name.includes(':') ? `[${name}]` : name)

export const challengeAddress = (house: House, publicId: string): string => `${house.settings.origin}/acme-challenge/${publicId}/`

const mostAttempts = 50

export async function presentOrder(house: House, tenancy: Tenancy, order: OrderRecord, viewerId: string) {
  const authority = await findAuthority(tenancy, order.authority_id)
  const responder = order.responder_id === null ? undefined : await findResponder(tenancy, order.responder_id)
  const publicId = order.proof === 'forward' ? await findChallengeAddress(tenancy) : undefined
  const attempts = await listAttempts(tenancy, order.id, mostAttempts)
  return {
    ...presentRow(order, authority?.name ?? ''),
    authorityId: order.authority_id,
    directoryUrl: authority?.directory_url ?? '',
    proof: order.proof,
    profile: order.profile,
    renews: order.renews,
    mine: order.owner_id === viewerId,
    nonces: nonceSteps.filter((step) => order.nonces[step] !== undefined),
    nextAt: order.next_at.toISOString(),
    keyWaits: order.key_sealed !== null,
    renewal: renewalOf(order),
    authorizations: (order.state.authorizations ?? []).map((one) => {
      const record = recordOf(one)
      const isFile = challengeOf[order.proof] === 'http-01'
      return {
        name: one.wildcard ? `*.${one.name}` : one.name,
        wildcard: one.wildcard,
        status: one.status,
        challenge: challengeOf[order.proof],
        place: isFile ? `http://${addressIn(one.name)}${httpPath(one.challenge.token)}` : record.name,
        value: isFile ? one.challenge.keyAuthorization : record.value,
        ...(one.error === undefined ? {} : { error: one.error }),
      }
    }),
    attempts: attempts.map(({ at, step, outcome, detail }) => ({ at: at.toISOString(), step, outcome, detail })),
    ...(responder === undefined ? {} : { responderId: responder.id, responderName: responder.name }),
    ...(publicId === undefined ? {} : { forwardTo: challengeAddress(house, publicId) }),
    ...(order.key_kind === null ? {} : { keyKind: order.key_kind }),
    ...(order.state.orderUrl === undefined ? {} : { orderUrl: order.state.orderUrl }),
    ...(order.certificate_id === null ? {} : { certificateId: order.certificate_id }),
  }
}
