import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { CallFault } from './call-fault.ts'
import { openStream } from './stream.ts'

const cards = contract({
  area: 'cards',
  title: 'Cards',
  streams: {
    issue: {
      path: '/api2/CMS-v2/IssueCard',
      needs: 'smartcardManage',
      input: z.object({ cardId: z.string() }),
      event: z.object({ step: z.string() }),
      failed: 'Smartcard could not be issued',
    },
  },
})

let server: WebSocketServer
const heard: unknown[] = []
/** What the server does with a socket after the first message. */
let act: (send: (event: unknown) => void, close: (code: number) => void) => void = () => {}

beforeEach(async () => {
  heard.length = 0
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) =>
    socket.once('message', (data) => {
      heard.push(JSON.parse(String(data)))
      act(
        (event) => socket.send(JSON.stringify(event)),
        (code) => socket.close(code),
      )
    }),
  )
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  // jsdom's events and Node's own WebSocket do not know each other.
  vi.stubGlobal('WebSocket', WebSocket)
  vi.stubEnv('VITE_CHANCERY_SOCKET', `ws://127.0.0.1:${port}`)
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  for (const client of server.clients) client.terminate()
  server.close()
})

const steps = async (signal?: AbortSignal, seen: string[] = []): Promise<string[]> => {
  try {
    for await (const { step } of openStream(cards.streams.issue, { cardId: 'c1' }, signal === undefined ? {} : { signal })) seen.push(step)
  } catch (error) {
    seen.push(error instanceof CallFault ? `${error.code}: ${error.title}` : String(error))
  }
  return seen
}

test('a stream sends its input first, gives each event and ends with 1000', async () => {
  act = (send, close) => {
    send({ step: 'key' })
    send({ step: 'certificate' })
    close(1000)
  }
  expect(await steps()).toEqual(['key', 'certificate'])
  expect(heard).toEqual([{ cardId: 'c1' }])
})

test('a fault inside the stream is thrown with the contract’s title', async () => {
  act = (send, close) => {
    send({ step: 'key' })
    send({ fault: { code: 'conflict', message: 'x' } })
    close(4409)
  }
  expect(await steps()).toEqual(['key', 'conflict: Smartcard could not be issued'])
})

test('a connection that breaks is a network error', async () => {
  act = (_send, close) => close(1011)
  expect(await steps()).toEqual(['network_error: Smartcard could not be issued'])
})

test('a stream that is called off ends', async () => {
  const [stop, seen] = [new AbortController(), [] as string[]]
  act = (send) => send({ step: 'key' })
  const ended = steps(stop.signal, seen)
  await expect.poll(() => seen).toEqual(['key'])
  stop.abort()
  expect(await ended).toEqual(['key', 'cancelled: Smartcard could not be issued'])
})
