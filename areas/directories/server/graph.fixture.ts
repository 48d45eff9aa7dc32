// A little Entra ID: it speaks Microsoft Graph as far as a sync needs it, over TLS on loopback, with faults on demand.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export const graphHost = 'graph.test'
export const loginHost = 'login.test'
export const domain = 'contoso.example'

export type Account = { id: string; userPrincipalName: string; accountEnabled: boolean; userType: string; [name: string]: unknown }
type Answer = { status: number; headers?: Record<string, string>; body?: unknown }

/** Properties that Graph has no others of: what else is selected is refused as there. */
const known = new Set(
  'id accountEnabled userPrincipalName userType onPremisesSecurityIdentifier mailNickname givenName surname mail businessPhones mobilePhone jobTitle companyName city displayName'.split(
    ' ',
  ),
)

export async function openLittleEntra() {
  const dns = await openNameServer({ [graphHost]: [{ type: 'A', value: '127.0.0.1' }], [loginHost]: [{ type: 'A', value: '127.0.0.1' }] })
  const tools = openToolFolder()
  tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${graphHost}`, '-addext', `subjectAltName=DNS:${graphHost},DNS:${loginHost}`, '-keyout', tools.path('graph.key'), '-out', tools.path('graph.pem')) // prettier-ignore
  const accounts = new Map<string, Account>()
  /** Ids of people and of other groups. */
  const groups = new Map<string, string[]>()
  const state = {
    secret: 'correct horse',
    pageSize: 10,
    /** What was asked, without what stands behind the question mark. */
    asked: [] as string[],
    fault: undefined as ((asked: string) => Answer | undefined) | undefined,
    /** Grows with each change: a delta link names what it had seen. */
    changes: [] as string[],
  }
  let origin = ''

  const shown = (account: Account, select: string | null) =>
    Object.fromEntries(Object.entries(account).filter(([name, value]) => value !== '' && (select ?? 'id').split(',').includes(name)))

  function everybodyIn(group: string, visited = new Set<string>()): string[] {
    if (visited.has(group)) return []
    visited.add(group)
    return (groups.get(group) ?? []).flatMap((one) => (groups.has(one) ? everybodyIn(one, visited) : [one]))
  }

  function paged(all: readonly unknown[], url: URL, more: Record<string, unknown> = {}): Answer {
    const at = Number(url.searchParams.get('$skiptoken') ?? 0)
    const next = new URL(url)
    next.searchParams.set('$skiptoken', String(at + state.pageSize))
    const isLast = at + state.pageSize >= all.length
    return {
      status: 200,
      body: { value: all.slice(at, at + state.pageSize), ...(isLast ? more : { '@odata.nextLink': decodeURIComponent(next.href) }) },
    }
  }

  const missing: Answer = { status: 404, body: { error: { code: 'Request_ResourceNotFound', message: 'It does not exist' } } }

  function answer(method: string, url: URL, body: string): Answer {
    const asked = `${method} ${url.pathname}`
    state.asked.push(asked)
    const own = state.fault?.(asked + url.search)
    if (own !== undefined) return own
    if (url.pathname === '/tenant-id/oauth2/v2.0/token') {
      const form = new URLSearchParams(body)
      const isRight = form.get('client_secret') === state.secret && form.get('scope') === `${origin}/.default`
      return isRight ? { status: 200, body: { access_token: 'token' } } : { status: 401, body: { error: 'invalid_client' } }
    }
    const select = url.searchParams.get('$select')
    const unknown = (select ?? '').split(',').find((name) => name !== '' && !known.has(name))
    if (unknown !== undefined)
      return { status: 400, body: { error: { code: 'BadRequest', message: `Could not find a property named '${unknown}'` } } }
    if (asked === 'GET /v1.0/users/delta') {
      const since = url.searchParams.get('$deltatoken')
      const changed = since === null ? [...accounts.keys()] : state.changes.slice(Number(since))
      const value = [...new Set(changed)].map((id) => {
        const account = accounts.get(id)
        return account === undefined ? { id, '@removed': { reason: 'changed' } } : shown(account, select)
      })
      return paged(value, url, {
        '@odata.deltaLink': `${origin}/v1.0/users/delta?$select=${select}&$deltatoken=${state.changes.length}`,
      })
    }
    if (asked === 'GET /v1.0/users') {
      const begins = /^startswith\(displayName,'((?:[^']|'')*)'\)$/.exec(url.searchParams.get('$filter') ?? "startswith(displayName,'')")
      if (begins === null) return { status: 400, body: { error: { message: 'Invalid filter clause' } } }
      const text = (begins[1] ?? '').replaceAll("''", "'")
      const found = [...accounts.values()].filter((account) => String(account['displayName'] ?? '').startsWith(text))
      return { status: 200, body: { value: found.slice(0, Number(url.searchParams.get('$top'))).map((account) => shown(account, select)) } }
    }
    const [, group] = /^GET \/v1\.0\/groups\/([^/]+)\/transitiveMembers\/microsoft\.graph\.user$/.exec(asked) ?? []
    if (group !== undefined)
      return groups.has(group)
        ? paged(
            [...new Set(everybodyIn(group))].map((id) => ({ id })),
            url,
          )
        : missing
    if (asked === 'POST /v1.0/users') {
      const { passwordProfile, ...fields } = JSON.parse(body) as Account & { passwordProfile?: { password?: string } }
      if ((passwordProfile?.password ?? '').length < 8 || !String(fields.userPrincipalName).endsWith(`@${domain}`))
        return { status: 400, body: { error: { message: 'The domain portion of the userPrincipalName property is invalid' } } }
      const made = put({ ...fields, id: randomUUID(), userType: 'Member' })
      return { status: 201, body: made }
    }
    const name = decodeURIComponent(/^\/v1\.0\/users\/([^/]+)$/.exec(url.pathname)?.[1] ?? '')
    const account = [...accounts.values()].find(({ id, userPrincipalName }) => id === name || userPrincipalName === name)
    if (account === undefined) return missing
    if (method === 'GET') return { status: 200, body: shown(account, select) }
    if (method === 'PATCH') put({ ...account, ...(JSON.parse(body) as object) })
    else if (method === 'DELETE') remove(account.id)
    else return { status: 405 }
    return { status: 204 }
  }

  function put(account: Account): Account {
    accounts.set(account.id, account)
    state.changes.push(account.id)
    return account
  }
  function remove(id: string): void {
    accounts.delete(id)
    state.changes.push(id)
  }

  const server = createServer({ key: tools.read('graph.key'), cert: tools.read('graph.pem') }, (incoming, outgoing) => {
    let body = ''
    incoming.on('data', (part: Buffer) => (body += part.toString()))
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', origin)
      const isKnown = url.pathname.endsWith('/token') || incoming.headers.authorization === 'Bearer token'
      const said = isKnown ? answer(incoming.method ?? '', url, body) : { status: 401 }
      outgoing.writeHead(said.status, { 'content-type': 'application/json', ...said.headers })
      outgoing.end(said.body === undefined ? undefined : JSON.stringify(said.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `https://${graphHost}:${port}`
  return {
    state,
    accounts,
    groups,
    port,
    certificate: tools.read('graph.pem').toString(),
    settings: { CHANCERY_NAME_SERVERS: dns.address, CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' },
    put,
    remove,
    add: (name: string, more: Partial<Account> = {}) =>
      put({
        id: randomUUID(),
        userPrincipalName: `${name}@${domain}`,
        mailNickname: name,
        displayName: `Given ${name}`,
        givenName: 'Given',
        surname: name,
        mail: `${name}@${domain}`,
        accountEnabled: true,
        userType: 'Member',
        businessPhones: [],
        ...more,
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await dns.close()
      tools.remove()
    },
  }
}
