// The server's end of the links: gRPC over HTTP/2 and TLS 1.3. Who an agent is, is decided by whoever accepts it; nothing is asked of one before.

import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { encodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { contentType, frame, hearFrames, linkPath, mostBytes } from './frames.ts'
import type { LinkIdentity } from './identity.ts'
import { fromAgent, toAgent, type Answer, type Ask, type Hello, type Reader, type ToAgent } from './messages.ts'

/** What the agent of a link did not do. `gone`: its card, its reader or the link itself. */
export class AgentFault extends Error {
  override name = 'AgentFault'
  readonly code: string
  constructor(code: string, says: string) {
    super(says)
    this.code = code
  }
}

export type AgentLink = {
  hello: Hello
  address: string
  readers(): readonly Reader[]
  ask(question: Omit<Ask, 'id'>, milliseconds?: number): Promise<Uint8Array>
  tell(message: Partial<ToAgent>): void
  close(why?: string): void
}

export type LinkServer = { port: number; close(): Promise<void> }

export type LinkOptions = {
  identity: LinkIdentity
  host: string
  port: number
  /** Hears of each agent that said hello; it may refuse by closing the link. */
  accept(link: AgentLink): void
  changed(link: AgentLink): void
  ended(link: AgentLink): void
}

const helloMilliseconds = 10_000
const farewellMilliseconds = 5_000
const answerMilliseconds = 120_000
const pingMilliseconds = 20_000
const mostLinks = 2_000
/** The longest message of an agent that nobody has welcomed. */
const mostBytesOfStranger = 4_096

/** Throws where the port is taken. */
export async function listenForAgents({ identity, host, port, accept, changed, ended }: LinkOptions): Promise<LinkServer> {
  const server = createSecureServer({
    key: identity.key.export({ format: 'pem', type: 'pkcs8' }),
    cert: encodePem('CERTIFICATE', identity.certificate),
    minVersion: 'TLSv1.3',
    allowHTTP1: false,
    // One agent has one link: a session of many streams would keep as many answers in memory.
    settings: { maxConcurrentStreams: 1 },
  })
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    if (sessions.size >= mostLinks) return session.destroy()
    sessions.add(session)
    // Who goes silent without a farewell is noticed by a ping.
    const pings = setInterval(() => {
      if (!session.destroyed && !session.ping((error) => error !== null && session.destroy())) session.destroy()
    }, pingMilliseconds)
    session.once('close', () => {
      clearInterval(pings)
      sessions.delete(session)
    })
    session.on('error', () => session.destroy())
  })
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    if (
      headers[':method'] !== 'POST' ||
      headers[':path'] !== linkPath ||
      !String(headers['content-type'] ?? '').startsWith('application/grpc')
    ) {
      stream.respond({ ':status': 404 }, { endStream: true })
      return
    }
    stream.respond({ ':status': 200, 'content-type': contentType }, { waitForTrailers: true })
    openLink(stream, { accept, changed, ended })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.destroy()
      await closed
    },
  }
}

type Waiting = { resolve(data: Uint8Array): void; reject(error: unknown): void; timer: NodeJS.Timeout }

function openLink(stream: ServerHttp2Stream, { accept, changed, ended }: Pick<LinkOptions, 'accept' | 'changed' | 'ended'>): void {
  const waiting = new Map<number, Waiting>()
  let questions = 0
  let readers: readonly Reader[] = []
  let link: AgentLink | undefined
  let status = '0'
  let message = ''
  let isOver = false
  let isWelcome = false
  stream.on('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': status, 'grpc-message': encodeURIComponent(message) })
    // Ends the other half too, because an agent that was sent away could keep it open for ever.
    setImmediate(() => stream.close())
  })
  const close = (why = '') => {
    if (isOver || stream.closed || stream.destroyed) return
    isOver = true
    status = why === '' ? '0' : '16'
    message = why
    stream.end()
    // An agent that does not read never gets as far as the trailers.
    setTimeout(() => stream.destroy(), farewellMilliseconds).unref()
  }
  const noHello = setTimeout(() => close('The agent said nothing'), helloMilliseconds)
  const send = (told: Partial<ToAgent>) => {
    if (!stream.closed && !stream.destroyed && stream.writable) stream.write(frame(toAgent.encode(told)))
  }

  const begin = (hello: Hello): AgentLink => ({
    hello,
    address: stream.session?.socket.remoteAddress ?? '',
    readers: () => readers,
    tell(told) {
      if (told.welcome !== undefined && told.welcome.agentId !== '') isWelcome = true
      send(told)
    },
    close(why) {
      if (why !== undefined) send({ refused: why })
      close(why)
    },
    ask: (question, milliseconds = answerMilliseconds) =>
      new Promise((resolve, reject) => {
        if (stream.closed || stream.destroyed) return reject(new AgentFault('gone', say`The security client is gone`))
        isWelcome = true
        const id = (questions += 1)
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new AgentFault('gone', say`The security client does not answer`))
        }, milliseconds)
        waiting.set(id, { resolve, reject, timer })
        send({ ask: { ...question, id } })
      }),
  })

  const answered = ({ id, data, fault, says }: Answer) => {
    const one = waiting.get(id)
    if (one === undefined) return
    waiting.delete(id)
    clearTimeout(one.timer)
    if (fault === '') one.resolve(data)
    else one.reject(new AgentFault(fault, says))
  }

  hearFrames(
    stream,
    (bytes) => {
      if (isOver) return
      const { hello, readers: list, answer } = fromAgent.decode(bytes)
      if (hello !== undefined && link === undefined) {
        clearTimeout(noHello)
        readers = list?.readers ?? []
        link = begin(hello)
        accept(link)
      } else if (link !== undefined && list !== undefined) {
        readers = list.readers
        changed(link)
      }
      if (answer !== undefined) answered(answer)
    },
    close,
    () => (isWelcome ? mostBytes : mostBytesOfStranger),
  )
  stream.on('end', () => close())
  stream.once('close', () => {
    clearTimeout(noHello)
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer)
      reject(new AgentFault('gone', say`The security client is gone`))
    }
    waiting.clear()
    if (link !== undefined) ended(link)
  })
}
