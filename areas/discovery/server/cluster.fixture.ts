// A little API server of a cluster: TLS secrets in pages over TLS on loopback, as Kubernetes lists them.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export type LittleCluster = {
  port: number
  url: string
  /** PEM of its certificate, which signs itself. */
  roots: string
  token: string
  /** By `namespace/name`, what stands as `tls.crt`. */
  secrets: Map<string, string>
  /** What it answers instead, where a test wants it to be broken. */
  broken: { status: number; body: string } | undefined
  /** The paths that it was asked for. */
  seen: string[]
  /** Makes a certificate, PEM. */
  certificate(name: string): string
  close(): Promise<void>
}

export async function openCluster(): Promise<LittleCluster> {
  const tools = openToolFolder()
  const make = (name: string, ...about: string[]) => {
    const [keyFile, certificateFile] = [join(tools.folder, `${name}.key`), join(tools.folder, `${name}.pem`)]
    tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '10', '-subj', `/CN=${name}`, ...about, '-keyout', keyFile, '-out', certificateFile) // prettier-ignore
    return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(certificateFile, 'utf8') }
  }
  const own = make('cluster', '-addext', 'subjectAltName=IP:127.0.0.1')
  const cluster: LittleCluster = {
    port: 0,
    url: '',
    roots: own.certificate,
    token: 'a token of a service account',
    secrets: new Map(),
    broken: undefined,
    seen: [],
    certificate: (name) => make(name, '-addext', `subjectAltName=DNS:${name}`).certificate,
    close: async () => {},
  }
  const server = createServer({ key: own.key, cert: own.certificate }, (incoming, outgoing) => {
    cluster.seen.push(incoming.url ?? '')
    const answer = (status: number, body: string) => {
      outgoing.writeHead(status, { 'content-type': 'application/json' })
      outgoing.end(body)
    }
    if (incoming.headers.authorization !== `Bearer ${cluster.token}`) return answer(401, '{}')
    if (cluster.broken !== undefined) return answer(cluster.broken.status, cluster.broken.body)
    const asked = new URL(incoming.url ?? '/', cluster.url)
    const only = /^\/api\/v1\/namespaces\/([^/]+)\/secrets$/.exec(asked.pathname)?.[1]
    const from = Number(asked.searchParams.get('continue') ?? '0')
    const all = [...cluster.secrets].filter(([place]) => only === undefined || place.startsWith(`${only}/`))
    const items = all.slice(from, from + 2).map(([place, pem]) => {
      const [namespace, name] = place.split('/')
      return {
        metadata: { namespace, name },
        type: 'kubernetes.io/tls',
        data: { 'tls.crt': Buffer.from(pem).toString('base64'), 'tls.key': Buffer.from('the private key').toString('base64') },
      }
    })
    return answer(200, JSON.stringify({ kind: 'SecretList', metadata: from + 2 < all.length ? { continue: String(from + 2) } : {}, items }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cluster.port = (server.address() as AddressInfo).port
  cluster.url = `https://127.0.0.1:${cluster.port}`
  cluster.close = async () => {
    await new Promise((resolve) => server.close(resolve))
    tools.remove()
  }
  return cluster
}
