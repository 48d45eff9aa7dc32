// What clients of others do that ours does not: GET where a POST is meant, null for what is left out, a second replacement after the first came to nothing.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { ariIdOf } from '#standards/acme/ari.ts'
import { openAcme, type AcmeFixture } from './acme.fixture.ts'
import { derOf, type Answer } from './client.fixture.ts'

let on: AcmeFixture
beforeAll(async () => {
  on = await openAcme()
})
afterAll(() => on.close())

const said = ({ status, body }: Answer): [status: number, type: string] => [
  status,
  String(body.type).replace('urn:ietf:params:acme:error:', ''),
]

test('What is asked by a signed POST is no page for a GET', async () => {
  const client = await on.registered()
  for (const url of [client.directory['newOrder'] ?? '', client.kid, `${client.directory['newAccount']}/nowhere`]) {
    const answer = await client.get(url)
    expect([answer.status, answer.body.type, answer.headers.get('allow')]).toEqual([405, 'urn:ietf:params:acme:error:malformed', 'POST'])
  }
})

test('Directory and nonce are read by POST-as-GET, too', async () => {
  const client = await on.registered()
  const read = await client.ask(on.directory.url)
  expect([read.status, JSON.parse(read.text)]).toEqual([200, client.directory])
  expect((await client.ask(client.directory['newNonce'] ?? '')).status).toBe(204)
  expect(said(await client.post(on.directory.url, {}))).toEqual([400, 'malformed'])
})

test('A certificate whose replacement came to nothing is replaced by another order', async () => {
  const client = await on.registered()
  const name = 'replaced-twice.example.org'
  const done = await on.issue(client, [name])
  const { text } = await client.ask(done.body.certificate)
  const replaces = ariIdOf(Buffer.from(derOf(text.split('-----END')[0] ?? ''), 'base64url'))
  const first = await client.order([name], { replaces })
  expect(first.status).toBe(201)
  expect(said(await client.order([name], { replaces }))).toEqual([409, 'alreadyReplaced'])
  for (const url of first.body.authorizations) await client.post(url, { status: 'deactivated' })
  expect((await client.ask(first.headers.get('location') ?? '')).body.status).toBe('invalid')
  expect((await client.order([name], { replaces })).status).toBe(201)
})

test('A member that is null counts as absent: some clients send what they leave out so', async () => {
  const client = await on.client()
  const registered = await client.register({ externalAccountBinding: null, contact: null, onlyReturnExisting: null })
  expect(registered.status).toBe(201)
  const order = await client.order(['null.example.org'], { notBefore: null, notAfter: null, replaces: null, profile: null })
  expect([order.status, order.body.status]).toEqual([201, 'pending'])
})
