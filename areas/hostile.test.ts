// Every call and every endpoint of every room, asked by an administrator who may do everything, with nonsense: it is refused with a fault,
// and never answered with a 5xx. What fits the contract's own shape is made from that shape, then spoilt in one field at a time, so that
// the nonsense gets past the first door and to the handler.
//
// The first door is the server's step that reads the input. All nonsense is given to it directly, which costs a tenth of a request. What it lets
// through goes over the wire to the handler; of what it refuses, one of each call and one of each kind of refusal do, to see how that is answered.

import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import type { Call } from '#core/contract/contract.ts'
import { fillPath, paramNames } from '#core/contract/paths.ts'
import type { Exchange } from '#core/server/exchange.ts'
import { faultOf, type Fault } from '#core/server/fault.ts'
import { keepBody, readInput } from '#core/server/steps/input.ts'
import { useHouse } from '#core/testing/house.ts'
import { fitting, isObject, missingId } from '#core/testing/plausible.ts'

const house = await useHouse()
const everything = await (await house.tenancy('Acme')).person({ permissions: 'all' })

const hostileValues: readonly unknown[] = [
  null,
  '',
  ' ',
  'x'.repeat(100_000),
  '\u0000',
  '\ud800',
  '\u202e\u200b\ufeff',
  '\u{1f512}'.repeat(300),
  "'; drop table users; --",
  '../../../etc/passwd',
  '%00%ff{0}${x}',
  '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----',
  '99999999999999999999999999999999',
  '2026-13-45T99:99:99Z',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  missingId,
  '__proto__',
  -1,
  0,
  1e308,
  2 ** 31,
  9_007_199_254_740_991,
  0.1,
  true,
  [],
  [null],
  Array.from({ length: 1000 }, () => 'a'),
  {},
  { constructor: { prototype: {} } },
]

const wholeBodies: readonly string[] = [
  '',
  '{}',
  '[]',
  'null',
  '0',
  '"text"',
  'true',
  '{',
  '[[[[]]]]',
  '{"id":null}',
  '{"__proto__":{"id":1}}',
  `{"id":"${'a'.repeat(50_000)}"}`,
  '\u0000',
  '{"":""}',
  `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
]

/** Every place in a plausible input, at most two levels down, with each hostile value put there. */
function* spoilt(input: unknown, depth = 0): Generator<unknown> {
  if (!isObject(input)) return
  for (const [name, inner] of Object.entries(input)) {
    for (const value of depth === 0 ? hostileValues : hostileValues.filter((_, at) => at % 3 === depth)) yield { ...input, [name]: value }
    if (depth < 2)
      for (const within of spoilt(Array.isArray(inner) ? inner[0] : inner, depth + 1))
        yield { ...input, [name]: Array.isArray(inner) ? [within] : within }
  }
}

function bodiesOf(call: Call): string[] {
  const input = fitting(call)
  return [...wholeBodies, JSON.stringify(input) ?? 'null', ...[...spoilt(input)].map((one) => JSON.stringify(one))]
}

const inQuery = (call: Call) => call.method === 'GET' || call.method === 'DELETE'

function queryOf(body: string): string | undefined {
  const value: unknown =
    body.length < 200_000 && body.startsWith('{"') && !body.includes('[[[[') ? safely(() => JSON.parse(body)) : undefined
  if (!isObject(value)) return undefined
  const pairs = Object.entries(value).map(
    ([name, inner]) =>
      `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent((typeof inner === 'string' ? inner : (JSON.stringify(inner) ?? '')).toWellFormed().slice(0, 3000))}`,
  )
  return pairs.join('&')
}

const safely = (read: () => unknown): unknown => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const paramsOf = (call: Call) => Object.fromEntries(paramNames(call.path).map((name) => [name, missingId]))

function addressOf(call: Call, body: string): string {
  const path = fillPath(call.path, paramsOf(call))
  return inQuery(call) ? `${path}?${queryOf(body) ?? encodeURIComponent(body.toWellFormed().slice(0, 3000))}` : path
}

const json = { 'content-type': 'application/json' }

async function ask(call: Call, body: string): Promise<number> {
  const sent = inQuery(call) ? {} : { body, headers: json }
  const response = await everything.fetch(addressOf(call, body), { method: call.method, ...sent })
  await response.arrayBuffer()
  return response.status
}

let moment = 0

/** What the server's own step that reads the input makes of it; undefined where it lets it through. */
async function refusalOf(call: Call, body: string): Promise<Fault | undefined> {
  const incoming = { headers: json } as Partial<IncomingMessage> as IncomingMessage
  keepBody(incoming, Buffer.from(body))
  const url = new URL(addressOf(call, body), house.origin)
  const match = { route: { kind: 'call', binding: { call, handle: async () => ({}) } }, params: paramsOf(call) } as const
  // A minute later each time, so that none meets an empty budget of the one before.
  const now = new Date((moment += 60_000))
  const facts = { address: '192.0.2.1' } as Exchange['facts']
  const exchange: Partial<Exchange> = { incoming, url, match, viewer: undefined, house: house.house, facts, now }
  try {
    await readInput(exchange as Exchange)
    return undefined
  } catch (error) {
    return faultOf(error)
  }
}

/** Eight at a time, which also tries what happens when the nonsense meets itself. */
async function inParallel<T>(all: readonly T[], one: (item: T) => Promise<void>): Promise<void> {
  const left = [...all]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await one(item)
    }),
  )
}

/** How calls refused so far, which is the same on the wire whichever call says it. */
const told = new Set<string>()

describe('Nonsense', () => {
  test.each(rooms.filter((room) => room.calls.length > 0))(
    'at the calls of $area is refused and never a failure of ours',
    async ({ calls }) => {
      const failures: [string, number, string][] = []
      for (const { call } of calls) {
        const fails = (status: number, body: string) =>
          failures.push([call.name, status, body.length > 300 ? `${body.slice(0, 300)}... (${body.length})` : body])
        const toSend: { body: string; refused: boolean }[] = []
        for (const body of bodiesOf(call)) {
          const refusal = await refusalOf(call, body)
          if (refusal === undefined) toSend.push({ body, refused: false })
          else {
            if (refusal.status >= 500) fails(refusal.status, body)
            const words = JSON.stringify([call.method, refusal.code, refusal.detail.fields?.map(({ says }) => says)])
            if (!told.has(words) || !toSend.some(({ refused }) => refused)) toSend.push({ body, refused: true })
            told.add(words)
          }
        }
        await inParallel(toSend, async ({ body, refused }) => {
          const status = await ask(call, body)
          if (status >= 500 || (refused && status < 400)) fails(status, body)
        })
      }
      expect(failures).toEqual([])
    },
  )

  test.each(rooms.filter((room) => room.endpoints.length > 0))(
    'at the endpoints of $area is refused and never a failure of ours',
    async ({ endpoints }) => {
      const failures: [string, number, string][] = []
      const params = ['x', '%00', '%ff', '..%2F..', missingId, '__proto__', 'a'.repeat(3000), '%F0%9F%94%92', "'", '%', '.crl']
      const bodies = ['', 'x', '\u0000'.repeat(100), '0\u0082\u00ff\u00ff', '{}', 'a'.repeat(70_000)]
      for (const endpoint of endpoints) {
        const asked = new Set<string>()
        for (const param of params) {
          for (const body of endpoint.method === 'GET' ? [''] : bodies) {
            const path = endpoint.path.replace(/:\w+\??|\*/g, param)
            for (const query of ['', `?id=${param}&format=${param}&form=${param}&from=${param}&text=${param}`]) {
              // Without a parameter the path is the same for each.
              const request = JSON.stringify([path + query, body])
              if (asked.has(request)) continue
              asked.add(request)
              // An answer that breaks off midway is a failure too.
              const status = await everything
                .fetch(path + query, { method: endpoint.method, ...(endpoint.method === 'GET' ? {} : { body }) })
                .then(async (response) => ((await response.arrayBuffer()).byteLength >= 0 ? response.status : 0))
                .catch(() => 599)
              if (status >= 500) failures.push([endpoint.name, status, `${path}${query}`.slice(0, 200)])
            }
          }
        }
      }
      expect(failures).toEqual([])
    },
  )

  test('comes as far as the handlers: what it is made from fits the contracts', async () => {
    const calls = rooms.flatMap((room) => room.calls.map(({ call }) => call))
    const stopped = calls.filter((call) => !call.input.safeParse(fitting(call)).success)
    expect(stopped.map(({ area, name }) => `${area}.${name}`)).toEqual([])
  })

  test('has left the house standing, its people and its one administrator', async () => {
    expect(await (await everything.fetch('/readyz')).json()).toEqual({ status: 'ready' })
    expect((await everything.fetch(`/api2/IDM-v1/User?id=${everything.id}`)).status).toBe(200)
    expect(Reflect.get({}, 'id')).toBeUndefined()
  })
})
