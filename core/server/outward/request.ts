// Asks by HTTP over a checked connection. Built on node:http with a socket of our own, because an agent would read proxies from the environment and reuse
// connections that were judged for somebody else.

import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { canonicalHost, openSocket, openTls, withTime, type Ground, type TlsChoice } from './connect.ts'
import { OutwardError, outwardError } from './refusal.ts'
import { policyOf, type Use, type UsePolicy } from './uses.ts'

export type OutwardRequest = {
  use: Use
  url: string
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  tls?: TlsChoice
  networks?: readonly string[]
  /** Never more than the use allows. */
  mostBytes?: number
  milliseconds?: number
  /** What to do with a body that is longer: the beginning may be enough where only the status counts. */
  longer?: 'refuse' | 'cut'
  /** Name servers to ask instead of the installation's. */
  servers?: readonly string[]
  /** Told of each address that was connected to, for whoever must say later what was seen. */
  onHop?(hop: { url: string; address: string }): void
  signal?: AbortSignal
}

export type OutwardAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer; cut: boolean; url: string }

/** Reads a URL that somebody has written. Throws what is wrong with it. */
export function readUrl(text: string, { schemes }: Pick<UsePolicy, 'schemes'>): URL {
  const wrong = () => new OutwardError('url', { schemes: schemes.map((scheme) => `${scheme}//`).join(' or ') })
  // The parser would drop or turn these, and the person would read another address than the one that is used.
  if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text)) throw wrong()
  const url = new URL(text)
  if (!schemes.some((scheme) => scheme === url.protocol) || canonicalHost(url.hostname) === undefined) throw wrong()
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?#]*@/i.test(text)) throw new OutwardError('userinfo')
  url.hash = ''
  return url
}

export const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port))

/** These frame the message or name the host: they are ours to write. */
const framing = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*|http2-settings)$/i

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || framing.test(name) || !/^[\t\x20-\x7e]*$/.test(value) || value.length > 8_192)
      throw new OutwardError('header', { name: name.replace(/[^\x21-\x7e]/g, '?').slice(0, 80) })
}

export async function askOut(request: OutwardRequest, ground: Ground): Promise<OutwardAnswer> {
  const policy = policyOf(request.use)
  const milliseconds = Math.min(request.milliseconds ?? Number.POSITIVE_INFINITY, policy.milliseconds)
  const signal = withTime(milliseconds, request.signal)
  checkHeaders(request.headers ?? {})
  let url = readUrl(request.url, policy)
  let headers = request.headers ?? {}
  for (let hop = 0; ; hop += 1) {
    try {
      const answer = await askOnce({ ...request, headers }, url, ground, policy, signal)
      const location = answer.status >= 300 && answer.status < 400 && answer.status !== 304 ? answer.headers.location : undefined
      if (location === undefined) return answer
      const isRead = (request.method ?? 'GET') === 'GET' || request.method === 'HEAD'
      if (hop >= policy.redirects || !isRead || !URL.canParse(location, url.href))
        throw new OutwardError('redirect', { host: url.hostname })
      const next = readUrl(new URL(location, url).href, policy)
      // Another origin gets nothing that was meant for the first one.
      if (next.origin !== url.origin) headers = {}
      url = next
    } catch (error) {
      throw error instanceof TypeError ? error : outwardError(error, url.hostname, { signal, seconds: milliseconds / 1000 })
    }
  }
}

async function askOnce(request: OutwardRequest, url: URL, ground: Ground, policy: UsePolicy, total: AbortSignal): Promise<OutwardAnswer> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(new DOMException('No head came', 'TimeoutError')), policy.headMilliseconds)
  const signal = AbortSignal.any([total, patience.signal])
  let unreadable: Error | undefined
  const target = { use: request.use, host: url.hostname, port: portOf(url), networks: request.networks, servers: request.servers }
  try {
    const plain = await openSocket(target, ground, signal)
    request.onHop?.({ url: url.href, address: plain.remoteAddress ?? '' })
    const end = () => plain.destroy()
    signal.addEventListener('abort', end, { once: true })
    try {
      const socket = url.protocol === 'https:' ? await openTls(plain, target, request.tls ?? {}, ground, signal) : plain
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = requestHttp({
          createConnection: () => socket,
          method: request.method ?? 'GET',
          path: url.pathname + url.search,
          headers: {
            'user-agent': 'Chancery',
            accept: '*/*',
            ...request.headers,
            'accept-encoding': 'identity',
            host: url.host,
            connection: 'close',
          },
          maxHeaderSize: 16_384,
          insecureHTTPParser: false,
        })
        outgoing.once('response', resolve)
        outgoing.on('error', (error) => {
          unreadable ??= error
          reject(error)
        })
        outgoing.once('close', () => reject(signal.aborted ? signal.reason : new Error('The connection was closed')))
        outgoing.end(request.body)
      })
      clearTimeout(timer)
      const most = Math.min(request.mostBytes ?? Number.POSITIVE_INFINITY, policy.mostBytes)
      const { body, cut } = await readBody(response, url.hostname, most)
      if (cut && request.longer !== 'cut') throw new OutwardError('tooLarge', { host: url.hostname, bytes: most })
      return { status: response.statusCode ?? 0, headers: response.headers, body, cut, url: url.href }
    } finally {
      signal.removeEventListener('abort', end)
      plain.destroy()
    }
  } catch (error) {
    // The head's own patience counts as time, too.
    if (patience.signal.aborted && !total.aborted)
      throw new OutwardError('tooSlow', { host: url.hostname, seconds: policy.headMilliseconds / 1000 }, { cause: error })
    // Of a body that breaks off, the parser knows why.
    throw error instanceof OutwardError ? error : (unreadable ?? error)
  } finally {
    clearTimeout(timer)
  }
}

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** Reads so many bytes at most, counted after unpacking: a small body may unpack to a large one. */
async function readBody(response: IncomingMessage, host: string, most: number): Promise<{ body: Buffer; cut: boolean }> {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const isPlain = coding === 'identity' || coding === ''
  if (!isPlain && !Object.hasOwn(decoders, coding)) throw new OutwardError('malformed', { host })
  const decoder = isPlain ? undefined : decoders[coding as keyof typeof decoders]()
  const source: AsyncIterable<Buffer> = decoder === undefined ? response : pipeline(response, decoder, () => {})
  const parts: Buffer[] = []
  let length = 0
  for await (const part of source) {
    parts.push(part)
    length += part.length
    if (length > most) break
  }
  return { body: Buffer.concat(parts).subarray(0, most), cut: length > most }
}
