// Microsoft Graph as far as passkeys need it: people, their FIDO2 methods in batches of 20, and deletion. Through the one way out; never in a transaction.

import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { OutwardAnswer } from '#core/server/outward/request.ts'
import { readJsonOrNothing } from '#standards/json/read.ts'
import { say } from '#standards/say/say.ts'
import { readMoment } from '#standards/storable/storable.ts'
import { batchSize, neededPermissions, pageSize } from '../rules.ts'

export type GraphReason = 'unreachable' | 'signIn' | 'permission' | 'busy' | 'unreadable'

/** Why the provider did not do what was asked. */
export class GraphError extends Error {
  override name = 'GraphError'
  readonly reason: GraphReason
  readonly params: Record<string, string | number>
  constructor(reason: GraphReason, params: Record<string, string | number> = {}, options?: ErrorOptions) {
    super(`${reason} ${JSON.stringify(params)}`, options)
    this.reason = reason
    this.params = params
  }
}

export type Graph = {
  house: House
  tenantId: string
  loginUrl: string
  graphUrl: string
  directoryId: string
  clientId: string
  secret: string
  signal?: AbortSignal
}

export type GraphPerson = { id: string; account: string; mail: string }
export type GraphMethod = { id: string; name: string; model: string; aaguid: string; attestation: string; createdAt: Date | undefined }

const spareMilliseconds = 60_000
const tokens = new WeakMap<House, Map<string, { token: string; until: number }>>()

const Token = z.object({ access_token: z.string().min(1).max(20_000), expires_in: z.coerce.number().min(0) })
const People = z.object({
  value: z.array(z.object({ id: z.string(), userPrincipalName: z.string().nullish(), mail: z.string().nullish() })).max(1000),
  '@odata.nextLink': z.string().max(8000).optional(),
})
const Method = z.object({
  id: z.string(),
  displayName: z.string().nullish(),
  createdDateTime: z.string().nullish(),
  aaGuid: z.string().nullish(),
  model: z.string().nullish(),
  attestationLevel: z.string().nullish(),
})
const Batch = z.object({
  responses: z
    .array(z.object({ id: z.string(), status: z.number().int(), headers: z.record(z.string(), z.unknown()).nullish(), body: z.unknown() }))
    .max(batchSize),
})

async function askOnce(graph: Graph, asking: Parameters<House['outward']['request']>[0]): Promise<OutwardAnswer> {
  try {
    return await graph.house.outward.request({ ...asking, ...(graph.signal === undefined ? {} : { signal: graph.signal }) })
  } catch (error) {
    if (error instanceof OutwardError) throw new GraphError('unreachable', { reason: error.message }, { cause: error })
    throw error
  }
}

function parsed<T>(shape: z.ZodType<T>, body: Buffer | unknown, what: string): T {
  const result = shape.safeParse(Buffer.isBuffer(body) ? readJsonOrNothing(body.toString('utf8')) : body)
  if (!result.success) throw new GraphError('unreadable', { reason: what })
  return result.data
}

/** What is shown of somebody else's words: short, one line. */
const plain = (text: string, most = 200): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most)

export const retryAfterOf = (headers: Readonly<Record<string, unknown>>): number => {
  const seconds = Number(headers['retry-after'] ?? headers['Retry-After'])
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), 3600) : 30
}

async function tokenOf(graph: Graph): Promise<string> {
  const { house, tenantId, loginUrl, graphUrl, directoryId, clientId, secret } = graph
  const all = tokens.get(house) ?? new Map<string, { token: string; until: number }>()
  tokens.set(house, all)
  const key = JSON.stringify([tenantId, loginUrl, graphUrl, directoryId, clientId, secret])
  const known = all.get(key)
  if (known !== undefined && known.until > Date.now()) return known.token
  const answer = await askOnce(graph, {
    use: 'provider',
    tenantId,
    method: 'POST',
    url: `${loginUrl}/${encodeURIComponent(directoryId)}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
      scope: `${graphUrl}/.default`,
    }).toString(),
  })
  if (answer.status === 429) throw new GraphError('busy', { seconds: retryAfterOf(answer.headers) })
  if (answer.status >= 500) throw new GraphError('unreachable', { reason: String(answer.status) })
  if (answer.status !== 200) {
    const said = z.object({ error: z.string() }).safeParse(readJsonOrNothing(answer.body.toString('utf8')))
    throw new GraphError('signIn', { reason: said.success ? plain(said.data.error, 80) : String(answer.status) })
  }
  const { access_token: token, expires_in: seconds } = parsed(Token, answer.body, 'token')
  if (!/^[\x21-\x7e]+$/.test(token)) throw new GraphError('unreadable', { reason: 'token' })
  if (all.size > 500) all.clear()
  all.set(key, { token, until: Date.now() + seconds * 1000 - spareMilliseconds })
  return token
}

async function ask(graph: Graph, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<OutwardAnswer> {
  const token = await tokenOf(graph)
  const answer = await askOnce(graph, {
    use: 'provider',
    tenantId: graph.tenantId,
    method,
    url: graph.graphUrl + path,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  judge(answer.status, answer.headers)
  return answer
}

/** Throws what a status says of a whole answer; 404 is for whoever asked. */
function judge(status: number, headers: Readonly<Record<string, unknown>>): void {
  if (status === 429 || (status === 503 && (headers['retry-after'] ?? headers['Retry-After']) !== undefined))
    throw new GraphError('busy', { seconds: retryAfterOf(headers) })
  if (status === 401) throw new GraphError('signIn', { reason: '401' })
  if (status === 403) throw new GraphError('permission', { permission: neededPermissions.join(', ') })
  if (status >= 500 || (status >= 300 && status < 400)) throw new GraphError('unreachable', { reason: String(status) })
}

export const firstPeople = `/v1.0/users?$select=id,userPrincipalName,mail&$top=${pageSize}`

/** A page of people. `link` is the path that the page before named; one that leads elsewhere is not followed, because our token would go along. */
export async function readPeople(graph: Graph, link: string): Promise<{ people: GraphPerson[]; next: string }> {
  const answer = await ask(graph, 'GET', link)
  if (answer.status !== 200) throw new GraphError('unreadable', { reason: say`people: ${answer.status}` })
  const { value, '@odata.nextLink': next } = parsed(People, answer.body, 'people')
  if (next !== undefined && !next.startsWith(`${graph.graphUrl}/v1.0/users`))
    throw new GraphError('unreadable', { reason: 'the next page is at another address' })
  return {
    people: value
      .filter(({ id }) => /^[\w.@-]{1,128}$/.test(id))
      .map(({ id, userPrincipalName, mail }) => ({ id, account: plain(userPrincipalName ?? mail ?? id), mail: plain(mail ?? '') })),
    next: next === undefined ? '' : next.slice(graph.graphUrl.length),
  }
}

const methodsPath = (personId: string) => ['', 'users', encodeURIComponent(personId), 'authentication', 'fido2Methods'].join('/')

/** Of each person the methods; `busy` are those who must be asked again, and after how many seconds. Who is gone meanwhile has none. */
export async function readMethods(
  graph: Graph,
  people: readonly GraphPerson[],
): Promise<{ found: Map<string, GraphMethod[]>; busy: GraphPerson[]; seconds: number }> {
  const requests = people.map(({ id }, at) => ({ id: String(at), method: 'GET', url: methodsPath(id) }))
  const answer = await ask(graph, 'POST', '/v1.0/$batch', { requests })
  if (answer.status !== 200) throw new GraphError('unreadable', { reason: say`batch: ${answer.status}` })
  const { responses } = parsed(Batch, answer.body, 'batch')
  const byId = new Map(responses.map((one) => [one.id, one]))
  const found = new Map<string, GraphMethod[]>()
  const busy: GraphPerson[] = []
  let seconds = 0
  for (const [at, person] of people.entries()) {
    const one = byId.get(String(at))
    if (one === undefined) throw new GraphError('unreadable', { reason: 'the batch leaves people out' })
    const headers = Object.fromEntries(Object.entries(one.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
    if (one.status === 429 || one.status >= 500) {
      busy.push(person)
      seconds = Math.max(seconds, one.status === 429 ? retryAfterOf(headers) : 1)
      continue
    }
    judge(one.status, headers)
    if (one.status === 404) found.set(person.id, [])
    else if (one.status === 200) found.set(person.id, methodsOf(one.body))
    else throw new GraphError('unreadable', { reason: say`methods: ${one.status}` })
  }
  return { found, busy, seconds }
}

function methodsOf(body: unknown): GraphMethod[] {
  const { value } = parsed(z.object({ value: z.array(Method).max(100) }), body, 'methods')
  // An id that is no base64url could not be named in a path: it is left out rather than changed.
  return value
    .filter(({ id }) => /^[A-Za-z0-9_-]{1,1024}$/.test(id))
    .map(({ id, displayName, createdDateTime, aaGuid, model, attestationLevel }) => {
      const made = readMoment(createdDateTime)
      return {
        id,
        name: plain(displayName ?? '', 80),
        model: plain(model ?? '', 120),
        aaguid: plain(aaGuid ?? '', 40),
        attestation: plain(attestationLevel ?? '', 40),
        createdAt: made !== undefined && made.getTime() > 0 ? made : undefined,
      }
    })
}

/** Deletes it at the provider. What is not there any more is deleted. */
export async function deleteMethod(graph: Graph, personId: string, methodId: string): Promise<void> {
  const answer = await ask(graph, 'DELETE', `/v1.0${methodsPath(personId)}/${encodeURIComponent(methodId)}`)
  if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404)
    throw new GraphError('unreadable', { reason: say`deletion: ${answer.status}` })
}
