// What the doors of all protocols have in common: which profile an address is of, what it costs to knock, and how secrets are compared.

import { createHash } from 'node:crypto'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import { to } from '#core/contract/paths.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { countAttempt, type LimitTicket } from '#core/server/limits.ts'
import type { EndpointAnswer } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { protocolRoom } from '../contract.ts'
import { addressKind, type Protocol } from '../rules.ts'
import { findProfile, type ProfileRecord } from './store.ts'

export type Door = { house: House; tenantId: string; profile: ProfileRecord; address: string; now: Date }

/** What of a request a door needs to know, whichever listener it came to. */
export type Knock = { house: House; params: Record<string, string>; facts: { id: string; address: string }; now: Date }

/** What is no public id costs no look into the database. */
const publicIdShape = /^[\w-]{12}$/

/** Undefined where there is no such profile, or it is switched off. */
export async function openDoor({ house, params, facts, now }: Knock, protocol: Protocol): Promise<Door | undefined> {
  const publicId = params['publicId'] ?? ''
  const found = publicIdShape.test(publicId) ? await findPublicAddress(house.database, addressKind, publicId) : undefined
  if (found === undefined) return undefined
  const { tenantId, target } = found
  const profile = await house.cache.get(`enrolment profile ${publicId}`, () =>
    withTenancy(house, tenantId, (tenancy) => findProfile(tenancy, target)),
  )
  if (profile?.enabled !== true || profile.protocol !== protocol) return undefined
  return { house, tenantId, profile, address: facts.address, now }
}

const { endpoints } = protocolRoom
/** One address of each protocol, of which what stands behind the profile is cut off. */
const roots: Record<Protocol, { path: string; operation: string }> = {
  scep: { path: endpoints.scepGet.path, operation: '' },
  est: { path: endpoints.estCaCertificates.path, operation: 'cacerts' },
  cmp: { path: endpoints.cmpPost.path, operation: '' },
  windows: { path: endpoints.windowsPolicies.path, operation: '' },
}

export function addressOf(house: House, { protocol, public_id: publicId }: Pick<ProfileRecord, 'protocol' | 'public_id'>): string {
  const { path, operation } = roots[protocol]
  return `${house.settings.origin}${to({ path }, { publicId }).slice(0, operation === '' ? undefined : -operation.length - 1)}`
}

export const noStore = { 'cache-control': 'no-store' } as const

export const plainAnswer = (status: number, text: string, headers: Record<string, string> = {}): EndpointAnswer => ({
  status,
  headers: { ...noStore, 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${text}\n`,
})

/** Secrets are random and long: their hash is no help to whoever reads it. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Counts a request before it costs a signature or a row. It is not given back: an address may enrol so many devices in an hour, and no more. */
export const countRequest = ({ house, address, now }: Door): Promise<unknown> => countAttempt(house.database, 'order', { address }, now)

/** Counts a wrong secret, so that nobody tries many. */
export const countWrongSecret = ({ house, profile, address, now }: Door): Promise<LimitTicket[]> =>
  countAttempt(house.database, 'publicLink', { account: `enrolment ${profile.id}`, from: address, address }, now)

/** Counts a wrong secret beside a certificate that proved itself, by that alone: counted by the profile, machines that renew would shut it. */
export const countWrongBeside = ({ house, profile, now }: Door, certificateId: string): Promise<LimitTicket[]> =>
  countAttempt(house.database, 'publicLink', { account: `enrolment ${profile.id} by ${certificateId}` }, now)

/** Counts a try before its work, by its address alone: counted by its profile, strangers would keep the devices of the profile out. */
export const countTry = ({ house, address, now }: Door): Promise<LimitTicket[]> =>
  countAttempt(house.database, 'publicLink', { address }, now)

/** Counts a try that was wrong by its profile; its address is counted already. */
export const countWrongTry = ({ house, profile, address, now }: Door): Promise<LimitTicket[]> =>
  countAttempt(house.database, 'publicLink', { account: `enrolment ${profile.id}`, from: address }, now)

/** What a client is told of an error that its protocol has no words for. Of ours it hears nothing but that there was one. */
export function faultAnswer(error: unknown, { house, facts }: Pick<Knock, 'house' | 'facts'>): EndpointAnswer {
  if (error instanceof Fault && error.status === 429) return plainAnswer(503, error.message, { 'retry-after': '300' })
  if (error instanceof Fault && error.status < 500) return plainAnswer(error.status, error.message)
  house.log.error({ error, request: facts.id }, 'a request of an enrolment protocol could not be answered')
  return plainAnswer(error instanceof Fault && error.status === 503 ? 503 : 500, 'Something went wrong here. Try again later')
}
