// The short way in: an endpoint that answers at once (Endpoint.shortWay) does so before a request is looked at by anyone else. A request costs here
// little more than HTTP itself. Only a small body of known length is read for it, and what is not answered goes the usual way with the
// body that was read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DoorsOptions } from './doors-options.ts'
import type { QuickDoor } from './quick-door.ts'
import type { ShortAnswer } from './serve.ts'
import type { SocketWayOptions } from './socket-way.ts'
import { keepBody } from './steps/input.ts'

export type ShortWay = {
  /** True where it takes the request; then it answers, or calls `onwards` with nothing answered. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, onwards: () => void): boolean
  /** For those who read requests themselves. */
  socketWay: SocketWayOptions
}

const nothing = Buffer.alloc(0)
const beginningOf = (path: string): string => path.slice(0, path.indexOf(':'))

export function openShortWay({ house, rooms, metrics }: Pick<DoorsOptions, 'house' | 'rooms' | 'metrics'>): ShortWay {
  const doors = rooms
    .flatMap(({ endpoints }) => endpoints)
    .flatMap((endpoint): QuickDoor[] =>
      endpoint.shortWay === undefined || endpoint.needs !== 'public'
        ? []
        : [
            {
              ...endpoint,
              shortWay: endpoint.shortWay,
              beginning: beginningOf(endpoint.path),
              line: `${endpoint.method} ${beginningOf(endpoint.path)}`,
            },
          ],
    )

  /** The usual way tells what is wrong. */
  const tried = <T>(look: () => T): T | undefined => {
    try {
      return look()
    } catch (error) {
      house.log.error({ error }, 'an answer at once failed')
      return undefined
    }
  }

  const send = (door: QuickDoor, outgoing: ServerResponse, { status = 200, headers, body }: ShortAnswer): void => {
    // Node sends it later, when its memory may hold another.
    const bytes = Buffer.from(body)
    outgoing.writeHead(status, { 'x-content-type-options': 'nosniff', 'content-length': bytes.length, ...headers })
    outgoing.end(bytes)
    metrics.count(door.name, status, 0)
  }

  const ask: SocketWayOptions['ask'] = (door, path, body) => tried(() => door.shortWay({ path, body, house }))

  const give = (door: QuickDoor, outgoing: ServerResponse, rest: string, body: Buffer): boolean => {
    const answer = ask(door, rest, body)
    if (answer === undefined) return false
    if (!(answer instanceof Promise)) send(door, outgoing, answer)
    else {
      answer.then(
        (made) => send(door, outgoing, made),
        (error: unknown) => {
          house.log.error({ error }, 'a request could not be answered')
          outgoing.destroy()
        },
      )
    }
    return true
  }

  const take: ShortWay['take'] = (incoming, outgoing, onwards) => {
    const { url = '', method, headers } = incoming
    const door = doors.find((one) => one.method === method && url.startsWith(one.beginning))
    // A page of another site cannot do harm here, but it is turned away where all are.
    if (door === undefined || headers.origin !== undefined || headers.cookie !== undefined) return false
    const rest = url.slice(door.beginning.length)
    if (method === 'GET') return give(door, outgoing, rest, nothing)
    const length = Number(headers['content-length'])
    if (!(length > 0 && length <= (door.bodyLimit ?? 0))) return false
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
    incoming.once('end', () => {
      const [only = nothing, ...others] = chunks
      const body = others.length === 0 ? only : Buffer.concat(chunks)
      if (give(door, outgoing, rest, body)) return
      keepBody(incoming, body)
      onwards()
    })
    return true
  }
  return {
    take,
    socketWay: {
      doors,
      ask,
      answered: (door, status) => metrics.count(door.name, status, 0),
      failed: (error) => house.log.error({ error }, 'a request could not be answered'),
    },
  }
}
