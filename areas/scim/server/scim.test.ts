import { beforeAll, describe, expect, test } from 'vitest'
import { applications } from '#areas/applications/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { Caller } from '#core/testing/caller.ts'
import { audited } from '#core/testing/events.ts'
import { noonOfYesterday, useHouse, type TestTenancy } from '#core/testing/house.ts'
import { scim } from '../contract.ts'
import { asker, connectedClient, type ScimClient } from './client.fixture.ts'

const house = await useHouse({ background: true, now: noonOfYesterday() })
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
let acme: TestTenancy
let globex: TestTenancy
let browser: Caller
let entra: ScimClient
let other: ScimClient

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  globex = await house.tenancy('Globex')
  browser = await acme.administrator.session()
  entra = await connectedClient(acme, house.origin, { browser })
  other = await connectedClient(globex, house.origin)
})

let count = 0
const nextName = () => `person${(count += 1)}@acme.example`
const draft = (more: object = {}, userName = nextName()) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  externalId: `ext-${userName}`,
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ value: userName, type: 'work', primary: true }],
  active: true,
  ...more,
})
const make = async (more: object = {}, client = entra) => {
  const { status, body } = await client.ask('POST', '/Users', draft(more))
  expect(status).toBe(201)
  return String(body['id'])
}
const patch = (id: string, ...Operations: unknown[]) => entra.ask('PATCH', id, { schemas: [patchSchema], Operations })
const makeGroup = async (displayName: string, members: readonly string[] = []) => {
  const { status, body } = await entra.ask('POST', '/Groups', { displayName, members: members.map((value) => ({ value })) })
  expect(status).toBe(201)
  return String(body['id'])
}
const found = async (filter: string, kind = 'Users') => {
  const { status, body } = await entra.ask('GET', `/${kind}?filter=${encodeURIComponent(filter)}`)
  return status === 200 ? Number(body['totalResults']) : `${status} ${String(body['scimType'])}`
}

describe('An identity provider', () => {
  test('makes a person, finds, changes, replaces and disables them, with tags', async () => {
    const made = await entra.ask('POST', '/Users', draft({ title: 'Admiral' }))
    const id = String(made.body['id'])
    expect(made).toMatchObject({
      status: 201,
      body: { userName: expect.stringContaining('@acme.example'), active: true, title: 'Admiral' },
    })
    expect(made.headers.get('location')).toMatch(new RegExp(`/scim/v2/Users/${id}$`))
    expect(made.headers.get('content-type')).toMatch('application/scim+json')
    const etag = made.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"/)
    expect((await entra.ask('GET', `/Users/${id}`, undefined, { 'if-none-match': etag })).status).toBe(304)
    // The sign-in name ends with the tenancy's suffix, so that it tells of nobody elsewhere.
    expect(await acme.administrator.call(users.calls.read, { id })).toMatchObject({
      givenName: 'Grace',
      title: 'Admiral',
      username: expect.stringMatching(/^person1@/),
    })
    const changed = await patch(`/Users/${id}`, { op: 'Replace', path: 'name.givenName', value: 'Amazing' })
    expect(changed).toMatchObject({ status: 200, body: { name: { givenName: 'Amazing', familyName: 'Hopper' } } })
    expect((await entra.ask('PUT', `/Users/${id}`, draft(), { 'if-match': etag })).status).toBe(412)
    const replaced = await entra.ask('PUT', `/Users/${id}`, draft({ title: undefined }), { 'if-match': changed.headers.get('etag') ?? '' })
    expect(replaced.status).toBe(200)
    expect(replaced.body).not.toHaveProperty('title')
    expect((await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })).body).toMatchObject({ active: false })
    expect((await acme.administrator.call(users.calls.read, { id })).enabled).toBe(false)
    expect((await patch(`/Users/${id}`, { op: 'replace', value: { active: true } })).body).toMatchObject({ active: true })
    expect((await entra.ask('DELETE', `/Users/${id}`)).status).toBe(204)
    expect((await entra.ask('GET', `/Users/${id}`)).status).toBe(404)
    expect((await acme.administrator.call(users.calls.read, { id })).enabled).toBe(false)
    const events = (await audited(house, acme.id)).filter(({ area, about }) => area === 'scim' && about === id).map(({ name }) => name)
    expect(events).toEqual(expect.arrayContaining(['linked', 'updated', 'removed']))
  })

  test('gets the same account back when it sends somebody again whom it deleted, address untouched', async () => {
    const name = nextName()
    const id = String((await entra.ask('POST', '/Users', draft({}, name))).body['id'])
    await entra.ask('DELETE', `/Users/${id}`)
    const again = await entra.ask('POST', '/Users', draft({ emails: [{ value: 'thief@evil.example' }] }, name))
    expect(again).toMatchObject({ status: 201, body: { id, active: true, emails: [{ value: name }] } })
  })

  test('pages from 1, asks for a number alone, leaves attributes out, and finds by filters', async () => {
    const [name, mobile] = [nextName(), [{ type: 'mobile', value: '+61 400' }]]
    const id = String((await entra.ask('POST', '/Users', draft({ phoneNumbers: mobile, name: { familyName: 'Zuse' } }, name))).body['id'])
    expect(await found(`userName eq "${name.toUpperCase()}"`)).toBe(1)
    expect(await found(`externalId eq "ext-${name}"`)).toBe(1)
    expect(await found(`emails[type eq "work" and value eq "${name}"]`)).toBe(1)
    expect(await found(`emails.value eq "${name}" and active eq true and not (name.familyName ne "zuse")`)).toBe(1)
    expect(await found(`id eq "${id}" and meta.lastModified gt "2020-01-01T00:00:00Z" and name.familyName sw "zu"`)).toBe(1)
    expect(await found('userName eq "nobody@acme.example"')).toBe(0)
    expect(await found('userName eq "a" or 1=1--')).toBe('400 invalidFilter')
    expect(await found('medicalDeviceType pr')).toBe('400 invalidFilter')
    expect(await found('password sw "a"')).toBe('400 invalidFilter')
    const page = await entra.ask('GET', '/Users?startIndex=0&count=1&attributes=userName,name.familyName')
    expect(page.body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [{ id: expect.any(String), userName: expect.any(String) }],
    })
    const [shown] = page.body['Resources'] as [Record<string, unknown>]
    expect(Object.keys(shown).toSorted()).toEqual(['id', 'name', 'schemas', 'userName'])
    expect((await entra.ask('GET', '/Users?count=0')).body).toMatchObject({ Resources: [], totalResults: expect.any(Number) })
    expect((await entra.ask('GET', `/Users/${id}?excludedAttributes=emails,name`)).body).not.toHaveProperty('emails')
    expect((await entra.ask('GET', '/Users?count=abc')).status).toBe(400)
  })

  test('searches by POST as well, with all that the address would say (RFC 7644 3.4.3)', async () => {
    const name = nextName()
    await entra.ask('POST', '/Users', draft({}, name))
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
    const search = (body: object, kind = 'Users') => entra.ask('POST', `/${kind}/.search`, { schemas, ...body })
    const page = await search({ filter: `userName eq "${name}"`, attributes: ['userName'], startIndex: 1, count: 5 })
    expect(page).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ userName: name }] } })
    const [shown] = page.body['Resources'] as [Record<string, unknown>]
    expect(Object.keys(shown).toSorted()).toEqual(['id', 'schemas', 'userName'])
    const [without] = (await search({ filter: `userName eq "${name}"`, excludedAttributes: ['emails'] })).body['Resources'] as [object]
    expect(without).not.toHaveProperty('emails')
    await makeGroup(`Searched ${name}`)
    const groups = await search({ filter: `displayName eq "searched ${name}"` }, 'Groups')
    expect(groups).toMatchObject({ status: 200, body: { totalResults: 1 } })
    const everywhere = async (body: object) => (await entra.ask('POST', '/.search', { schemas, ...body })).body
    expect(await everywhere({ filter: `displayName eq "searched ${name}"` })).toMatchObject({ totalResults: 1 })
    const [people, all] = [(await search({ count: 0 })).body, await everywhere({ count: 0 })]
    const first = await everywhere({ startIndex: Number(people['totalResults']), count: 2 })
    expect((first['Resources'] as { schemas: string[] }[]).map((one) => one.schemas[0]?.split(':').at(-1))).toEqual(['User', 'Group'])
    expect(Number(all['totalResults'])).toBeGreaterThan(Number(people['totalResults']))
    expect(await everywhere({ filter: 'nothing pr' })).toMatchObject({ status: '400', scimType: 'invalidFilter' })
    const wrong: [object | string, string][] = [
      ['{', 'invalidSyntax'],
      [{ filter: 7 }, 'invalidValue'],
      [{ attributes: 'userName' }, 'invalidValue'],
      [{ count: 'many' }, 'invalidValue'],
      [{ filter: 'password sw "a"' }, 'invalidFilter'],
    ]
    for (const [body, scimType] of wrong)
      expect((await entra.ask('POST', '/Users/.search', body)).body).toMatchObject({ status: '400', scimType })
    expect(await other.ask('POST', '/Users/.search', { schemas, filter: `userName eq "${name}"` })).toMatchObject({
      body: { totalResults: 0 },
    })
  })

  test('is told what the server can, and refused in the words of the protocol', async () => {
    expect((await entra.ask('GET', '/ServiceProviderConfig')).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
    })
    expect((await entra.ask('GET', '/ResourceTypes')).body).toMatchObject({ totalResults: 3 })
    expect((await entra.ask('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')).body).toMatchObject({ name: 'User' })
    const error = { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] }
    expect((await entra.ask('GET', '/Nothing')).body).toMatchObject({ ...error, status: '404' })
    expect((await entra.ask('POST', '/Users', '{')).body).toMatchObject({ ...error, status: '400', scimType: 'invalidSyntax' })
    expect((await entra.ask('POST', '/Users', { name: {} })).body).toMatchObject({
      scimType: 'invalidValue',
      detail: 'userName: a value is needed',
    })
    expect((await asker(house.origin, 'cha_nothing')('GET', '/Users')).body).toMatchObject({ ...error, status: '401' })
    const unconnected = await browser.call(applications.calls.add, {
      name: 'Unconnected',
      owner: { kind: 'person', id: acme.administrator.id },
      scopes: ['userView', 'userEdit'],
    })
    expect(await asker(house.origin, unconnected.secret)('GET', '/Users')).toMatchObject({ status: 403, body: error })
    expect(await asker(house.origin, unconnected.secret)('POST', '/Users', draft())).toMatchObject({ status: 403, body: error })
  })

  test('of another tenancy sees nobody, and an id of ours is as one that there is not', async () => {
    const id = await make()
    const group = await makeGroup(`Ours ${count}`, [id])
    const nobody = '/Users/0190b1d2-0000-7000-8000-000000000000'
    expect((await other.ask('GET', `/Users/${id}`)).text).toBe((await other.ask('GET', nobody)).text)
    expect((await other.ask('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] })).status).toBe(404)
    expect((await other.ask('DELETE', `/Groups/${group}`)).status).toBe(404)
    expect((await other.ask('GET', '/Users')).body).toMatchObject({ totalResults: 0 })
    // A name that lives elsewhere is nobody's business.
    const { body } = await entra.ask('GET', `/Users/${id}`)
    expect((await other.ask('POST', '/Users', draft({}, String(body['userName'])))).status).toBe(201)
  })

  test('takes over no account by its address, and changes nobody whom it did not make or get', async () => {
    const local = await acme.person({ permissions: ['certView'] })
    const { emailAddress } = await acme.administrator.call(users.calls.read, { id: local.id })
    expect(await entra.ask('POST', '/Users', draft({ emails: [{ value: emailAddress }] }))).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    })
    expect((await patch(`/Users/${local.id}`, { op: 'replace', path: 'active', value: false })).status).toBe(404)
    await browser.call(scim.calls.link, { sourceId: entra.id, userId: local.id, userName: 'linked@acme.example' })
    expect(await found('userName eq "linked@acme.example"')).toBe(1)
    expect((await patch(`/Users/${local.id}`, { op: 'replace', path: 'title', value: 'Linked' })).body).toMatchObject({ title: 'Linked' })
  })

  test('never disables the last administrator, and does no more than whoever answers for it', async () => {
    await browser.call(scim.calls.link, { sourceId: entra.id, userId: acme.administrator.id, userName: 'boss@acme.example' })
    const refused = await patch(`/Users/${acme.administrator.id}`, { op: 'replace', path: 'active', value: false })
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('Administrator role') } })
    expect((await acme.administrator.call(users.calls.read, { id: acme.administrator.id })).enabled).toBe(true)
    const officer = await acme.person({ permissions: ['ssoConfig', 'applications', 'userView', 'userAdd', 'userEdit'] })
    const weak = await connectedClient(acme, house.origin, { browser: await officer.session() })
    await expect(
      (await officer.session()).call(scim.calls.link, { sourceId: weak.id, userId: acme.administrator.id, userName: 'boss' }),
    ).rejects.toMatchObject({ status: 403 })
  })

  test('enables whom it disabled, and nobody whom somebody here disabled by hand', async () => {
    const id = await make()
    const enabled = async () => (await acme.administrator.call(users.calls.read, { id })).enabled
    const say = (active: boolean) => patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active })
    await say(false)
    await say(true)
    expect(await enabled()).toBe(true)
    await browser.call(users.calls.setEnabled, { id, enabled: false })
    expect((await say(true)).body).toMatchObject({ active: false })
    expect(await enabled()).toBe(false)
  })

  test('undoes nothing that an administrator decided after it', async () => {
    const name = nextName()
    const id = String((await entra.ask('POST', '/Users', draft({}, name))).body['id'])
    const enabled = async () => (await acme.administrator.call(users.calls.read, { id })).enabled
    const byHand = (wanted: boolean) => browser.call(users.calls.setEnabled, { id, enabled: wanted })
    const say = (active: boolean) => entra.ask('PUT', `/Users/${id}`, draft({ active }, name))
    await say(false)
    await byHand(true)
    await say(false)
    expect(await enabled()).toBe(true)
    await patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Clerk' })
    await byHand(false)
    await say(true)
    expect(await enabled()).toBe(false)
    await byHand(true)
    await say(false)
    expect(await enabled()).toBe(false)
  })

  test('takes away and disables when whoever answers for it has left, gives nothing, and gives again when somebody answers', async () => {
    const officer = await acme.person({ permissions: ['ssoConfig', 'applications', 'userView', 'userAdd', 'userEdit'] })
    const client = await connectedClient(acme, house.origin, { browser: await officer.session() })
    const person = async () => String((await client.ask('POST', '/Users', draft())).body['id'])
    const [a, b, c] = [await person(), await person(), await person()]
    const members = (...ids: string[]) => ids.map((value) => ({ value }))
    const { body } = await client.ask('POST', '/Groups', { displayName: 'Left', members: members(a, b) })
    const group = `/Groups/${String(body['id'])}`
    const { id: roleId } = await browser.call(roles.calls.add, { name: 'Helper', description: '', view: [], menu: [], api: ['userView'] })
    await (await officer.session()).call(scim.calls.setRoles, { groupId: String(body['id']), roleIds: [roleId] })
    const rolesNow = async (id: string) => (await acme.administrator.call(users.calls.read, { id })).roles.map((role) => role.name)
    await expect.poll(() => rolesNow(b)).toEqual(['Helper'])
    await browser.call(users.calls.setEnabled, { id: officer.id, enabled: false })
    const change = (op: string, id: string) => client.ask('PATCH', group, { Operations: [{ op, path: 'members', value: members(id) }] })
    expect(await change('add', c)).toMatchObject({ status: 403, body: { detail: expect.stringContaining('Disabled or gone is') } })
    expect(await client.ask('POST', '/Users', draft())).toMatchObject({ status: 403 })
    expect(await client.ask('PATCH', `/Users/${a}`, { Operations: [{ op: 'replace', path: 'title', value: 'x' }] })).toMatchObject({
      status: 403,
    })
    expect((await change('remove', a)).status).toBe(204)
    expect(await rolesNow(a)).toEqual([])
    const off = await client.ask('PATCH', `/Users/${a}`, { Operations: [{ op: 'replace', path: 'active', value: false }] })
    expect(off).toMatchObject({ status: 200, body: { active: false } })
    expect((await client.ask('DELETE', `/Users/${b}`)).status).toBe(204)
    expect(await acme.administrator.call(users.calls.read, { id: b })).toMatchObject({ enabled: false, roles: [] })
    await browser.call(scim.calls.connect, { id: client.id, invite: false })
    expect(await change('add', c)).toMatchObject({ status: 403, body: { detail: expect.stringContaining('made the secret') } })
    const { secret } = await browser.call(applications.calls.rotate, { id: client.id, overlapHours: 1 })
    const again = await asker(house.origin, secret)('PATCH', group, { Operations: [{ op: 'add', path: 'members', value: members(c) }] })
    expect(again.status).toBe(204)
    expect(await rolesNow(c)).toEqual(['Helper'])
  })

  test('does no more with a secret than whoever made it could do by hand', async () => {
    const client = await connectedClient(acme, house.origin, { browser })
    const ask = (secret: string) => asker(house.origin, secret)
    const person = async () => String((await client.ask('POST', '/Users', draft())).body['id'])
    const [a, b] = [await person(), await person()]
    const { body } = await client.ask('POST', '/Groups', { displayName: 'Guarded', members: [] })
    const auditor = (await acme.administrator.call(roles.calls.search, { size: 100 })).rows.find(({ name }) => name === 'Auditor')?.id ?? ''
    await browser.call(scim.calls.setRoles, { groupId: String(body['id']), roleIds: [auditor] })
    const officer = await acme.person({ permissions: ['applications', 'userView', 'userAdd', 'userEdit'] })
    const { secret } = await (await officer.session()).call(applications.calls.rotate, { id: client.id, overlapHours: 1 })
    const add = (id: string) => ({ Operations: [{ op: 'add', path: 'members', value: [{ value: id }] }] })
    expect(await ask(secret)('PATCH', `/Groups/${String(body['id'])}`, add(a))).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('made the secret') },
    })
    expect((await ask(client.secret)('PATCH', `/Groups/${String(body['id'])}`, add(b))).status).toBe(204)
    // Connecting anew does not hand the rights of who does it to whoever knows the secret.
    await browser.call(scim.calls.connect, { id: client.id, invite: false })
    expect((await ask(secret)('PATCH', `/Users/${b}`, { Operations: [{ op: 'replace', path: 'title', value: 'x' }] })).status).toBe(403)
  })

  test('stops with its application, and what it sent stands in the journal without passwords', async () => {
    const client = await connectedClient(acme, house.origin, { browser })
    const name = nextName()
    await client.ask('POST', '/Users', draft({ password: 'Secret-of-Okta-1' }, name))
    await client.ask('POST', '/Users', draft({}, name))
    const paths = ['password', 'Password', 'urn:ietf:params:scim:schemas:core:2.0:User:password']
    for (const path of paths) {
      const Operations = [
        { op: 'replace', Path: path, Value: 'Secret-of-Okta-1' },
        { op: 'replace', path, value: 'Secret-of-Okta-1' },
        { op: 'add', value: { [path]: 'Secret-of-Okta-1' } },
      ]
      await client.ask('PATCH', `/Users/${crypto.randomUUID()}`, { schemas: [patchSchema], Operations })
    }
    const { rows } = await acme.administrator.call(scim.calls.journal, { sourceId: client.id })
    expect(rows.slice(paths.length).map(({ status, method, path }) => [status, method, path])).toEqual([
      [409, 'POST', '/Users'],
      [201, 'POST', '/Users'],
    ])
    expect(JSON.stringify(rows)).not.toContain('Secret-of-Okta-1')
    await browser.call(applications.calls.remove, { id: client.id })
    expect((await client.ask('GET', '/Users')).status).toBe(401)
    await expect
      .poll(async () => (await acme.administrator.call(scim.calls.search, { size: 100 })).rows.map(({ id }) => id))
      .not.toContain(client.id)
  })
})

describe('A group', () => {
  test('gains and loses members in all forms, also by `value` beside the path', async () => {
    const [a, b, c] = [await make(), await make(), await make()]
    const id = await makeGroup(`Forms ${a}`, [a])
    const members = async () => {
      const { body } = await entra.ask('GET', `/Groups/${id}`)
      return ((body['members'] ?? []) as { value: string }[]).map(({ value }) => value).toSorted()
    }
    const etag = (await entra.ask('GET', `/Groups/${id}`)).headers.get('etag')
    expect((await patch(`/Groups/${id}`, { op: 'Add', path: 'members', value: [{ value: b }, { value: c }] })).status).toBe(204)
    expect(await members()).toEqual([a, b, c].toSorted())
    expect((await entra.ask('GET', `/Groups/${id}`)).headers.get('etag')).not.toBe(etag)
    await patch(`/Groups/${id}`, { op: 'Remove', path: 'members', value: [{ value: a }] })
    expect(await members()).toEqual([b, c].toSorted())
    await patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${b}"]` })
    expect(await members()).toEqual([c])
    await patch(`/Groups/${id}`, { op: 'replace', value: { displayName: `Renamed ${a}`, members: [{ value: a }] } })
    expect(await members()).toEqual([a])
    await patch(`/Groups/${id}`, { op: 'remove', path: 'members' })
    expect(await members()).toEqual([])
    expect((await entra.ask('GET', `/Users/${a}`)).body).not.toHaveProperty('groups')
    expect((await patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: crypto.randomUUID() }] })).body).toMatchObject({
      scimType: 'invalidValue',
    })
    expect(await found(`displayName eq "renamed ${a}" and members eq "${a}"`, 'Groups')).toBe(0)
    expect(await found(`displayName eq "renamed ${a}"`, 'Groups')).toBe(1)
    const listed = await entra.ask('GET', '/Groups?excludedAttributes=members')
    expect(JSON.stringify(listed.body)).not.toContain('"members"')
  })

  test('is answered after a PATCH where its client names attributes (RFC 7644 3.5.2), and refers to people as the standard says', async () => {
    const person = await make()
    const id = await makeGroup(`Told ${person}`, [person])
    const body = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'externalId', value: 'told' }] }
    const told = await entra.ask('PATCH', `/Groups/${id}?attributes=externalId`, body)
    expect([told.status, told.body]).toEqual([200, { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], id, externalId: 'told' }])
    const { body: schema } = await entra.ask('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group')
    const attributes = schema['attributes'] as { name: string; subAttributes?: { name: string; mutability: string }[] }[]
    const parts = attributes.find(({ name }) => name === 'members')?.subAttributes ?? []
    expect(parts.map(({ name, mutability }) => [name, mutability])).toEqual([
      ['value', 'immutable'],
      ['$ref', 'immutable'],
      ['type', 'immutable'],
    ])
  })

  test('is refused where its keys are no paths, or it goes through all members too often', async () => {
    const id = await makeGroup(`Bounded ${crypto.randomUUID()}`)
    expect((await patch(`/Groups/${id}`, { op: 'add', value: { [`urn:${':user:'.repeat(50_000)}\n`]: 1 } })).body).toMatchObject({
      scimType: 'invalidPath',
    })
    const all = Array.from({ length: 5 }, () => ({ op: 'replace', path: 'members', value: [] }))
    expect((await patch(`/Groups/${id}`, ...all)).body).toMatchObject({ scimType: 'invalidValue' })
    expect((await entra.ask('POST', '/Users', draft({ title: 'x'.repeat(300_000) }))).status).toBe(413)
  })

  test('gives roles by a mapping alone, also a group called Administrator; a removed mapping takes them away', async () => {
    const id = await make()
    const group = await makeGroup('Administrator', [id])
    const rolesNow = async () => (await acme.administrator.call(users.calls.read, { id })).roles.map(({ name }) => name)
    expect(await rolesNow()).toEqual([])
    const all = (await acme.administrator.call(roles.calls.search, { size: 100 })).rows
    const auditor = all.find(({ name }) => name === 'Auditor')?.id ?? ''
    const requester = all.find(({ name }) => name === 'Requester')?.id ?? ''
    expect(await acme.administrator.call(scim.calls.previewRoles, { groupId: group, roleIds: [auditor] })).toMatchObject({
      gain: 1,
      lose: 0,
    })
    expect(await browser.call(scim.calls.setRoles, { groupId: group, roleIds: [auditor] })).toEqual({ people: 1 })
    await expect.poll(rolesNow).toEqual(['Auditor'])
    const late = await make()
    await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: late }] })
    expect((await acme.administrator.call(users.calls.read, { id: late })).roles).toMatchObject([{ name: 'Auditor' }])
    await patch(`/Groups/${group}`, { op: 'remove', path: 'members', value: [{ value: late }] })
    expect((await acme.administrator.call(users.calls.read, { id: late })).roles).toEqual([])
    await browser.call(scim.calls.setRoles, { groupId: group, roleIds: [requester] })
    await expect.poll(rolesNow).toEqual(['Requester'])
    expect((await entra.ask('DELETE', `/Groups/${group}`)).status).toBe(204)
    expect(await rolesNow()).toEqual([])
    const officer = await acme.person({ permissions: ['ssoConfig'] })
    const next = await makeGroup(`Held ${id}`)
    await expect((await officer.session()).call(scim.calls.setRoles, { groupId: next, roleIds: [auditor] })).rejects.toMatchObject({
      status: 403,
    })
  })

  test('does not lose more than 50 members with one request, and whoever answers is told', async () => {
    const ids: string[] = []
    for (let at = 0; at < 51; at += 1) ids.push(await make({ active: false }))
    const group = await makeGroup(`Many ${ids[0]}`, ids)
    for (const request of [
      () => patch(`/Groups/${group}`, { op: 'remove', path: 'members' }),
      () => entra.ask('PUT', `/Groups/${group}`, { displayName: 'Emptied' }),
    ])
      expect(await request()).toMatchObject({ status: 403, body: { detail: expect.stringContaining('would lose 51 members') } })
    expect((await entra.ask('GET', `/Groups/${group}`)).body['members']).toHaveLength(51)
    await expect
      .poll(async () => (await acme.administrator.call(mail.calls.outbox, { size: 100 })).rows.map(({ subject }) => subject))
      .toContainEqual(expect.stringContaining('was held back'))
    expect(
      (await patch(`/Groups/${group}`, { op: 'remove', path: 'members', value: ids.slice(0, 50).map((value) => ({ value })) })).status,
    ).toBe(204)
  })
})

test('A day is tried again without changing anything, and says what would come out otherwise', async () => {
  const client = await connectedClient(acme, house.origin, { browser })
  const name = nextName()
  const id = String((await client.ask('POST', '/Users', draft({}, name))).body['id'])
  await client.ask('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'title', value: 'Doctor' }] })
  const before = await client.ask('GET', `/Users/${id}`)
  const today = house.clock.now().toISOString().slice(0, 10)
  const tried = await browser.call(scim.calls.replay, { sourceId: client.id, day: today })
  expect(tried.requests).toBe(2)
  expect(tried.different.map(({ before: earlier, now }) => [earlier.slice(0, 3), now.slice(0, 3)])).toEqual([
    ['201', '409'],
    ['200', '200'],
  ])
  expect((await client.ask('GET', `/Users/${id}`)).text).toBe(before.text)
})

// The last, because it moves the clock beyond the sessions of the others.
test('A role that was refused stays due, is told once, and is given when it may be', async () => {
  const client = await connectedClient(acme, house.origin, { browser })
  const id = String((await client.ask('POST', '/Users', draft())).body['id'])
  const { body } = await client.ask('POST', '/Groups', { displayName: 'Refused', members: [{ value: id }] })
  const [low, high] = [
    await browser.call(roles.calls.add, { name: 'Low', description: '', view: [], menu: [], api: ['userView'] }),
    await browser.call(roles.calls.add, { name: 'High', description: '', view: [], menu: [], api: ['manageCAs'] }),
  ]
  const { username, givenName, familyName, emailAddress } = await browser.call(users.calls.read, { id })
  await browser.call(users.calls.change, { id, username, givenName, familyName, emailAddress, roleIds: [high.id] })
  const officer = await acme.person({ permissions: ['ssoConfig', 'userView', 'userAdd', 'userEdit'] })
  const rolesNow = async () => (await browser.call(users.calls.read, { id })).roles.map((role) => role.name).toSorted()
  await (await officer.session()).call(scim.calls.setRoles, { groupId: String(body['id']), roleIds: [low.id] })
  const told = async () =>
    (await browser.call(scim.calls.journal, { sourceId: client.id })).rows.filter(({ method }) => method === 'ROLES').length
  await expect.poll(told).toBe(1)
  await browser.call(users.calls.change, { id, username, givenName, familyName, emailAddress, roleIds: [] })
  await house.runJob(scim.jobs.settle)
  expect(await rolesNow()).toEqual([])
  house.clock.advance(2 * 3_600_000)
  await house.runJob(scim.jobs.settle)
  const again = await acme.administrator.session()
  expect((await again.call(users.calls.read, { id })).roles).toMatchObject([{ name: 'Low' }])
  const { rows } = await again.call(scim.calls.journal, { sourceId: client.id })
  expect(rows.filter(({ method }) => method === 'ROLES')).toHaveLength(1)
})

test('What is nested or long beyond measure is refused, and stands in the journal with the reason', async () => {
  const deep = `{"displayName":"x","members":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
  const wide = `{"displayName":"x","members":[${'[],'.repeat(400_000)}[]]}`
  for (const body of [deep, wide])
    expect(await entra.ask('POST', '/Groups', body)).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } })
  const { rows } = await acme.administrator.call(scim.calls.journal, { sourceId: entra.id })
  expect(rows.slice(0, 2).map(({ effect }) => effect)).toEqual([
    'The JSON holds more than 100000 values',
    'The JSON is nested deeper than 32 levels',
  ])
})

test('A group of thousands leaves the beginning of what was sent in the journal', async () => {
  const members = Array.from({ length: 4_000 }, () => ({ value: crypto.randomUUID() }))
  await entra.ask('POST', '/Groups', { displayName: 'Large', members })
  const { rows } = await acme.administrator.call(scim.calls.journal, { sourceId: entra.id })
  expect(rows[0]?.body).toContain('"displayName":"Large","members":[{"value":"')
})

test('A filter with what no row can hold is refused in the words of the protocol', async () => {
  for (const filter of [
    'userName eq "a\\u0000b"',
    'title co "\\ud800"',
    'meta.created gt "-271821-04-20T00:00:00Z"',
    'meta.created lt "+275760-09-13T00:00:00Z"',
  ])
    expect([filter, await found(filter)]).toEqual([filter, '400 invalidFilter'])
  expect(await found('meta.created gt "0001-01-01T00:00:00Z"')).toBeTypeOf('number')
})
