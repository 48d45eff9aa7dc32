import { createCanvas } from '@napi-rs/canvas'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { domains } from '#areas/domains/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { users } from '#areas/users/contract.ts'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { branding } from '../contract.ts'
import { lookOfMail } from '../service.ts'

const dns = await openNameServer({})
const house = await useHouse({ settings: { CHANCERY_NAME_SERVERS: dns.address } })
afterAll(() => dns.close())

const { configs, change, remove } = branding.calls
let acme: TestTenancy
let ada: TestPerson
let grace: TestPerson

async function prove(by: TestPerson, name: string) {
  const { id } = await by.call(domains.calls.add, { name })
  const { recordName, proofText } = await by.call(domains.calls.read, { id })
  dns.names.set(recordName, [{ type: 'TXT', value: proofText }])
  await by.call(domains.calls.check, { id })
  return id
}

beforeAll(async () => {
  await house.tenancy('Management')
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  grace = (await house.tenancy('Globex')).administrator
  const id = await prove(ada, 'acme.test')
  await ada.call(domains.calls.change, { id, includesSubdomains: true })
})

/** A black square. */
const logo = `data:image/png;base64,${createCanvas(8, 8).toBuffer('image/png').toString('base64')}`

type Sent = { method?: string; headers?: Record<string, string>; body?: string }

/** A request to the house under another host name, as a browser sends it there. */
const at = (host: string, path: string, { method = 'GET', headers = {}, body }: Sent = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request({ host: 'localhost', port: new URL(house.origin).port, path, method, headers: { ...headers, host } }, (answer) =>
      text(answer).then((said) => resolve({ status: answer.statusCode ?? 0, body: said }), reject),
    )
    asked.on('error', reject).end(body)
  })

describe('A host of a proved domain', () => {
  test('has its own look before sign-in, while another host has that of the installation', async () => {
    const look = { domain: 'PKI.acme.test', altAppName: 'Acme Trust', primaryColour: '#b00020' }
    await ada.call(change, look)
    expect((await ada.call(configs, { OID: acme.id })).configs).toMatchObject([{ domain: 'pki.acme.test', proved: true, icon: '' }])
    const own = await at('pki.acme.test:8443', sessions.calls.bootstrap.path)
    expect(JSON.parse(own.body).tenancy).toMatchObject({ name: 'Acme Trust', bannerColour: '#b00020' })
    expect(JSON.parse((await at('pki.acme.test', branding.calls.ofHost.path)).body)).toMatchObject({ altAppName: 'Acme Trust' })
    for (const host of ['other.acme.test', 'evil-acme.test', 'localhost', 'pki.acme.test.evil.test']) {
      expect(JSON.parse((await at(host, sessions.calls.bootstrap.path)).body).tenancy.name).toBe('Management')
      expect(JSON.parse((await at(host, branding.calls.ofHost.path)).body)).toEqual({})
    }
  })

  test('shows the terms of its tenancy before sign-in, and another host does not', async () => {
    await ada.call(tenancy.calls.change, { name: 'Acme', bannerColour: '#1f6feb', disclaimer: 'Authorised use only.' })
    const said = async (host: string, path: string) => JSON.parse((await at(host, path)).body).disclaimer
    const { bootstrap, disclaimer } = sessions.calls
    expect([await said('pki.acme.test', bootstrap.path), await said('other.test', bootstrap.path)]).toEqual([
      'Authorised use only.',
      undefined,
    ])
    expect([await said('pki.acme.test', disclaimer.path), await said('other.test', disclaimer.path)]).toEqual(['Authorised use only.', ''])
  })

  test('shows its own people its look at each step, and people of another tenancy theirs', async () => {
    await ada.call(change, { domain: 'steps.acme.test', altAppName: 'Acme Trust', primaryColour: '#b00020', icon: logo })
    const stepAt = async (host: string, by: TestPerson, username: string) => {
      const names = { givenName: 'Ida', familyName: 'Rhodes', emailAddress: `${username}@example.org` }
      const { activationLink } = await by.call(users.calls.add, { username, ...names })
      const body = JSON.stringify({ token: activationLink.replace(/^.*\//, '') })
      const { path } = sessions.calls.readActivation
      return JSON.parse((await at(host, path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).body).brand
    }
    expect(await stepAt('steps.acme.test', ada, 'ida.steps')).toMatchObject({
      name: 'Acme Trust',
      bannerColour: '#b00020',
      look: { icon: expect.stringMatching(/^data:image/) as string },
    })
    expect(await stepAt('localhost', ada, 'ida.local')).toMatchObject({ name: 'Acme', bannerColour: '#1f6feb', look: {} })
    expect(await stepAt('steps.acme.test', grace, 'ida.guest')).toMatchObject({ name: 'Globex', look: {} })
  })

  test('may send changes to itself, and a page of another host may not', async () => {
    const from = (origin: string, host: string) =>
      at(host, sessions.calls.logout.path, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: '{}',
      })
    expect((await from('http://pki.acme.test', 'pki.acme.test')).status).toBe(200)
    expect((await from('http://pki.acme.test', 'localhost')).status).toBe(403)
    expect((await from('http://www.acme.test', 'www.acme.test')).status).toBe(403)
    expect((await from('https://pki.acme.test', 'pki.acme.test')).status).toBe(403)
  })

  test('keeps its logo where a change brings none, and loses it where it is taken away', async () => {
    const look = { domain: 'logo.acme.test', altAppName: 'Logo', primaryColour: '#123456' }
    await ada.call(change, { ...look, icon: logo })
    await ada.call(change, { ...look, altAppName: 'Again' })
    const find = async () => (await ada.call(configs, {})).configs.find(({ domain }) => domain === 'logo.acme.test')
    expect(await find()).toMatchObject({ altAppName: 'Again', icon: expect.stringMatching(/^data:image\/png;base64,/) })
    await ada.call(change, { ...look, icon: '' })
    expect(await find()).toMatchObject({ icon: '' })
    await ada.call(remove, { domain: 'logo.acme.test' })
    expect(await find()).toBeUndefined()
  })

  test('gives mail its name and colours', async () => {
    const look = await withTenancy(house.house, acme.id, lookOfMail)
    expect(look).toMatchObject({ altAppName: 'Acme Trust', primaryColour: '#b00020' })
    expect(await ada.call(mail.calls.settings, {})).toMatchObject({ senderName: '' })
  })
})

describe('A look is refused', () => {
  const wrong = (more: Record<string, string>) =>
    ada.call(change, { domain: 'pki.acme.test', altAppName: 'Acme', primaryColour: '#123456', ...more })

  test.each([
    [{ primaryColour: 'url(https://evil.test/x)' }, 'primaryColour'],
    [{ primaryColour: '#12345' }, 'primaryColour'],
    [{ primaryColour: 'red;background:url(//evil.test)' }, 'primaryColour'],
    [{ secondaryColour: '#ffd400', tertiaryColour: '#ffffff' }, 'tertiaryColour'],
    [{ secondaryColour: '#ffd400' }, 'tertiaryColour'],
    [{ tertiaryColour: '#ffffff' }, 'secondaryColour'],
    [{ icon: 'data:image/svg+xml;base64,PHN2Zy8+' }, 'icon'],
    [{ icon: 'data:image/png;base64,AAAA' }, 'icon'],
    [{ icon: 'https://evil.test/x.png' }, 'icon'],
    [{ altAppName: 'Acme\u202e' }, 'altAppName'],
  ])('%o, at %s', async (more, field) => {
    await expect(wrong(more)).rejects.toMatchObject({ status: 400, fields: [{ field }] })
  })

  test('for a host whose domain another tenancy, or nobody, has proved', async () => {
    for (const host of ['pki.acme.test', 'globex.test'])
      await expect(grace.call(change, { domain: host, altAppName: 'Globex' })).rejects.toMatchObject({ status: 409, code: 'notProved' })
    await expect(grace.call(configs, { OID: acme.id })).rejects.toMatchObject({ status: 404 })
  })

  test('and the domain stays while a host of it has one', async () => {
    const found = (await ada.call(domains.calls.search, { text: 'acme.test' })).rows[0]
    await expect(ada.call(domains.calls.remove, { id: found?.id ?? '' })).rejects.toMatchObject({ status: 409, code: 'inUse' })
  })
})
