// One house that is both: an ACME authority, and its client in another tenancy. Between them stands a proxy that ends TLS, counts what is asked, and refuses
// nonces where a test wants that.

import { readFileSync } from 'node:fs'
import { request, type IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openAcme, type AcmeFixture } from '#areas/acme/server/acme.fixture.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { TestHouseOptions, TestPerson } from '#core/testing/house.ts'
import { until } from '#core/testing/until.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { ordering } from '../contract.ts'

export type OrderingFixture = Awaited<ReturnType<typeof openOrdering>>
export type Front = {
  port: number
  /** `POST /acme/.../new-order`, without what is an id. */
  asked: string[]
  /** Of so many POSTs of a hundred the nonce is refused. */
  refuses: number
  /** Waits before it passes on what fits. */
  gate: ((asked: string) => Promise<void>) | undefined
  /** Hears what DNS responders send to `/dns/`, and answers with a status. */
  dns: ((told: Told) => number) | undefined
  /** Answers in place of the authority. */
  answer: ((asked: string) => { status: number; headers?: Record<string, string>; body: string } | undefined) | undefined
}

/** What a DNS responder sent: the path below `/dns`, its headers, its body. */
export type Told = { path: string; headers: IncomingHttpHeaders; body: Record<string, string> }

export const host = 'authority.test'

export async function openFront(passTo: () => string) {
  const tools = openToolFolder()
  const [keyFile, certificateFile] = [join(tools.folder, 'front.key'), join(tools.folder, 'front.pem')]
  tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-keyout', keyFile, '-out', certificateFile) // prettier-ignore
  const roots = readFileSync(certificateFile, 'utf8')
  const front: Front = { port: 0, asked: [], refuses: 0, gate: undefined, dns: undefined, answer: undefined }
  let count = 0
  const server = createServer({ key: readFileSync(keyFile), cert: roots }, async (incoming, outgoing) => {
    const path = (incoming.url ?? '').replace(/^\/acme\/[\w-]{12}/, '').replaceAll(/[0-9a-f-]{36}/g, 'ID')
    const asked = `${incoming.method} ${path}`
    front.asked.push(asked)
    if (path.startsWith('/dns/')) return hear(path.slice('/dns'.length))
    await front.gate?.(asked)
    const own = front.answer?.(asked)
    if (own !== undefined) {
      incoming.resume()
      outgoing.writeHead(own.status, own.headers ?? {})
      return outgoing.end(own.body)
    }
    if (incoming.method === 'POST' && ((count += 1) * 37) % 100 < front.refuses) return refuse()
    return pass(incoming.url ?? '', incoming.method ?? 'GET')

    /** As if the nonce had been used: the authority's own answer to a nonce that it never gave. */
    function refuse() {
      incoming.resume()
      const nonce = request(
        `${passTo()}${(incoming.url ?? '').replace(/^(\/acme\/[\w-]{12}).*/, '$1')}/new-nonce`,
        { method: 'HEAD' },
        (answer) => {
          answer.resume()
          outgoing.writeHead(400, { 'content-type': 'application/problem+json', 'replay-nonce': String(answer.headers['replay-nonce']) })
          outgoing.end(JSON.stringify({ type: 'urn:ietf:params:acme:error:badNonce', detail: 'Refused for trial' }))
        },
      )
      nonce.on('error', () => outgoing.destroy())
      nonce.end()
    }

    function hear(to: string) {
      let body = ''
      incoming.on('data', (part: Buffer) => (body += part.toString()))
      incoming.on('end', () => {
        outgoing.writeHead(front.dns?.({ path: to, headers: incoming.headers, body: JSON.parse(body) }) ?? 404)
        outgoing.end()
      })
    }

    function pass(url: string, method: string) {
      const passed = request(passTo() + url, { method, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      passed.on('error', () => outgoing.destroy())
      incoming.pipe(passed)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  front.port = (server.address() as AddressInfo).port
  return {
    front,
    roots,
    rootFile: certificateFile,
    origin: `https://${host}:${front.port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      tools.remove()
    },
  }
}

export async function openOrdering(options: TestHouseOptions = {}) {
  let authority: AcmeFixture | undefined
  const outer = await openFront(() => authority?.house.origin ?? '')
  const on = await openAcme(
    { [host]: [{ type: 'A', value: '127.0.0.1' }] },
    { ...options, settings: { CHANCERY_ORIGIN: outer.origin, CHANCERY_OUTWARD_ROOTS: outer.rootFile, ...options.settings } },
  )
  authority = on
  const tenancy = await on.house.tenancy('Client')
  const kim: TestPerson = await tenancy.person({ permissions: ['acmeConfiguration', 'uploadLECert', 'certView'], givenName: 'Kim' })
  const { id: authorityId } = await kim.call(ordering.calls.addAuthority, {
    name: 'Neighbour',
    directoryUrl: on.directory.url,
    roots: outer.roots,
    contact: ['kim@example.org'],
    agreed: true,
  })
  /** The web server of every name forwards to the tenancy's address. */
  const forward = (to: string) => {
    on.web.answer = (path) => {
      const token = /^\/\.well-known\/acme-challenge\/(.+)$/.exec(path)?.[1]
      return token === undefined ? undefined : { status: 302, headers: { location: to + token }, body: '' }
    }
  }
  const start = async (names: readonly string[], more: Partial<DraftOf<typeof ordering.calls.start>> = {}, by = kim): Promise<string> => {
    for (const name of names) if (!on.dns.names.has(name)) on.dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
    const { id } = await by.call(ordering.calls.start, {
      authorityId,
      names: [...names],
      proof: 'forward',
      keyKind: 'P-256',
      renews: false,
      ...more,
    })
    const { forwardTo } = await by.call(ordering.calls.order, { id })
    if (forwardTo !== undefined) forward(forwardTo)
    return id
  }
  const seen = (id: string, by = kim) => by.call(ordering.calls.order, { id })
  /** Waits until the order is done, or goes on no more. */
  const settled = async (id: string, by = kim) => {
    const ended = async () => {
      const order = await seen(id, by)
      return (order.step === 'done' || !order.runs || order.problem !== undefined) && order
    }
    return until('the order to be done, or to go on no more', ended, { every: 150, state: () => seen(id, by) })
  }
  return {
    ...on,
    ...outer,
    tenancy,
    kim,
    authorityId,
    start,
    seen,
    settled,
    async close() {
      await on.close()
      await outer.close()
    },
  }
}
