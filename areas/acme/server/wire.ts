// One request of the protocol: which directory it is for, who signed it, and how it is answered. Every answer has a fresh nonce and every refusal is a problem
// document, whatever went wrong, because clients go on by those.

import { createPublicKey } from 'node:crypto'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointHandler, EndpointRequest } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { readPayload, readSignedMessage, verifySigned, type SignedMessage } from '#standards/acme/jws.ts'
import { accountKeyOf, readAccountKey, type AccountKey } from '#standards/acme/keys.ts'
import { AcmeError, presentProblem, problemOf, type Problem } from '#standards/acme/problem.ts'
import { say } from '#standards/say/say.ts'
import { addressKind } from '../rules.ts'
import { findAccount, noteSeen } from './account-store.ts'
import { noncesOf } from './nonces.ts'
import { findDirectory, type AccountRecord, type DirectoryRecord } from './store.ts'

export type Wire = {
  house: House
  tenantId: string
  directory: DirectoryRecord
  /** Of the directory, without a slash at its end. */
  base: string
  /** The address that was asked, as its request must name it. */
  url: string
  now: Date
  address: string
  params: Record<string, string>
  request: EndpointRequest
  /** What a signed request says, before anything of it is believed. */
  sent: Sent | undefined
}

/** `account`: the row of its kid, read together with the directory. A request that cannot be read is refused when somebody asks whose it is. */
type Sent = { message: SignedMessage; account: AccountRecord | undefined } | { error: unknown }

export type WireAnswer = { status?: number; headers?: Record<string, string>; body?: object | string }

/** A request with a signature that holds and a nonce that was good. */
export type Signed = { wire: Wire; message: SignedMessage; key: AccountKey }
export type SignedByAccount = Signed & { account: AccountRecord }

const mostBytes = 128 * 1024

export const addressOf = (house: House, publicId: string): string => `${house.settings.origin}/acme/${encodeURIComponent(publicId)}`
export const directoryUrl = (house: House, publicId: string): string => `${addressOf(house, publicId)}/directory`

/** Reads the thing that an address is about. Whose it is, is judged when the request is known to be the account's. */
export type ReadThing<T> = (tenancy: Tenancy, params: Record<string, string>) => Promise<T | undefined>

/** Serves one address of the protocol. `read`: what is read in one transaction with directory and account, because clients ask for it again and again. */
export const serveWire = <T = undefined>(
  answer: (wire: Wire, thing: T | undefined) => Promise<WireAnswer>,
  read?: ReadThing<T>,
): EndpointHandler => ({
  bodyLimit: mostBytes,
  async handle(request) {
    const base = addressOf(request.house, request.params['publicId'] ?? '')
    try {
      const { wire, thing } = await openWire(request, base, read)
      return written(request, base, await answer(wire, thing))
    } catch (error) {
      return refused(request, base, problemFor(error, request))
    }
  },
})

async function openWire<T>(
  request: EndpointRequest,
  base: string,
  read: ReadThing<T> | undefined,
): Promise<{ wire: Wire; thing: T | undefined }> {
  const { house, params, now, facts, url } = request
  const publicId = params['publicId'] ?? ''
  if (!publicIdShape.test(publicId)) throw notFound('There is no ACME directory at this address')
  const found = await publicAddress(house, publicId)
  if (found === undefined) throw notFound('There is no ACME directory at this address')
  const { tenantId, target } = found
  const ownUrl = house.settings.origin + url.pathname + url.search
  const message = request.method === 'POST' ? await readSigned(request, ownUrl).catch((error: unknown) => ({ error })) : undefined
  const accountId = message !== undefined && 'by' in message && 'kid' in message.by ? idOfKid(base, message.by.kid) : undefined
  const { directory, account, thing } =
    accountId === undefined
      ? { directory: await directoryAlone(house, publicId, found), account: undefined, thing: undefined }
      : await withTenancy(house, tenantId, async (tenancy) => ({
          directory: await findDirectory(tenancy, target),
          account: await findAccount(tenancy, accountId),
          thing: await read?.(tenancy, params),
        }))
  if (directory === undefined) throw notFound('There is no ACME directory at this address')
  if (!directory.enabled) throw new AcmeError('unauthorized', say`This directory is switched off`)
  const sent = message === undefined || 'error' in message ? message : { message, account }
  const wire = { house, tenantId, directory, base, url: ownUrl, now, address: facts.address, params, request, sent }
  return { wire, thing }
}

const directoryAlone = (house: House, publicId: string, { tenantId, target }: { tenantId: string; target: string }) =>
  house.cache.get(`acme directory ${publicId}`, () => withTenancy(house, tenantId, (tenancy) => findDirectory(tenancy, target)))

/** An address leads to one directory for good, so that it is looked up once. */
async function publicAddress(house: House, publicId: string): Promise<{ tenantId: string; target: string } | undefined> {
  const known = addresses.get(house) ?? new Map<string, { tenantId: string; target: string }>()
  addresses.set(house, known)
  const found = known.get(publicId) ?? (await findPublicAddress(house.database, addressKind, publicId))
  if (found !== undefined && known.size < mostAddresses) known.set(publicId, found)
  return found
}

const addresses = new WeakMap<House, Map<string, { tenantId: string; target: string }>>()
const mostAddresses = 10_000

/** What is no public id costs no look into the database. */
const publicIdShape = /^[\w-]{12}$/

export const notFound = (detail: string): AcmeError => new AcmeError('malformed', detail, { status: 404 })

/** What a client is told of an error. Of ours it hears nothing but that there was one. */
function problemFor(error: unknown, { house, facts }: EndpointRequest): Problem {
  if (error instanceof AcmeError) return error.problem
  if (error instanceof Fault && error.status === 429) return problemOf('rateLimited', error.message)
  if (error instanceof Fault && error.status < 500) return problemOf('malformed', error.message, { status: error.status })
  house.log.error({ error, request: facts.id }, 'an ACME request could not be answered')
  const isAway = error instanceof Fault && error.status === 503
  return problemOf('serverInternal', 'Something went wrong here. Try again later', { status: isAway ? 503 : 500 })
}

const common = (request: EndpointRequest, base: string, links: string | undefined): Record<string, string> => ({
  'replay-nonce': noncesOf(request.house).make(),
  'cache-control': 'no-store',
  link: [`<${base}/directory>;rel="index"`, ...(links === undefined ? [] : [links])].join(', '),
})

function written(request: EndpointRequest, base: string, { status = 200, headers = {}, body }: WireAnswer): EndpointAnswer {
  const { link, ...rest } = headers
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {}
  return {
    status,
    headers: { ...common(request, base, link), ...type, ...rest },
    body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

const refused = (request: EndpointRequest, base: string, problem: Problem): EndpointAnswer => ({
  status: problem.status,
  headers: {
    ...common(request, base, undefined),
    'content-type': 'application/problem+json',
    ...(problem.type === 'rateLimited' ? { 'retry-after': '300' } : {}),
  },
  body: JSON.stringify(presentProblem(problem)),
})

/** Reads a signed request without knowing whose it is (RFC 8555 6.2 to 6.4). */
async function readSigned(request: EndpointRequest, url: string): Promise<SignedMessage> {
  const type = (request.raw.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/jose+json') throw new AcmeError('malformed', say`Send the request as application/jose+json`, { status: 415 })
  const message = readSignedMessage(await request.body())
  if (message.url !== url) throw new AcmeError('unauthorized', say`The request is signed for another url: it came to ${url}`)
  if (message.nonce === undefined) throw new AcmeError('badNonce', say`The request has no nonce. Take one from new-nonce`)
  return message
}

function messageOf({ sent }: Wire): SignedMessage {
  if (sent === undefined) throw new AcmeError('malformed', say`The request is not signed`)
  if ('error' in sent) throw sent.error
  return sent.message
}

async function takeNonce({ house }: Wire, { nonce }: SignedMessage): Promise<void> {
  if (nonce === undefined || !(await noncesOf(house).take(nonce)))
    throw new AcmeError('badNonce', say`The nonce is not known here, or was used before. Take the one of this answer`)
}

/** A request that brings its key: a new account, a key change's inside, a revocation by the key of the certificate. */
export async function signedByKey(wire: Wire): Promise<Signed & { jwk: unknown }> {
  const message = messageOf(wire)
  if (!('jwk' in message.by)) throw new AcmeError('malformed', say`This request names its key by jwk`)
  return signedByOwnKey(wire, message, message.by.jwk)
}

async function signedByOwnKey(wire: Wire, message: SignedMessage, jwk: unknown): Promise<Signed & { jwk: unknown }> {
  const key = readAccountKey(jwk)
  await verifySigned(message, key)
  await takeNonce(wire, message)
  return { wire, message, key, jwk }
}

/** A request of an account that may act. */
export async function signedByAccount(wire: Wire): Promise<SignedByAccount> {
  const message = messageOf(wire)
  if (!('kid' in message.by)) throw new AcmeError('malformed', say`This request names its account by kid`)
  return signedByKid(wire, message)
}

async function signedByKid(wire: Wire, message: SignedMessage): Promise<SignedByAccount> {
  const account = accountOf(wire)
  if (account === undefined) throw new AcmeError('accountDoesNotExist', say`There is no account with this kid`)
  const key = keyOf(account)
  await verifySigned(message, key)
  await takeNonce(wire, message)
  if (account.status !== 'valid') throw new AcmeError('unauthorized', say`This account is ${account.status}`)
  if (wire.now.getTime() - account.last_seen_at.getTime() > seenEveryMilliseconds)
    await withTenancy(wire.house, wire.tenantId, (tenancy) => noteSeen(tenancy, account.id))
  return { wire, message, key, account }
}

/** The keys of accounts that were here lately: to read one costs more than to verify with it. */
function keyOf({ thumbprint, jwk }: AccountRecord): AccountKey {
  const known = keys.get(thumbprint)
  if (known !== undefined) return known
  if (keys.size >= mostKeys) keys.clear()
  const key = accountKeyOf(createPublicKey({ key: jwk, format: 'jwk' }))
  keys.set(thumbprint, key)
  return key
}

const keys = new Map<string, AccountKey>()
const mostKeys = 2_000

const seenEveryMilliseconds = 3_600_000

/** Either way, for revocations. */
export async function signedEitherWay(wire: Wire): Promise<Signed & { account?: AccountRecord }> {
  const message = messageOf(wire)
  return 'kid' in message.by ? signedByKid(wire, message) : signedByOwnKey(wire, message, message.by.jwk)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const isId = (text: string | undefined): text is string => text !== undefined && uuid.test(text)

function idOfKid(base: string, kid: string): string | undefined {
  const prefix = `${base}/account/`
  const id = kid.startsWith(prefix) ? kid.slice(prefix.length) : undefined
  return isId(id) ? id : undefined
}

/** Of this directory alone: an account of another one is none here. */
function accountOf({ sent, directory }: Wire): AccountRecord | undefined {
  const account = sent !== undefined && 'account' in sent ? sent.account : undefined
  return account?.directory_id === directory.id ? account : undefined
}

/** Whose actions the log names so. */
export const actorOf = ({ wire: { directory, address }, account }: { wire: Wire; account?: AccountRecord }) => ({
  name: account === undefined ? `ACME (${directory.name})` : `ACME account ${account.id} (${directory.name})`,
  address,
})

/** RFC 8555 6.3: a question has an empty payload. */
export function refusePayload({ message }: Pick<Signed, 'message'>): void {
  if (message.payload.length > 0) throw new AcmeError('malformed', say`This address is asked with an empty payload (POST-as-GET)`)
}

/** A member that is null counts as absent: clients in Go send those that they leave out so. */
export const payloadOf = ({ message }: Pick<Signed, 'message'>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(readPayload(message)).filter(([, value]) => value !== null))

/** The id in the address. What is no id is not there. */
export function idIn({ params }: Wire, what: string): string {
  const id = params['id']
  if (!isId(id)) throw notFound(`There is no such ${what}`)
  return id
}
