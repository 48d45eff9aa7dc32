// Which answers go out compressed, and to whom.

import { expect, test } from 'vitest'
import * as z from 'zod'
import { certificates } from '#areas/certificates/contract.ts'
import { keys } from '#areas/keys/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { useHouse } from '#core/testing/house.ts'
import { serve } from './serve.ts'

const words = z.object({ words: z.string() })
const reading = { does: 'Reads.', method: 'GET', needs: 'signedIn', input: z.object({ count: z.coerce.number() }), output: words } as const
const library = contract({
  area: 'library',
  title: 'Library',
  calls: { page: { ...reading, path: '/api2/Library-v1/Page', packed: true }, letter: { ...reading, path: '/api2/Library-v1/Letter' } },
})
const write = async ({ count }: { count: number }) => ({ words: 'once upon a time '.repeat(count) })

const house = await useHouse({ moreRooms: [serve(library, { page: write, letter: write })] })
const grace = (await house.tenancy('Acme')).administrator

async function asked(path: string, unpacks: string) {
  const response = await grace.fetch(path, { headers: { 'accept-encoding': unpacks } })
  const answer: unknown = await response.json()
  return {
    answer,
    coding: response.headers.get('content-encoding'),
    varies: response.headers.get('vary'),
    length: Number(response.headers.get('content-length')),
  }
}
const page = (count: number) => `${library.calls.page.path}?count=${count}`

test('A long answer goes out as who asks can unpack it, and says the same in each form', async () => {
  const plain = await asked(page(500), 'identity')
  const offers = [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['gzip;q=0.0', null],
    ['brotli', null],
  ] as const
  for (const [offer, coding] of offers) {
    const one = await asked(page(500), offer)
    expect([offer, one.coding, one.varies, one.length < 500, one.answer]).toEqual([
      offer,
      coding,
      'accept-encoding',
      coding !== null,
      plain.answer,
    ])
  }
})

test('A short answer goes out as it is', async () => {
  expect(await asked(page(10), 'gzip, br')).toMatchObject({ coding: null, length: 182 })
})

test('An answer that takes long to compress goes out as it is', async () => {
  expect(await asked(page(40_000), 'gzip, br')).toMatchObject({ coding: null, length: 680_012 })
})

test('An answer whose contract does not say that it holds no secret is never compressed', async () => {
  expect(await asked(`${library.calls.letter.path}?count=500`, 'gzip, br')).toMatchObject({ coding: null, varies: null })
})

test('What the console opens with is compressed; what hands out a key, a token or a session is not', () => {
  expect([sessions.calls.bootstrap, certificates.calls.search].map((call) => 'packed' in call)).toEqual([true, true])
  const secret = [sessions, certificates, keys]
    .flatMap(({ calls }) => Object.values(calls))
    .filter((call) => 'unstored' in call || !('reads' in call || call.method === 'GET'))
  expect(secret.filter((call) => 'packed' in call)).toEqual([])
})
