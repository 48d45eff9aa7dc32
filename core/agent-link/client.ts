// The agent's end of the link. It calls out to the one server whose key it knows, and says when the link ends; whether to call again is decided above.

import { X509Certificate } from 'node:crypto'
import { connect } from 'node:http2'
import { contentType, frame, hearFrames, linkPath } from './frames.ts'
import { pinOf } from './identity.ts'
import { fromAgent, toAgent, type FromAgent, type Hello, type Reader, type ToAgent } from './messages.ts'

export type LinkTarget = { address: string; port: number; pin: string }
export type ClientLink = { tell(message: Partial<FromAgent>): void; close(): void }

export type ClientOptions = LinkTarget & {
  hello: Hello
  readers: readonly Reader[]
  heard(message: ToAgent, link: ClientLink): void
  /** Once. `why` says what was wrong, where something was. */
  ended(why: string | undefined): void
}

/** Longer than four pings of the server. */
const silentMilliseconds = 90_000

export const wrongKey = 'The server has another key than the one that this client knows'

export function openClientLink({ address, port, pin, hello, readers, heard, ended }: ClientOptions): ClientLink {
  let isOver = false
  // The pin is the whole of the trust: the certificate names nobody, and no authority has signed it.
  const session = connect(`https://${address.includes(':') ? `[${address}]` : address}:${port}`, {
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    checkServerIdentity: () => undefined,
  })
  const over = (why?: string) => {
    if (isOver) return
    isOver = true
    clearTimeout(silence)
    session.destroy()
    ended(why)
  }
  session.on('error', (error: Error) => over(error.message))
  session.once('close', () => over())
  // Counts the server's pings, which the session's own time does not: nobody may use a card for an hour.
  const silence = setTimeout(() => over('The server is silent'), silentMilliseconds).unref()
  session.on('ping', () => silence.refresh())
  let stream: ReturnType<typeof session.request> | undefined
  const link: ClientLink = {
    tell(message) {
      if (stream !== undefined && !stream.closed && !stream.destroyed && stream.writable) stream.write(frame(fromAgent.encode(message)))
    },
    close: () => over(),
  }
  session.once('connect', (_session, socket) => {
    const raw = 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined
    if (!(raw instanceof X509Certificate) || pinOf(raw.publicKey.export({ format: 'der', type: 'spki' })) !== pin) return over(wrongKey)
    // Nothing is said to a server before its key is known.
    stream = session.request({ ':method': 'POST', ':path': linkPath, 'content-type': contentType, te: 'trailers' })
    stream.on('error', (error: Error) => over(error.message))
    stream.once('close', () => over())
    stream.on('trailers', (trailers) => {
      const message = decodeURIComponent(String(trailers['grpc-message'] ?? ''))
      over(message === '' ? undefined : message)
    })
    hearFrames(
      stream,
      (bytes) => {
        silence.refresh()
        heard(toAgent.decode(bytes), link)
      },
      over,
    )
    link.tell({ hello, readers: { readers: [...readers] } })
  })
  return link
}
