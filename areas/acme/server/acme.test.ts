// The protocol from the first nonce to the renewal, by a client that speaks it over HTTP, against a directory of the running house.

import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '#core/testing/house.ts'
import { ariIdOf } from '#standards/acme/ari.ts'
import { acme } from '../contract.ts'
import { openAcme, type AcmeFixture } from './acme.fixture.ts'
import { challengeOf, derOf, proveByFile } from './client.fixture.ts'

let on: AcmeFixture
beforeAll(async () => {
  on = await openAcme({ 'www.example.org': [{ type: 'A', value: '127.0.0.1' }] })
})
afterAll(() => on.close())

const leafOf = (text: string): X509Certificate => new X509Certificate(text)

describe('The way from a name to its certificate', () => {
  test('goes by http-01, and the certificate has the names that were proven', async () => {
    const client = await on.client()
    const account = await client.register({ contact: ['mailto:admin@example.org'] })
    expect(account.status).toBe(201)
    expect(account.body).toMatchObject({ status: 'valid', contact: ['mailto:admin@example.org'] })
    const order = await client.order(['www.example.org'])
    expect(order.status).toBe(201)
    expect(order.body.status).toBe('pending')
    const ready = await proveByFile(client, on.web, order)
    expect(ready.body.status).toBe('ready')
    const done = await client.post(ready.body.finalize, { csr: on.csr(['www.example.org']) })
    expect(done.body.status).toBe('valid')
    const fetched = await client.ask(done.body.certificate)
    expect(fetched.headers.get('content-type')).toBe('application/pem-certificate-chain')
    const leaf = leafOf(fetched.text)
    expect(leaf.subjectAltName).toBe('DNS:www.example.org')
    expect(fetched.text.match(/BEGIN CERTIFICATE/g)?.length).toBe(2)
    expect(fetched.headers.get('link')).toContain('rel="alternate"')
    const orders = await client.ask(String(account.body.orders))
    expect(orders.body.orders).toEqual([order.headers.get('location')])
    const { rows } = await on.admin.call(acme.calls.orders, { text: 'www.example.org' })
    expect(rows[0]).toMatchObject({ status: 'valid', names: ['www.example.org'] })
    const seen = await on.admin.call(acme.calls.order, { id: rows[0]?.id ?? '' })
    const [challenge] = seen.authorizations[0]?.challenges.filter(({ type }) => type === 'http-01') ?? []
    expect(challenge?.evidence[0]?.steps.join('\n')).toContain('Connected to 127.0.0.1')
  })

  test('counts what was proven for the next order, of this account alone', async () => {
    const client = await on.registered()
    await on.issue(client, ['again.example.org'])
    expect((await client.order(['again.example.org'])).body.status).toBe('ready')
    const other = await on.registered()
    expect((await other.order(['again.example.org'])).body.status).toBe('pending')
  })

  test('is refused where the file says something else, and the console says what was seen', async () => {
    const client = await on.registered()
    on.dns.names.set('wrong.example.org', [{ type: 'A', value: '127.0.0.1' }])
    const order = await client.order(['wrong.example.org'])
    const url = order.body.authorizations[0] ?? ''
    const challenge = challengeOf(await client.ask(url), 'http-01')
    on.web.files.set(`/.well-known/acme-challenge/${challenge.token}`, 'something else')
    await client.post(challenge.url, {})
    const failed = await client.settled(url, ['pending'])
    expect(failed.body.status).toBe('invalid')
    expect(challengeOf(failed, 'http-01').error).toMatchObject({
      type: 'urn:ietf:params:acme:error:unauthorized',
      detail: expect.stringContaining('"something else"'),
    })
    expect((await client.ask(order.headers.get('location') ?? '')).body.status).toBe('invalid')
    const { rows } = await on.admin.call(acme.calls.orders, { text: 'wrong.example.org' })
    const seen = await on.admin.call(acme.calls.order, { id: rows[0]?.id ?? '' })
    expect(JSON.stringify(seen.authorizations)).toContain('It answered 200')
    expect(rows[0]?.error?.detail).toContain('"something else"')
  })

  test('goes by revocation and renewal information', async () => {
    const client = await on.registered()
    const done = await on.issue(client, ['renewed.example.org'])
    const { text } = await client.ask(done.body.certificate)
    const der = Buffer.from(derOf(text.split('-----END')[0] ?? ''), 'base64url')
    const id = ariIdOf(der) ?? ''
    const info = await client.get(`${client.directory['renewalInfo']}/${id}`)
    expect(info.status).toBe(200)
    expect(Number(info.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(new Date(info.body.suggestedWindow.start) > new Date()).toBe(true)
    const replacing = await client.order(['renewed.example.org'], { replaces: id })
    expect(replacing.status).toBe(201)
    const twice = await client.order(['renewed.example.org'], { replaces: id })
    expect([twice.status, twice.body.type]).toEqual([409, 'urn:ietf:params:acme:error:alreadyReplaced'])
    const other = await on.registered()
    expect((await other.order(['renewed.example.org'], { replaces: id })).status).toBe(403)
    const stranger = await other.post(other.directory['revokeCert'] ?? '', { certificate: der.toString('base64url') })
    expect(stranger.status).toBe(403)
    expect((await client.post(client.directory['revokeCert'] ?? '', { certificate: der.toString('base64url'), reason: 7 })).body.type).toBe(
      'urn:ietf:params:acme:error:badRevocationReason',
    )
    expect((await client.post(client.directory['revokeCert'] ?? '', { certificate: der.toString('base64url'), reason: 4 })).status).toBe(
      200,
    )
    expect((await client.post(client.directory['revokeCert'] ?? '', { certificate: der.toString('base64url') })).body.type).toBe(
      'urn:ietf:params:acme:error:alreadyRevoked',
    )
    const after = await client.get(`${client.directory['renewalInfo']}/${id}`)
    expect(new Date(after.body.suggestedWindow.end) < new Date()).toBe(true)
  })
})

test('A directory says which of its settings cannot be', async () => {
  const faults = async (more: Parameters<typeof on.addDirectory>[0]) => {
    const refused = await refusal(on.addDirectory(more))
    return refused.fields.map(({ field }) => field)
  }
  const profile = { name: 'default', templateId: on.templateId }
  expect(await faults({ challenges: ['device-attest-01'] })).toEqual(['challenges'])
  expect(await faults({ challenges: ['dns-persist-01'] })).toEqual(['caaIdentities'])
  expect(await faults({ profiles: [profile, profile] })).toEqual(['profiles.1.name'])
  expect(await faults({ profiles: [{ ...profile, templateId: on.pki.template['User'] ?? '' }] })).toEqual(['profiles.0.templateId'])
  expect(await faults({ nameServers: ['ns.example.org', '10.0.0.53'] })).toEqual(['nameServers.0', 'nameServers.1'])
  expect(await faults({ name: 'Directory 1' })).toEqual(['name'])
})

test('A name is tried without an order, and shows what would be seen of it', async () => {
  const { results, template } = await on.admin.call(acme.calls.tryName, { directoryId: on.directory.id, name: 'www.example.org' })
  expect(template).toBeUndefined()
  expect(results.map(({ what, ok }) => [what, ok])).toEqual([
    ['http-01', true],
    ['tls-alpn-01', false],
    ['dns-01', true],
  ])
  expect(results[0]?.sightings[0]?.steps.join(' ')).toContain('It answered 404')
  expect((await on.admin.call(acme.calls.tryName, { directoryId: on.directory.id, name: '*.example.org' })).template).toContain('wildcard')
})
