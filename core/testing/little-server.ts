// A real little HTTP server for one test: it answers by method and path, and remembers what it was asked. `fetch` of the page is led to it.

import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

export type Asked = { method: string; path: string; query: URLSearchParams; headers: IncomingMessage['headers']; body: unknown }
export type Answer = {
  status?: number
  body?: unknown
  text?: string
  headers?: Record<string, string>
  breakOff?: boolean
}
type Answers = Record<string, unknown | ((asked: Asked) => Answer | Promise<Answer>)>

export type LittleServer = { origin: string; asked: Asked[]; answers: Answers }

/** `'GET /api2/x': body` answers 200 with the body; a function answers what it returns. Anything else is 404. */
export async function answering(answers: Answers): Promise<LittleServer> {
  const asked: Asked[] = []
  const server = createServer((incoming, outgoing) => {
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (part: string) => (text += part))
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', 'http://localhost')
      const one: Asked = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: text === '' ? undefined : JSON.parse(text),
      }
      asked.push(one)
      const found = answers[`${one.method} ${one.path}`]
      const answer: Answer | Promise<Answer> =
        typeof found === 'function'
          ? found(one)
          : found === undefined
            ? { status: 404, body: { code: 'missing', message: 'This does not exist, or not for you' } }
            : { body: found }
      void Promise.resolve(answer).then(({ status = 200, body, text: plain, headers = {}, breakOff = false }) => {
        if (breakOff) {
          outgoing.writeHead(status, { 'content-length': '1000' })
          return outgoing.write('{', () => outgoing.destroy())
        }
        outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
        return outgoing.end(plain ?? (body === undefined ? '' : JSON.stringify(body)))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  const origin = `http://127.0.0.1:${address.port}`
  const restore = leadFetchTo(origin)
  onTestFinished(async () => {
    restore()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { origin, asked, answers }
}

/** The page's relative requests go to `origin`, with `headers` added. Returns how to undo it. */
export function leadFetchTo(origin: string, headers: Record<string, string> = {}): () => void {
  const before = globalThis.fetch
  globalThis.fetch = (input, init) => {
    if (typeof input !== 'string' || !input.startsWith('/')) return before(input, init)
    const { signal, ...rest } = init ?? {}
    return before(origin + input, {
      ...rest,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers },
      ...(signal === undefined || signal === null ? {} : { signal }),
    })
  }
  return () => {
    globalThis.fetch = before
  }
}
