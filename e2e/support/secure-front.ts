// A proxy that ends TLS in front of the product, as people run one: ACME clients come by https, and trust the root that is made here.

import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ToolFolder } from '#standards/tool-folder.fixture.ts'

export type SecureFront = {
  origin: string
  /** PEM. */
  rootFile: string
  /** The paths that were asked for. */
  asked: string[]
  /** To where it passes on, once that is there; `as`: under which path. */
  leadTo(origin: string, as?: (path: string) => string): void
  close(): Promise<void>
}

/** `port`: any that is free, unless told. */
export async function openSecureFront(bench: ToolFolder, port = 0): Promise<SecureFront> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  bench.run('openssl', 'req', '-x509', ...key, '-keyout', 'front-root.key', '-out', 'front-root.pem', '-subj', '/CN=Front root')
  bench.run(
    'openssl',
    'req',
    '-x509',
    ...key,
    '-keyout',
    'front.key',
    '-out',
    'front.pem',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-CA',
    'front-root.pem',
    '-CAkey',
    'front-root.key',
  )
  let target = ''
  let pathOf = (path: string): string => path
  const asked: string[] = []
  const server: Server = createServer({ key: bench.read('front.key'), cert: bench.read('front.pem') }, (incoming, outgoing) => {
    asked.push(incoming.url ?? '')
    const passed = request(
      target + pathOf(incoming.url ?? ''),
      { method: incoming.method, headers: { ...incoming.headers, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    rootFile: bench.path('front-root.pem'),
    asked,
    leadTo(origin, as = pathOf) {
      target = origin
      pathOf = as
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
