// Speaks ACME to an authority as a client (RFC 8555 6): signs, carries nonces from answer to request, and sends again what was refused for its nonce alone.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { OutwardAnswer } from '#core/server/outward/request.ts'
import { signMessage } from '#standards/acme/jws.ts'
import { isObject, readProblem } from '#standards/acme/problem.ts'
import { readStorableJson } from '#standards/json/read.ts'
import { say } from '#standards/say/say.ts'
import { storable } from '#standards/storable/storable.ts'
import { retryAfterSeconds } from '../rules.ts'
import { endingOf } from './ending.ts'

/** Where an authority is, and by what its web server is known. */
export type Place = { directoryUrl: string; roots: string }

export type Directory = {
  newNonce: string
  newAccount: string
  newOrder: string
  renewalInfo: string | undefined
  termsOfService: string | undefined
  website: string | undefined
  eabRequired: boolean
  profiles: { name: string; description: string }[]
}

export type WireAnswer = {
  status: number
  location: string | undefined
  links: string
  body: Record<string, unknown>
  text: string
  retryAfter: string | undefined
}

/** An authority refused, cannot be reached, or says what cannot be understood. `message` is for people. */
export class OrderFault extends Error {
  override name = 'OrderFault'
  /** As RFC 8555 6.7 names it; `connection` where nothing was answered, `unreadable` where the answer made no sense. */
  readonly type: string
  readonly status: number
  readonly retryAfter: string | undefined
  constructor(
    type: string,
    message: string,
    { status = 0, retryAfter }: { status?: number; retryAfter?: string | undefined } = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.type = type
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Half of all nonces may be refused, and still one request in a million fails. */
const mostTries = 20
const maximumNonceLength = 1_000
/** All requests of a step, so that it is over before another server takes the order (`claimMilliseconds`). */
const sessionMilliseconds = 120_000

const rootsOf = ({ roots }: Place): string[] => roots.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []

type Asking = { method: 'GET' | 'HEAD' | 'POST'; body?: string; signal?: AbortSignal }

async function ask(house: House, tenantId: string, place: Place, url: string, { signal, ...asking }: Asking): Promise<OutwardAnswer> {
  const roots = rootsOf(place)
  try {
    return await house.outward.request({
      use: 'acmeClient',
      url,
      tenantId,
      signal: AbortSignal.any([endingOf(house).signal, ...(signal === undefined ? [] : [signal])]),
      ...asking,
      headers: asking.method === 'POST' ? { 'content-type': 'application/jose+json' } : {},
      ...(roots.length === 0 ? {} : { tls: { trust: { roots } } }),
    })
  } catch (error) {
    if (error instanceof OutwardError) throw new OrderFault('connection', error.message, {}, { cause: error })
    throw error
  }
}

const headerOf = (answer: OutwardAnswer, name: string): string | undefined => {
  const value = answer.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const unreadable = (what: string) => new OrderFault('unreadable', say`${what} of the authority cannot be understood`)

function bodyOf(answer: OutwardAnswer): Record<string, unknown> | undefined {
  const value = readStorableJson(answer.body.toString('utf8'))
  return isObject(value) ? value : undefined
}

const textIn = (from: Record<string, unknown>, name: string): string | undefined => {
  const value = from[name]
  return typeof value === 'string' && value !== '' ? storable(value, 2_000) : undefined
}

/** Reads the directory (7.1.1). Throws OrderFault. Not inside a transaction. */
export async function readDirectory(
  house: House,
  tenantId: string,
  place: Place,
  signal: AbortSignal = AbortSignal.timeout(sessionMilliseconds),
): Promise<Directory> {
  const answer = await ask(house, tenantId, place, place.directoryUrl, { method: 'GET', signal })
  const body = bodyOf(answer)
  if (answer.status !== 200) throw refusalOf(answer)
  const [newNonce, newAccount, newOrder] = ['newNonce', 'newAccount', 'newOrder'].map((name) => body && textIn(body, name))
  if (body === undefined || newNonce === undefined || newAccount === undefined || newOrder === undefined)
    throw new OrderFault('unreadable', say`There is no ACME directory at this address`)
  const meta = isObject(body['meta']) ? body['meta'] : {}
  const profiles = isObject(meta['profiles']) ? meta['profiles'] : {}
  return {
    newNonce,
    newAccount,
    newOrder,
    renewalInfo: textIn(body, 'renewalInfo'),
    termsOfService: textIn(meta, 'termsOfService'),
    website: textIn(meta, 'website'),
    eabRequired: meta['externalAccountRequired'] === true,
    profiles: Object.entries(profiles)
      .slice(0, 50)
      .map(([name, description]) => ({ name: storable(name, 64), description: storable(String(description), 300) })),
  }
}

function refusalOf(answer: OutwardAnswer): OrderFault {
  const problem = readProblem(bodyOf(answer), answer.status)
  return new OrderFault(problem.type, problem.detail, { status: answer.status, retryAfter: headerOf(answer, 'retry-after') })
}

export type Session = {
  directory: Directory
  /** Signs and sends; `undefined` is a POST-as-GET. Throws OrderFault for whatever is not answered with success. */
  post(url: string, payload: unknown, options?: { byKey?: boolean }): Promise<WireAnswer>
  get(url: string): Promise<WireAnswer>
  /** The nonce that the next request would use. */
  nonce(): string | undefined
  key: KeyObject
}

export type Account = { key: Uint8Array; accountUrl: string | undefined }

/** Opens a session with an authority, all of whose requests have one end in time. `nonce`: the one that is held for the step. Not inside a transaction. */
export async function openSession(
  house: House,
  tenantId: string,
  { place, account, nonce: held }: { place: Place; account: Account; nonce: string | undefined },
): Promise<Session> {
  const signal = AbortSignal.timeout(sessionMilliseconds)
  const directory = await readDirectory(house, tenantId, place, signal)
  const key = createPrivateKey({ key: Buffer.from(account.key), format: 'der', type: 'pkcs8' })
  const jwk = createPublicKey(key).export({ format: 'jwk' })
  let nonce = held
  const keepNonce = (answer: OutwardAnswer): void => {
    const given = headerOf(answer, 'replay-nonce')
    // RFC 8555 6.5: of a nonce that has other letters nothing is to be made.
    nonce = given !== undefined && given.length <= maximumNonceLength && /^[\w-]+$/.test(given) ? given : undefined
  }

  async function freshNonce(): Promise<string> {
    const answer = await ask(house, tenantId, place, directory.newNonce, { method: 'HEAD', signal })
    keepNonce(answer)
    if (nonce === undefined) throw unreadable('The nonce')
    return nonce
  }

  const read = (answer: OutwardAnswer): WireAnswer => ({
    status: answer.status,
    location: headerOf(answer, 'location'),
    links: headerOf(answer, 'link') ?? '',
    body: bodyOf(answer) ?? {},
    text: answer.body.toString('utf8'),
    retryAfter: headerOf(answer, 'retry-after'),
  })

  return {
    directory,
    key,
    nonce: () => nonce,
    async get(url) {
      const answer = await ask(house, tenantId, place, url, { method: 'GET', signal })
      if (answer.status !== 200) throw refusalOf(answer)
      return read(answer)
    },
    async post(url, payload, { byKey = false } = {}) {
      if (!byKey && account.accountUrl === undefined)
        throw new OrderFault('accountDoesNotExist', say`There is no account at the authority yet`)
      const by = byKey || account.accountUrl === undefined ? { jwk } : { kid: account.accountUrl }
      for (let tries = 1; ; tries += 1) {
        const used = nonce ?? (await freshNonce())
        nonce = undefined
        const signed = await signMessage({ payload, url, nonce: used, by }, key, 'ES256')
        const answer = await ask(house, tenantId, place, url, { method: 'POST', body: JSON.stringify(signed), signal })
        keepNonce(answer)
        if (answer.status >= 200 && answer.status < 300) return read(answer)
        const refused = refusalOf(answer)
        if (refused.type !== 'badNonce' || tries >= mostTries) throw refused
      }
    },
  }
}

/** The addresses of a link relation (RFC 8288). */
export function linksOf({ links }: Pick<WireAnswer, 'links'>, relation: string, base: string): string[] {
  return [...links.matchAll(/<([^>]*)>((?:\s*;\s*[^,;"]+(?:="[^"]*"|=[^,;"]*)?)*)/g)].flatMap(([, target = '', parameters = '']) => {
    const relations = /;\s*rel="?([^";,]*)"?/i.exec(parameters)?.[1]?.toLowerCase().split(/\s+/) ?? []
    return relations.includes(relation) && URL.canParse(target, base) ? [new URL(target, base).href] : []
  })
}

/** When to ask again what is not ready yet. */
export const waitOf = (answer: Pick<WireAnswer, 'retryAfter'>, now: Date): number =>
  retryAfterSeconds(answer.retryAfter, now, { otherwise: 1, most: 600 })
