// A little provider that speaks Microsoft Graph as far as passkeys need it, over TLS on loopback, with faults on demand.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export const host = 'graph.test'

type Method = { id: string; displayName: string; model: string; createdDateTime: string; aaGuid: string; attestationLevel: string }
type Person = { id: string; userPrincipalName: string; mail: string; methods: Method[] }
type Answer = { status: number; headers?: Record<string, string>; body?: unknown }

export type LittleProvider = {
  people: Map<string, Person>
  /** `GET /v1.0/users`, in the order in which they came. */
  asked: string[]
  /** Answers in place of the provider; for a part of a batch with its own address. `hang` never answers. */
  fault: ((asked: string) => Answer | 'hang' | undefined) | undefined
  secret: string
  pageSize: number
}

export const methodOf = (id: string, more: Partial<Method> = {}): Method => ({
  id,
  displayName: 'Key of the desk',
  model: 'YubiKey 5 NFC',
  createdDateTime: '2026-03-02T10:00:00Z',
  aaGuid: '2fc0579f-8113-47ea-b116-bb5a8db9202a',
  attestationLevel: 'attested',
  ...more,
})

export async function openLittleProvider() {
  const dns = await openNameServer({ [host]: [{ type: 'A', value: '127.0.0.1' }] })
  const tools = openToolFolder()
  const [keyFile, rootsFile] = [join(tools.folder, 'graph.key'), join(tools.folder, 'graph.pem')]
  tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-keyout', keyFile, '-out', rootsFile) // prettier-ignore
  const provider: LittleProvider = { people: new Map(), asked: [], fault: undefined, secret: 'correct horse', pageSize: 200 }
  let origin = ''

  function answer(method: string, path: string, body: string): Answer | 'hang' {
    provider.asked.push(`${method} ${path.replace(/\?.*/, '')}`)
    const own = provider.fault?.(`${method} ${path}`)
    if (own !== undefined) return own
    if (path.endsWith('/oauth2/v2.0/token')) {
      const form = new URLSearchParams(body)
      const isRight = form.get('client_secret') === provider.secret && form.get('scope') === `${origin}/.default`
      return isRight
        ? { status: 200, body: { access_token: `token-${provider.secret.length}`, expires_in: 3600 } }
        : { status: 401, body: { error: 'invalid_client' } }
    }
    const people = [...provider.people.values()]
    if (method === 'GET' && path.startsWith('/v1.0/users?')) {
      const at = Number(new URL(path, origin).searchParams.get('$skiptoken') ?? 0)
      const next = at + provider.pageSize
      return {
        status: 200,
        body: {
          value: people.slice(at, next).map(({ id, userPrincipalName, mail }) => ({ id, userPrincipalName, mail })),
          ...(next < people.length ? { '@odata.nextLink': `${origin}/v1.0/users?$select=id&$skiptoken=${next}` } : {}),
        },
      }
    }
    if (method === 'POST' && path === '/v1.0/$batch') {
      const { requests } = JSON.parse(body) as { requests: { id: string; method: string; url: string }[] }
      if (requests.length > 20) return { status: 400, body: { error: { code: 'BadRequest' } } }
      const responses = requests.map(({ id, method: inner, url }) => {
        const one = answer(inner, `/v1.0${url}`, '')
        return one === 'hang'
          ? { id, status: 504, headers: {}, body: {} }
          : { id, status: one.status, headers: one.headers ?? {}, body: one.body ?? {} }
      })
      return { status: 200, body: { responses: responses.toReversed() } }
    }
    const [, personId = '', methodId] = /^\/v1\.0\/users\/([^/]+)\/authentication\/fido2Methods(?:\/([^/]+))?$/.exec(path) ?? []
    const person = provider.people.get(decodeURIComponent(personId))
    if (person === undefined) return { status: 404, body: { error: { code: 'ResourceNotFound' } } }
    if (method === 'GET' && methodId === undefined) return { status: 200, body: { value: person.methods } }
    if (method === 'DELETE' && person.methods.some(({ id }) => id === methodId)) {
      person.methods = person.methods.filter(({ id }) => id !== methodId)
      return { status: 204 }
    }
    return { status: 404, body: { error: { code: 'ResourceNotFound' } } }
  }

  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(rootsFile) }, (incoming, outgoing) => {
    let body = ''
    incoming.on('data', (part: Buffer) => (body += part.toString()))
    incoming.on('end', () => {
      const path = decodeURI(incoming.url ?? '')
      const isToken = path.endsWith('/token')
      const isKnown = isToken || incoming.headers.authorization === `Bearer token-${provider.secret.length}`
      const said = isKnown ? answer(incoming.method ?? '', path, body) : { status: 401, body: {} }
      if (said === 'hang') return
      outgoing.writeHead(said.status, { 'content-type': 'application/json', ...said.headers })
      outgoing.end(said.body === undefined ? undefined : typeof said.body === 'string' ? said.body : JSON.stringify(said.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `https://${host}:${(server.address() as AddressInfo).port}`
  return {
    provider,
    origin,
    settings: {
      CHANCERY_NAME_SERVERS: dns.address,
      CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
      CHANCERY_OUTWARD_PORTS: '1024-65535',
      CHANCERY_OUTWARD_ROOTS: rootsFile,
    },
    addPerson(id: string, mail: string, ...methods: Method[]) {
      provider.people.set(id, { id, userPrincipalName: mail, mail, methods })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await dns.close()
      tools.remove()
    },
  }
}
