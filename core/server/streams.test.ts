// The door of streams: who may pass, what the first message must be, and how a stream ends. The room is the test's own.

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import * as z from 'zod'
import { users } from '#areas/users/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { openTestHouse, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { watchLooks } from '#core/testing/looks.ts'
import { commonFault } from './fault.ts'
import { serve } from './serve.ts'

const counting = contract({
  area: 'counting',
  title: 'Counting',
  streams: {
    count: {
      path: '/stream/count',
      needs: 'monitor',
      input: z.object({ to: z.number().int().min(1).max(100) }),
      event: z.object({ at: z.number() }),
    },
    wait: { path: '/stream/wait', needs: 'signedIn', input: z.object({}), event: z.object({ at: z.number() }) },
    tick: { path: '/stream/tick', needs: 'signedIn', input: z.object({}), event: z.object({ at: z.number() }) },
    fail: {
      path: '/stream/fail',
      needs: 'public',
      input: z.object({ how: z.enum(['fault', 'error', 'shape']) }),
      event: z.object({ at: z.number() }),
    },
  },
})

let ended = 0

const room = serve(
  counting,
  {},
  {
    streams: {
      async *count({ to }) {
        for (let at = 1; at <= to; at += 1) yield { at }
      },
      async *wait(_input, { signal }) {
        yield { at: 0 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        ended += 1
      },
      async *tick(_input, { signal }) {
        try {
          for (let at = 0; !signal.aborted; at += 1) {
            yield { at }
            await wait(20)
          }
        } finally {
          ended += 1
        }
      },
      async *fail({ how }) {
        yield { at: 0 }
        if (how === 'fault') throw commonFault('conflict')
        if (how === 'error') throw new Error('the secret inside')
        yield { at: Number.NaN }
      },
    },
  },
)

let house: TestHouse
let acme: TestTenancy
let watcher: TestPerson
let other: TestPerson

beforeAll(async () => {
  house = await openTestHouse({ moreRooms: [room] })
  acme = await house.tenancy('Acme')
  watcher = await acme.person({ permissions: ['monitor'] })
  other = await acme.person({ permissions: [] })
})
afterAll(() => house.close())

type Ending = { opened: boolean; status: number | undefined; messages: unknown[]; code: number | undefined; reason: string }

/** Opens the stream, sends the first message and waits for the end. */
function follow(
  path: string,
  first: string | Buffer | undefined,
  headers: Record<string, string>,
  whenOpen?: (socket: WebSocket) => void,
): Promise<Ending> {
  const socket = new WebSocket(`ws://localhost:${house.doors.port}${path}`, { headers })
  const ending: Ending = { opened: false, status: undefined, messages: [], code: undefined, reason: '' }
  return new Promise((resolve) => {
    socket.on('open', () => {
      ending.opened = true
      if (first !== undefined) socket.send(first)
      whenOpen?.(socket)
    })
    socket.on('message', (data) => ending.messages.push(JSON.parse(String(data))))
    socket.on('unexpected-response', (_request, response) => {
      ending.status = response.statusCode
      response.resume()
      resolve(ending)
    })
    socket.on('error', () => {})
    socket.on('close', (code, reason) => {
      ending.code = code
      ending.reason = reason.toString()
      resolve(ending)
    })
  })
}

const signedInAs = (person: TestPerson) => ({ authorization: `Bearer ${person.token}` })

describe('The door of a stream', () => {
  test('lets the permission in and closes in the ordinary way when all is told', async () => {
    const ending = await follow('/stream/count', '{"to":3}', signedInAs(watcher))
    expect(ending).toMatchObject({ opened: true, code: 1000, messages: [{ at: 1 }, { at: 2 }, { at: 3 }] })
  })

  test('turns away who is not signed in, who may not, and who asks for what does not exist', async () => {
    expect((await follow('/stream/count', '{"to":3}', {})).status).toBe(401)
    expect((await follow('/stream/count', '{"to":3}', { authorization: 'Bearer chy_nonsense' })).status).toBe(401)
    expect((await follow('/stream/count', '{"to":3}', signedInAs(other))).status).toBe(403)
    expect((await follow('/stream/none', '{}', signedInAs(watcher))).status).toBe(404)
    expect((await follow('/healthz', '{}', signedInAs(watcher))).status).toBe(404)
  })

  test('turns away a page of another origin, even with a good session', async () => {
    for (const origin of ['https://evil.example', 'null', `http://localhost:${house.doors.port}.evil.example`]) {
      const ending = await follow('/stream/count', '{"to":3}', { ...signedInAs(watcher), origin })
      expect([origin, ending.status]).toEqual([origin, 403])
    }
    const own = await follow('/stream/count', '{"to":1}', { ...signedInAs(watcher), origin: `http://localhost:${house.doors.port}` })
    expect(own.code).toBe(1000)
  })
})

describe('The first message', () => {
  test.each(['', 'nonsense', '[1', '\u0000'])('that is "%s" instead of JSON ends the stream', async (first) => {
    const ending = await follow('/stream/count', first, signedInAs(watcher))
    expect([ending.code, ending.reason]).toEqual([4400, 'malformed'])
  })

  test.each(['{}', '{"to":0}', '{"to":"3"}', '[]', 'null', '{"to":3,"deep":"\\u0000"}'])(
    'that is %s, of the wrong shape, ends the stream with the field',
    async (first) => {
      const ending = await follow('/stream/count', first, signedInAs(watcher))
      expect([ending.code, ending.reason]).toEqual([4400, 'invalid'])
      expect(ending.messages).toMatchObject([{ fault: { code: 'invalid', fields: [{ says: expect.any(String) }] } }])
    },
  )

  test('that is larger than a mebibyte ends the connection', async () => {
    const ending = await follow('/stream/count', `{"to":1,"more":"${'a'.repeat(1024 * 1024)}"}`, signedInAs(watcher))
    expect([ending.code, ending.messages]).toEqual([1009, []])
  })
})

describe('A stream', () => {
  test('that fails says its fault, and of an error of ours only that there was one', async () => {
    const fault = await follow('/stream/fail', '{"how":"fault"}', {})
    expect([fault.code, fault.reason]).toEqual([4409, 'conflict'])
    for (const how of ['error', 'shape']) {
      const error = await follow('/stream/fail', JSON.stringify({ how }), {})
      expect([how, error.code, error.reason]).toEqual([how, 4500, 'unexpected'])
      expect(JSON.stringify(error.messages)).not.toMatch(/secret|\.ts:/)
    }
  })

  test('stops its work when the other side leaves', async () => {
    const before = ended
    await follow('/stream/wait', '{}', signedInAs(other), (socket) => socket.once('message', () => socket.close()))
    await expect.poll(() => ended).toBe(before + 1)
  })

  test('ends soon after its person may not follow it any more', async () => {
    const { administrator } = acme
    const leaver = await acme.person({ permissions: ['monitor'] })
    const looks = watchLooks(house)
    const told = Promise.withResolvers<number>()
    const ending = follow('/stream/wait', '{}', signedInAs(leaver), (socket) =>
      socket.once('message', async () => {
        await administrator.call(users.calls.setEnabled, { id: leaver.id, enabled: false })
        told.resolve(looks.made())
      }),
    )
    expect(await ending).toMatchObject({ code: 4401, reason: 'not_logged_in', messages: [{ at: 0 }] })
    // The change is known with its answer, and the first look after that ends it: two, where one was just beginning.
    expect((looks.made() - (await told.promise)) * looks.pause()).toBeLessThanOrEqual(2 * 500)
  })

  test('says nothing more to who may not follow it, though the other side never closes', async () => {
    const { administrator } = acme
    const leaver = await acme.person({ permissions: ['monitor'] })
    const looks = watchLooks(house)
    let heard = 0
    const socket = new WebSocket(`ws://localhost:${house.doors.port}/stream/tick`, { headers: signedInAs(leaver) })
    await new Promise((resolve) => socket.once('open', resolve))
    socket.on('message', () => (heard += 1))
    socket.send('{}')
    await expect.poll(() => heard).toBeGreaterThan(2)
    // The farewell of the server stays unread, and unanswered.
    socket.pause()
    const before = ended
    await administrator.call(users.calls.setEnabled, { id: leaver.id, enabled: false })
    const made = looks.made()
    await expect.poll(() => ended).toBe(before + 1)
    // The server's own patience with a farewell is half a minute, which are more than a hundred looks.
    expect((looks.made() - made) * looks.pause()).toBeLessThanOrEqual(2 * 500)
    socket.terminate()
  })

  test('is one of fifty at a time for each session or token', async () => {
    const sockets = Array.from(
      { length: 50 },
      () => new WebSocket(`ws://localhost:${house.doors.port}/stream/wait`, { headers: signedInAs(other) }),
    )
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))))
    expect((await follow('/stream/wait', '{}', signedInAs(other))).status).toBe(429)
    expect((await follow('/stream/count', '{"to":1}', signedInAs(watcher))).code).toBe(1000)
    for (const socket of sockets) socket.terminate()
    await expect
      .poll(async () => (await follow('/stream/wait', '{}', signedInAs(other), (socket) => socket.close())).status)
      .toBeUndefined()
  })

  test('ends when the house closes', async () => {
    const own = await openTestHouse({ moreRooms: [room] })
    const socket = new WebSocket(`ws://localhost:${own.doors.port}/stream/fail`)
    await new Promise((resolve) => socket.once('open', resolve))
    const code = new Promise((resolve) => socket.once('close', resolve))
    await own.close()
    expect(await code).toBe(1001)
  })
})
