// A small ACME client for tests, which sends what it is told, also what no honest client would send; and the little servers that answer challenges.

import { createHash, createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '#core/testing/until.ts'
import { keyAuthorization } from '#standards/acme/challenges.ts'
import { signMessage } from '#standards/acme/jws.ts'
import { accountKeyOf, type AccountKey } from '#standards/acme/keys.ts'

export type WireChallenge = {
  type: string
  url: string
  token: string
  status: string
  error?: { type: string; detail: string }
  accounturi?: string
}
/** What any resource may say; a test knows what it asked for. */
export type WireBody = {
  status: string | number
  type: string
  detail: string
  subproblems: { type: string; detail: string; identifier: { value: string } }[]
  identifiers: { type: string; value: string }[]
  identifier: { type: string; value: string }
  authorizations: string[]
  challenges: WireChallenge[]
  wildcard: boolean
  finalize: string
  certificate: string
  orders: string | string[]
  contact: string[]
  error: { type: string; detail: string }
  suggestedWindow: { start: string; end: string }
  meta: { externalAccountRequired: boolean; profiles: Record<string, string> }
  expires: string
}
export type Answer = { status: number; headers: Headers; text: string; body: WireBody }
type By = 'jwk' | 'kid'

export type AcmeClient = {
  key: KeyObject
  account: AccountKey
  kid: string
  directory: Record<string, string>
  nonce(): Promise<string>
  /** Signs and sends. `change` spoils what is sent. */
  post(
    url: string,
    payload: unknown,
    options?: {
      by?: By
      key?: KeyObject
      algorithm?: string
      nonce?: string
      url?: string
      kid?: string
      contentType?: string
      spoil?(body: Record<string, string>): unknown
    },
  ): Promise<Answer>
  ask(url: string): Promise<Answer>
  get(url: string): Promise<Answer>
  register(more?: Record<string, unknown>): Promise<Answer>
  /** An externalAccountBinding. */
  binding(
    eab: { kid: string; hmacKey: string },
    more?: { url?: string; payload?: unknown; algorithm?: string },
  ): Promise<Record<string, string>>
  order(names: readonly string[], more?: Record<string, unknown>): Promise<Answer>
  /** Waits until the state is another one. */
  settled(url: string, from: readonly string[]): Promise<Answer>
}

export type Send = (path: string, init?: RequestInit) => Promise<Response>

/** `send`: to where the server really listens; its addresses are those of its settings. */
export async function acmeClient(
  send: Send,
  directoryUrl: string,
  key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
): Promise<AcmeClient> {
  const account = accountKeyOf(createPublicKey(key))
  const to = (url: string, init?: RequestInit) => send(url.replace(/^https?:\/\/[^/]+/, ''), init)
  let fresh: string | undefined
  const read = async (response: Response): Promise<Answer> => {
    fresh = response.headers.get('replay-nonce') ?? undefined
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, headers: response.headers, text, body: /json/.test(type) ? JSON.parse(text) : ({} as WireBody) }
  }
  const get = async (url: string) => read(await to(url))
  const directory: Record<string, string> = JSON.parse((await get(directoryUrl)).text)
  const client: AcmeClient = {
    key,
    account,
    kid: '',
    directory,
    get,
    async nonce() {
      const given = fresh ?? (await to(directory['newNonce'] ?? '', { method: 'HEAD' })).headers.get('replay-nonce') ?? ''
      fresh = undefined
      return given
    },
    async post(url, payload, options = {}) {
      const signing = options.key ?? client.key
      const jwk = createPublicKey(signing).export({ format: 'jwk' })
      const by = (options.by ?? 'kid') === 'jwk' ? { jwk } : { kid: options.kid ?? client.kid }
      const nonce = options.nonce ?? (await client.nonce())
      const algorithm =
        options.algorithm ?? (jwk.kty === 'RSA' ? 'RS256' : jwk.crv === 'Ed25519' ? 'EdDSA' : jwk.crv === 'P-384' ? 'ES384' : 'ES256')
      const signed = await signMessage({ payload, url: options.url ?? url, nonce, by }, signing, algorithm)
      return read(
        await to(url, {
          method: 'POST',
          headers: { 'content-type': options.contentType ?? 'application/jose+json' },
          body: JSON.stringify(options.spoil === undefined ? signed : options.spoil(signed)),
        }),
      )
    },
    ask: (url) => client.post(url, undefined),
    async register(more = {}) {
      const answer = await client.post(directory['newAccount'] ?? '', { termsOfServiceAgreed: true, ...more }, { by: 'jwk' })
      client.kid = answer.headers.get('location') ?? ''
      return answer
    },
    binding: ({ kid, hmacKey }, { url = directory['newAccount'] ?? '', payload = account.jwk, algorithm = 'HS256' } = {}) =>
      signMessage({ payload, url, by: { kid } }, createSecretKey(hmacKey, 'base64url'), algorithm),
    order: (names, more = {}) =>
      client.post(directory['newOrder'] ?? '', {
        identifiers: names.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? 'ip' : 'dns', value })),
        ...more,
      }),
    async settled(url, from) {
      const settled = async () => {
        const answer = await client.ask(url)
        return (answer.status !== 200 || !from.includes(String(answer.body.status))) && answer
      }
      return until(`${url} to be no longer ${from.join(' or ')}`, settled, { state: () => client.ask(url) })
    },
  }
  return client
}

export type WebServer = {
  port: number
  files: Map<string, string>
  asked: string[]
  answer: ((path: string) => { status: number; headers?: Record<string, string>; body: string } | undefined) | undefined
  /** Answers wait for it. */
  gate: Promise<void>
  close(): Promise<void>
}

/** A web server that has the files of http-01. */
export async function openWebServer(): Promise<WebServer> {
  const web: WebServer = { port: 0, files: new Map(), asked: [], answer: undefined, gate: Promise.resolve(), close: async () => {} }
  const server: Server = createServer(async (incoming, outgoing) => {
    await web.gate
    const path = incoming.url ?? ''
    web.asked.push(`${incoming.headers.host ?? ''}${path}`)
    const own = web.answer?.(path)
    const file = web.files.get(path)
    outgoing.writeHead(own?.status ?? (file === undefined ? 404 : 200), own?.headers ?? {})
    outgoing.end(own?.body ?? file ?? 'not here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  web.port = (server.address() as AddressInfo).port
  web.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return web
}

/** Proves each name of the order by a file, and answers the order when its authorisations are decided. */
export async function proveByFile(client: AcmeClient, web: WebServer, order: Answer): Promise<Answer> {
  for (const url of order.body.authorizations) {
    const authorization = await client.ask(url)
    if (authorization.body.status !== 'pending') continue
    const challenge = challengeOf(authorization, 'http-01')
    web.files.set(`/.well-known/acme-challenge/${challenge.token}`, keyAuthorization(challenge.token, client.account.thumbprint))
    await client.post(challenge.url, {})
    await client.settled(url, ['pending'])
  }
  return client.ask(order.headers.get('location') ?? '')
}

export const challengeOf = ({ body }: Answer, type: string): WireChallenge => {
  const found = body.challenges.find((one) => one.type === type)
  if (found === undefined) throw new Error(`There is no ${type} among ${JSON.stringify(body)}`)
  return found
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** DER of a PEM, in base64url. */
export const derOf = (pem: string): string =>
  Buffer.from(pem.replace(/-----[^-]+-----/g, '').replace(/\s/g, ''), 'base64').toString('base64url')
