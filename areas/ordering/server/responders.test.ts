// dns-01 by what puts records into the DNS: a webhook and acme-dns, each a little server. Signed updates are judged by Knot in `npm run e2e:protocols`.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { refusal } from '#core/testing/house.ts'
import { ordering } from '../contract.ts'
import { openOrdering, type OrderingFixture, type Told } from './ordering.fixture.ts'

let on: OrderingFixture
let told: Told[] = []
beforeAll(async () => {
  on = await openOrdering()
})
afterEach(() => {
  told = []
  on.front.dns = undefined
})
afterAll(() => on.close())

const { calls } = ordering
const base = () => `${on.origin}/dns`

test('A webhook puts the record there and takes it out again, as lego asks it to', async () => {
  const name = 'hook.example.org'
  on.front.dns = (one) => {
    told.push(one)
    const record = (one.body['fqdn'] ?? '').replace(/\.$/, '')
    if (one.path === '/hook/present') on.dns.names.set(record, [{ type: 'TXT', value: one.body['value'] ?? '' }])
    else on.dns.names.delete(record)
    return 200
  }
  const { id: responderId } = await on.kim.call(calls.addResponder, {
    name: 'Hook',
    settings: { kind: 'webhook', url: `${base()}/hook/`, username: 'kim' },
    secret: 'secret',
    waitSeconds: 0,
  })
  const order = await on.settled(await on.start([name], { proof: 'responder', responderId }))
  expect([order.step, order.problem]).toEqual(['done', undefined])
  expect(told.map(({ path }) => path)).toEqual(['/hook/present', '/hook/cleanup'])
  expect(told[0]?.body['fqdn']).toBe(`_acme-challenge.${name}.`)
  expect(told[0]?.headers.authorization).toBe(`Basic ${Buffer.from('kim:secret').toString('base64')}`)
  expect(told[1]?.body).toEqual(told[0]?.body)
  expect((await on.kim.call(calls.responders, {})).rows).toMatchObject([{ name: 'Hook', orders: 1 }])
  expect(await refusal(on.kim.call(calls.removeResponder, { id: responderId }))).toMatchObject({ status: 409, code: 'inUse' })
})

test('acme-dns gets the value for its subdomain, with its user and key', async () => {
  const name = 'acme-dns.example.org'
  on.front.dns = (one) => {
    told.push(one)
    on.dns.names.set(`_acme-challenge.${name}`, [{ type: 'TXT', value: one.body['txt'] ?? '' }])
    return 200
  }
  const { id: responderId } = await on.kim.call(calls.addResponder, {
    name: 'acme-dns',
    settings: { kind: 'acmeDns', url: base(), username: 'user-1', subdomain: 'sub-1' },
    secret: 'key-1',
    waitSeconds: 0,
  })
  const order = await on.settled(await on.start([name], { proof: 'responder', responderId }))
  expect([order.step, order.problem]).toEqual(['done', undefined])
  expect(told.map(({ path, body, headers }) => [path, body['subdomain'], headers['x-api-user'], headers['x-api-key']])).toEqual([
    ['/update', 'sub-1', 'user-1', 'key-1'],
  ])
})

test('A responder that refuses stops the order, which says so, and its secret goes to no other address', async () => {
  on.front.dns = () => 503
  const draft = { name: 'Down', settings: { kind: 'acmeDns', url: `${base()}/a`, username: 'u', subdomain: 's' }, waitSeconds: 0 } as const
  const { id: responderId } = await on.kim.call(calls.addResponder, { ...draft, secret: 'key-2' })
  const order = await on.settled(await on.start(['down.example.org'], { proof: 'responder', responderId }))
  expect(order).toMatchObject({ step: 'validation', problem: { type: 'responder', detail: 'acme-dns answered 503' } })
  const elsewhere = { ...draft, settings: { ...draft.settings, url: `${base()}/elsewhere` } }
  const refused = await refusal(on.kim.call(calls.changeResponder, { ...elsewhere, id: responderId, version: 1 }))
  expect(refused.fields).toMatchObject([{ field: 'secret' }])
  expect(await on.kim.call(calls.changeResponder, { ...draft, name: 'Still down', id: responderId, version: 1 })).toEqual({ version: 2 })
})
