// The listener that asks browsers for their certificate. It knows one path for them, reads no cookie, and sends everybody back to our page; what machines ask
// here is answered by rooms above. TLS has made
// sure that the browser has the key; whether the certificate is one of ours is not asked of its chain but of our own records.

import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { House } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointRequest } from '#core/server/serve.ts'
import { certificateDoor, type CertificateDoor } from '../certificate-door.ts'
import { presentPath } from '../rules.ts'
import { show } from './flow.ts'

const open = new WeakMap<House, Server>()

export async function startListener(house: House): Promise<void> {
  const { certificateSignIn, host, processes } = house.settings
  const { port, tls } = certificateSignIn ?? {}
  // With several processes the workers answer.
  if (port === undefined || tls === undefined || (processes > 1 && cluster.isPrimary)) return
  const server = createServer(
    {
      cert: readFileSync(tls.certificateFile),
      key: readFileSync(tls.keyFile),
      minVersion: 'TLSv1.2',
      requestCert: true,
      rejectUnauthorized: false,
      maxHeaderSize: 16_384,
    },
    (incoming, outgoing) => {
      answer(house, incoming, outgoing).catch((error: unknown) => {
        house.log.error({ error }, 'a certificate could not be taken')
        outgoing.destroy()
      })
    },
  )
  server.requestTimeout = 20_000
  server.headersTimeout = 10_000
  // A resumed connection would show no certificate anew.
  server.on('newSession', (_id, _data, done) => done())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  house.outward.closePort(port)
  open.set(house, server)
}

export async function stopListener(house: House): Promise<void> {
  const server = open.get(house)
  if (server === undefined) return
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

async function answer(house: House, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = URL.parse(incoming.url?.startsWith('/') === true ? `https://own.invalid${incoming.url}` : '')
  outgoing.setHeader('cache-control', 'no-store')
  outgoing.setHeader('referrer-policy', 'no-referrer')
  outgoing.setHeader('strict-transport-security', 'max-age=31536000')
  // The next person at this browser shows their own.
  outgoing.setHeader('connection', 'close')
  const door = house.offers(certificateDoor).find(({ prefixes }) => prefixes.some((prefix) => url?.pathname.startsWith(prefix)))
  if (door !== undefined && url !== null) return answerMachine(house, door, { incoming, outgoing, url })
  if (incoming.method !== 'GET' || url?.pathname !== presentPath) return void outgoing.writeHead(404).end()
  // A page that embeds or fetches this address must not show a certificate in the person's name. Old browsers send no such header.
  const mode = incoming.headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'navigate') return void outgoing.writeHead(403).end()
  const shown: Buffer | undefined = (incoming.socket as TLSSocket).getPeerCertificate(true)?.raw
  const location = await show(house, url.searchParams.get('state') ?? '', shown)
  outgoing.writeHead(303, { location }).end()
}

const mostMachineBytes = 128 * 1024

/** A machine that shows its certificate: no page is involved, so that nothing is sent back to one. */
async function answerMachine(
  house: House,
  door: CertificateDoor,
  { incoming, outgoing, url }: { incoming: IncomingMessage; outgoing: ServerResponse; url: URL },
): Promise<void> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > mostMachineBytes) return void outgoing.writeHead(413).end()
    pieces.push(piece)
  }
  const { authorization, 'content-type': contentType } = incoming.headers
  const answered = await door.answer(house, {
    method: incoming.method ?? '',
    url,
    headers: { authorization, 'content-type': contentType },
    body: Buffer.concat(pieces),
    address: (incoming.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    certificate: (incoming.socket as TLSSocket).getPeerCertificate(true)?.raw,
  })
  if (answered === undefined) return void outgoing.writeHead(404).end()
  const { status = 200, headers = {}, body } = answered
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw new TypeError('An answer to a machine is whole')
  outgoing.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) }).end(body)
}

/** The certificate that a proxy passes on; undefined where none came, or from an address that is not believed. */
export function certificateOfProxy({ house, raw }: Pick<EndpointRequest, 'house' | 'raw'>): Uint8Array | undefined {
  const header = house.settings.certificateSignIn?.header
  const from = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const value = header === undefined ? undefined : raw.headers[header]
  const isBelieved = header !== undefined && house.settings.trustedProxies.includes(from)
  return isBelieved && typeof value === 'string' ? readHeader(value) : undefined
}

/** The same through a proxy: its header counts where the connection comes from its address, and from nobody else. */
export async function present({ house, url, raw }: EndpointRequest): Promise<EndpointAnswer> {
  const certificate = certificateOfProxy({ house, raw })
  return { status: 303, headers: { location: await show(house, url.searchParams.get('state') ?? '', certificate) }, body: '' }
}

/** As RFC 9440 writes it (`:base64:`), or PEM in percent signs as nginx does. */
export function readHeader(value: string): Uint8Array | undefined {
  const [, plain] = /^:([A-Za-z0-9+/=]{1,16000}):$/.exec(value) ?? []
  if (plain !== undefined) return Buffer.from(plain, 'base64')
  try {
    const [, body] =
      /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]{1,16000})-----END CERTIFICATE-----\s*$/.exec(decodeURIComponent(value)) ?? []
    return body === undefined ? undefined : Buffer.from(body, 'base64')
  } catch {
    return undefined
  }
}
