// Entra ID by Microsoft Graph, as far as a sync needs it. Through the one way out; links are followed only where our token was made for.

import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { OutwardAnswer } from '#core/server/outward/request.ts'
import { readStorableJson } from '#standards/json/read.ts'
import { entraHosts } from '../mapping.ts'
import { DirectoryError, passwordOf, readingMilliseconds, type Read } from './connection.ts'
import type { DirectoryRecord } from './store.ts'

const mostWaitMilliseconds = 30_000
const mostTries = 5
const mostPages = 10_000
const mostValue = 1_000
const mostAccounts = 500_000
/** A page has a thousand accounts with the values that were asked for. */
const mostValues = 60_000

/** Graph does not know any more where a link went on: everything is read anew. */
class StaleLink extends Error {
  override name = 'StaleLink'
}

export type GraphAnswer = { status: number; body: unknown }
export type Graph = {
  directory: DirectoryRecord
  origin: string
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<GraphAnswer>
}

const Token = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{1,20000}$/) })
const Account = z.looseObject({ id: z.string().regex(/^[\w-]{1,128}$/) })
const Page = z.object({
  value: z.array(Account).max(5_000),
  '@odata.nextLink': z.string().max(20_000).optional(),
  '@odata.deltaLink': z.string().max(20_000).optional(),
})
const Said = z.object({ error: z.object({ code: z.string().optional(), message: z.string().optional() }) })
export type EntraAccount = z.infer<typeof Account>

const addressOf = (host: string, port: number): string => `https://${host}${port === 443 ? '' : `:${port}`}`

const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)

function bodyOf({ body }: OutwardAnswer): unknown {
  if (body.length === 0) return undefined
  return readStorableJson(body.toString('utf8'), { values: mostValues })
}

export function saidBy({ status, body }: GraphAnswer): string {
  const said = Said.safeParse(body)
  return said.success ? plain(said.data.error.message ?? said.data.error.code ?? String(status)) : String(status)
}

/** Signs the application in, and works. Throws `DirectoryError` for whatever Graph or the way to it does wrong. */
export const withGraph = async <T>(house: House, directory: DirectoryRecord, work: (graph: Graph) => Promise<T>): Promise<T> =>
  withSecret(house, directory, (await passwordOf(house, directory)).toString('utf8'), work)

/** The same by a secret that is at hand. */
export async function withSecret<T>(
  house: House,
  directory: DirectoryRecord,
  secret: string,
  work: (graph: Graph) => Promise<T>,
): Promise<T> {
  const { tenant_id: tenantId, host, port, roots, bind_dn: clientId, base_dn: entraTenant } = directory
  const origin = addressOf(host, port)
  // A private one, such as of a government, answers beside Graph.
  const login = addressOf(directory.login_host === '' ? entraHosts.login : directory.login_host, port)
  const tls = { trust: roots.trim() === '' ? ('public' as const) : { roots: [roots] } }

  const deadline = house.now().getTime() + readingMilliseconds

  /** Waits as long as Graph says where it is busy, and gives up where that is too long. */
  async function patiently(asking: Parameters<House['outward']['request']>[0]): Promise<OutwardAnswer> {
    for (let tries = 1; ; tries += 1) {
      // Pages without an end may come each in good time.
      if (house.now().getTime() > deadline) throw new DirectoryError(`Graph took longer than ${readingMilliseconds / 60_000} minutes`)
      const answer = await house.outward.request(asking).catch((error: unknown) => {
        if (error instanceof OutwardError) throw new DirectoryError(error.message, { cause: error })
        throw error
      })
      if (answer.status !== 429 && answer.status !== 503) return answer
      const said = Number(answer.headers['retry-after'])
      const milliseconds = Number.isFinite(said) && said >= 0 ? said * 1000 : 2 ** tries * 500
      if (tries === mostTries || milliseconds > mostWaitMilliseconds)
        throw new DirectoryError(`Graph is busy, and asks to wait ${Math.ceil(milliseconds / 1000)} seconds`)
      await wait(milliseconds)
    }
  }

  const signedIn = await patiently({
    use: 'provider',
    tenantId,
    tls,
    method: 'POST',
    url: `${login}/${encodeURIComponent(entraTenant)}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
      scope: `${origin}/.default`,
    }).toString(),
  })
  const token = Token.safeParse(bodyOf(signedIn))
  if (signedIn.status !== 200 || !token.success)
    throw new DirectoryError(signedIn.status >= 500 ? 'Entra ID is not available' : 'Entra ID refused the application or its secret')
  return work({
    directory,
    origin,
    async ask(method, path, body) {
      const answer = await patiently({
        use: 'provider',
        tenantId,
        tls,
        method,
        url: origin + path,
        headers: {
          authorization: `Bearer ${token.data.access_token}`,
          accept: 'application/json',
          prefer: 'odata.maxpagesize=200',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (answer.status === 401) throw new DirectoryError('Graph does not take the token of the application')
      if (answer.status === 403)
        throw new DirectoryError(
          'The application may not do this there: it needs User.Read.All and GroupMember.Read.All, to change accounts User.ReadWrite.All',
        )
      if (answer.status >= 500) throw new DirectoryError('Graph is not available')
      return { status: answer.status, body: bodyOf(answer) }
    },
  })
}

/** The path of a link; one that leads elsewhere is not followed, because our token would go along. */
function pathOf({ origin }: Graph, link: string): string {
  if (!link.startsWith(`${origin}/v1.0/`)) throw new DirectoryError('The next page of Graph is at another address')
  return link.slice(origin.length)
}

/** Every page from a path on; answers also where to go on asking for changes. */
async function readPages(graph: Graph, from: string): Promise<{ accounts: EntraAccount[]; delta: string }> {
  const accounts: EntraAccount[] = []
  let path = from
  for (let pages = 0; pages < mostPages; pages += 1) {
    const answer = await graph.ask('GET', path)
    if (answer.status === 410) throw new StaleLink()
    const page = Page.safeParse(answer.body)
    if (answer.status !== 200) throw new DirectoryError(`Graph refused: ${saidBy(answer)}`)
    if (!page.success) throw new DirectoryError('Graph answered what cannot be read')
    accounts.push(...page.data.value)
    if (accounts.length > mostAccounts) throw new DirectoryError('Graph sent more than 500,000 entries')
    const { '@odata.nextLink': next, '@odata.deltaLink': delta } = page.data
    if (next === undefined) return { accounts, delta: delta === undefined ? '' : pathOf(graph, delta) }
    path = pathOf(graph, next)
  }
  throw new DirectoryError('Graph has pages without an end')
}

const always = ['id', 'accountEnabled', 'userPrincipalName', 'userType', 'onPremisesSecurityIdentifier']
const selected = ({ mapping }: Pick<DirectoryRecord, 'mapping'>): string =>
  [...new Set([...always, ...Object.values(mapping).filter((name) => name !== undefined && /^[A-Za-z]\w{0,63}$/.test(name))])].join(',')

const textOf = (account: EntraAccount, name: string): string => {
  const value: unknown = account[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  const text = typeof first === 'string' || typeof first === 'number' ? String(first).trim() : ''
  // oxlint-disable-next-line no-control-regex
  return text.length > mostValue ? '' : text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
}

export function readAccount(account: EntraAccount, { mapping }: Pick<DirectoryRecord, 'mapping'>): Read {
  const values: Record<string, string> = {}
  for (const [name, attribute] of Object.entries(mapping)) {
    const text = attribute === undefined || attribute === '' ? '' : textOf(account, attribute)
    if (text !== '') values[name] = text
  }
  const identifier = textOf(account, 'onPremisesSecurityIdentifier')
  if (identifier !== '') values['securityIdentifier'] = identifier
  return { guid: account.id, dn: textOf(account, 'userPrincipalName'), disabled: account['accountEnabled'] === false, values }
}

const isPerson = (account: EntraAccount): boolean => account['@removed'] === undefined && account['userType'] !== 'Guest'

/** Everybody, and where to ask for changes from now on. A link that went stale on the way begins once more. */
export async function readEntraPeople(graph: Graph): Promise<{ people: Read[]; delta: string }> {
  const begin = () => readPages(graph, `/v1.0/users/delta?$select=${selected(graph.directory)}`)
  const { accounts, delta } = await begin()
    .catch((error: unknown) => {
      if (error instanceof StaleLink) return begin()
      throw error
    })
    .catch((error: unknown) => {
      throw error instanceof StaleLink ? new DirectoryError('Graph lost its place among the pages twice') : error
    })
  // The same person may come again while Graph counts: the last word holds.
  const last = new Map(accounts.map((account) => [account.id, account]))
  return { people: [...last.values()].filter(isPerson).map((account) => readAccount(account, graph.directory)), delta }
}

/** Whether Graph says that nobody was changed since; false where it does not know any more. */
export async function isUnchanged(graph: Graph): Promise<{ delta: string } | undefined> {
  const { delta } = graph.directory
  if (delta === '') return undefined
  const answer = await readPages(graph, delta).catch((error: unknown) => {
    if (error instanceof StaleLink) return undefined
    throw error
  })
  return answer !== undefined && answer.accounts.length === 0 ? { delta: answer.delta } : undefined
}

/** The people in a group, also through groups in it. */
export async function readMembers(graph: Graph, group: string): Promise<Set<string>> {
  const path = `/v1.0/groups/${encodeURIComponent(group)}/transitiveMembers/microsoft.graph.user?$select=id`
  const { accounts } = await readPages(graph, path).catch((error: unknown) => {
    if (error instanceof StaleLink) throw new DirectoryError('Graph lost its place among the pages')
    throw error
  })
  return new Set(accounts.map(({ id }) => id))
}

/** A few whose name begins with a text; a quote in it is a quote and nothing more. */
export async function findFewAccounts(graph: Graph, text: string, most: number): Promise<Read[]> {
  const filter = text === '' ? '' : `&$filter=${encodeURIComponent(`startswith(displayName,'${text.replaceAll("'", "''")}')`)}`
  const answer = await graph.ask('GET', `/v1.0/users?$select=${selected(graph.directory)}&$top=${most}${filter}`)
  const page = Page.safeParse(answer.body)
  if (answer.status !== 200 || !page.success) throw new DirectoryError(`Graph refused: ${saidBy(answer)}`)
  return page.data.value
    .filter(isPerson)
    .slice(0, most)
    .map((account) => readAccount(account, graph.directory))
}

/** The account of an id or a name; undefined where there is none. */
export async function findAccount(graph: Graph, name: string): Promise<EntraAccount | undefined> {
  const answer = await graph.ask('GET', `/v1.0/users/${encodeURIComponent(name)}?$select=${selected(graph.directory)}`)
  if (answer.status === 404) return undefined
  const account = Account.safeParse(answer.body)
  if (answer.status !== 200 || !account.success) throw new DirectoryError(`Graph refused: ${saidBy(answer)}`)
  return account.data
}
