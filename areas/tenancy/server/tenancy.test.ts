import { describe, expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { openSession } from '#areas/sessions/service.ts'
import { setup } from '#areas/setup/contract.ts'
import { users } from '#areas/users/contract.ts'
import { hashPassword, storeHash } from '#areas/users/passwords.ts'
import { permissions, type Permission } from '#core/contract/permission-labels.ts'
import { inTenant } from '#core/server/database.ts'
import { forgeryToken } from '#core/server/steps/forgery.ts'
import { browser, type Browser } from '#core/testing/browser.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { tenancy } from '../contract.ts'
import { addPublicAddress, addTenancy, findPublicAddress } from '../service.ts'

const house = await useHouse()
const head = await house.tenancy('Head office')
const branch = await house.tenancy('Branch')
const sibling = await house.tenancy('Sibling')

const settings = (name: string) => ({ name, bannerColour: '#1f6feb', supportEmail: '', disclaimer: '', toastTimeout: '', timeZone: 'UTC' })

async function inSession(person: TestPerson): Promise<Browser> {
  const { secret } = await inTenant(house.house.database, person.tenantId, (db) =>
    openSession(
      db,
      { tenantId: person.tenantId, userId: person.id, stage: 'open', strong: true, address: '', userAgent: '' },
      house.clock.now(),
    ),
  )
  const page = browser(house.origin)
  page.cookies.set('chancery-session', secret)
  page.cookies.set('XSRF-TOKEN', forgeryToken(secret))
  return page
}

describe('The settings of a tenancy', () => {
  test('are its own', async () => {
    await branch.administrator.call(tenancy.calls.change, {
      ...settings('Branch'),
      bannerColour: '#a40e26',
      supportEmail: 'help@branch.example',
      timeZone: 'Europe/London',
      disclaimer: 'Mind\nthe gap',
    })
    expect(await branch.administrator.call(tenancy.calls.read, {})).toMatchObject({
      id: branch.id,
      kind: 'tenant',
      bannerColour: '#a40e26',
      timeZone: 'Europe/London',
      disclaimer: 'Mind\nthe gap',
    })
    expect(await sibling.administrator.call(tenancy.calls.read, {})).toMatchObject({
      id: sibling.id,
      name: 'Sibling',
      bannerColour: '#1f6feb',
      supportEmail: '',
    })
    const [event] = (await audited(house, branch.id)).filter((one) => one.area === 'tenancy')
    expect(JSON.parse(event?.body ?? '')).toEqual({ fields: ['bannerColour', 'supportEmail', 'disclaimer', 'timeZone'] })
  })

  test('cannot take the name of another tenancy, however it is written', async () => {
    await expect(branch.administrator.call(tenancy.calls.change, settings('SIBLING'))).rejects.toMatchObject({
      status: 409,
      code: 'nameTaken',
      fields: [{ field: 'name' }],
    })
    await expect(branch.administrator.call(tenancy.calls.change, settings('bRANCH'))).resolves.toEqual({})
    await branch.administrator.call(tenancy.calls.change, settings('Branch'))
  })

  test.each([
    ['bannerColour', 'red'],
    ['bannerColour', '#12345'],
    ['bannerColour', '#123456;background:url(//evil)'],
    ['supportEmail', 'nobody'],
    ['timeZone', 'Mars/Olympus'],
    ['name', '   '],
    ['name', 'Bad\u0007bell'],
    ['name', 'Acme \u202egnitset'],
    ['name', 'Ac\u200bme'],
    ['name', 'x'.repeat(101)],
    ['disclaimer', 'x'.repeat(4001)],
    ['disclaimer', 'Bell\u0007'],
    ['usernamePattern', 'x'.repeat(201)],
    ['usernameMessage', 'x'.repeat(201)],
  ])('refuse as %s the value "%s"', async (field, value) => {
    await expect(branch.administrator.call(tenancy.calls.change, { ...settings('Branch'), [field]: value })).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field }],
    })
  })
})

describe('The managed tenancies', () => {
  test('are listed to those of the tenancy that manages them, and to nobody else', async () => {
    expect((await head.administrator.call(tenancy.calls.managed, {})).rows.map(({ name }) => name)).toEqual(['Branch', 'Sibling'])
    expect((await head.administrator.call(tenancy.calls.managed, { text: 'IBL' })).rows.map(({ name }) => name)).toEqual(['Sibling'])
    expect(await branch.administrator.call(tenancy.calls.managed, {})).toMatchObject({ rows: [], total: 0 })
  })

  test('can be worked in by switching, with one’s own account at home all the while', async () => {
    const page = await inSession(head.administrator)
    await expect(page.call(users.calls.read, { id: branch.administrator.id })).rejects.toMatchObject({ status: 404 })
    await page.call(sessions.calls.switchTenancy, { tenantId: branch.id })
    expect((await page.call(users.calls.read, { id: branch.administrator.id })).username).toBe(branch.administrator.username)
    expect((await page.call(tenancy.calls.read, {})).id).toBe(branch.id)
    await expect(page.call(users.calls.read, { id: sibling.administrator.id })).rejects.toMatchObject({ status: 404 })
    await expect(page.call(users.calls.read, { id: head.administrator.id })).rejects.toMatchObject({ status: 404 })
    const { id } = await page.call(roles.calls.add, { name: 'Made from afar', description: '' })
    expect((await branch.administrator.call(roles.calls.read, { id })).name).toBe('Made from afar')
    const hash = await hashPassword(house.house, 'correct horse battery staple')
    await inTenant(house.house.database, head.id, (db) => storeHash(db, head.id, head.administrator.id, hash, house.clock.now()))
    const made = await page.call(sessions.calls.addToken, { name: 'at home', days: 1, password: 'correct horse battery staple' })
    expect((await page.call(sessions.calls.searchTokens, {})).rows.map((row) => row.id)).toContain(made.id)
    const [event] = (await audited(house, branch.id)).filter((one) => one.about === id)
    expect(event).toMatchObject({ actor: `${head.administrator.username} (Head office)`, actor_id: head.administrator.id })
    await page.call(sessions.calls.switchTenancy, { tenantId: head.id })
    expect((await page.call(tenancy.calls.read, {})).id).toBe(head.id)
  })

  test('are out of reach for one who does not manage them: to a sibling, upwards, to a stranger, to nowhere', async () => {
    const stranger = await addTenancy(
      house.house.database,
      { name: 'Stranger', kind: 'tenant', managedBy: undefined, bannerColour: '#1f6feb' },
      house.clock.now(),
    )
    const attempts: [TestPerson, string][] = [
      [branch.administrator, sibling.id],
      [branch.administrator, head.id],
      [head.administrator, stranger],
      [branch.administrator, stranger],
      [head.administrator, '018f0000-0000-7000-8000-000000000001'],
      [head.administrator, '00000000-0000-0000-0000-000000000000'],
    ]
    for (const [person, tenantId] of attempts) {
      const page = await inSession(person)
      await expect(page.call(sessions.calls.switchTenancy, { tenantId })).rejects.toMatchObject({ status: 404, code: 'missing' })
      expect((await page.call(tenancy.calls.read, {})).id).toBe(person.tenantId)
    }
  })

  test('are not entered by a token', async () => {
    await expect(head.administrator.call(sessions.calls.switchTenancy, { tenantId: branch.id })).rejects.toMatchObject({
      status: 404,
      code: 'missing',
    })
  })

  test('give one who has little at home no more abroad', async () => {
    const page = await inSession(await head.person({ permissions: ['tenancyConfig'] }))
    await page.call(sessions.calls.switchTenancy, { tenantId: branch.id })
    expect((await page.call(tenancy.calls.read, {})).id).toBe(branch.id)
    await expect(page.call(users.calls.search, {})).rejects.toMatchObject({ status: 403, code: 'denied' })
  })
})

describe('Without the right to configure the own tenancy', () => {
  test('nobody enters a managed one, nor is shown it', async () => {
    const everything = Object.keys(permissions) as Permission[]
    const page = await inSession(await head.person({ permissions: everything.filter((name) => name !== 'tenancyConfig') }))
    await expect(page.call(sessions.calls.switchTenancy, { tenantId: branch.id })).rejects.toMatchObject({ status: 403, code: 'denied' })
    expect((await page.call(sessions.calls.bootstrap, {})).viewer?.managed).toEqual([])
    await expect(page.call(users.calls.read, { id: branch.administrator.id })).rejects.toMatchObject({ status: 404 })
  })

  test('one who had entered is back at home', async () => {
    const ada = await head.person({ permissions: ['tenancyConfig', 'userView'] })
    const page = await inSession(ada)
    await page.call(sessions.calls.switchTenancy, { tenantId: branch.id })
    expect((await page.call(sessions.calls.bootstrap, {})).viewer?.managed.map(({ id }) => id)).toEqual([head.id, branch.id, sibling.id])
    await expect(page.call(users.calls.read, { id: branch.administrator.id })).resolves.toBeDefined()
    await house.asOwner(`update roles set api = array['userView'] where name = 'Role of ${ada.username}'`)
    await expect(page.call(users.calls.read, { id: branch.administrator.id })).rejects.toMatchObject({ status: 404 })
    await expect(page.call(users.calls.read, { id: head.administrator.id })).resolves.toBeDefined()
  })

  test('a tab that still shows another tenancy changes and reads nothing', async () => {
    const page = await inSession(head.administrator)
    await page.call(sessions.calls.switchTenancy, { tenantId: branch.id })
    const stale = { 'x-chancery-tenancy': head.id }
    await expect(page.call(roles.calls.add, { name: 'Meant for home', description: '' }, stale)).rejects.toMatchObject({
      status: 409,
      code: 'other_tenancy',
    })
    await expect(page.call(roles.calls.search, {}, stale)).rejects.toMatchObject({ status: 409, code: 'other_tenancy' })
    await expect(
      page.call(roles.calls.add, { name: 'Meant for here', description: '' }, { 'x-chancery-tenancy': branch.id }),
    ).resolves.toBeDefined()
    await page.call(sessions.calls.switchTenancy, { tenantId: head.id }, stale)
    expect((await page.call(roles.calls.search, { text: 'meant' })).rows).toEqual([])
  })

  test.each(['/api2/PKI-v1/CertificatesExport', '/api2/Monitoring-v1/ExportAuditEvents'])(
    'and takes no file of the other home from %s, nor does an address that is opened by itself',
    async (path) => {
      const page = await inSession(head.administrator)
      await page.call(sessions.calls.switchTenancy, { tenantId: branch.id })
      const asked = async (headers: Record<string, string>) => {
        const response = await page.fetch(path, { headers })
        return { status: response.status, code: response.ok ? await response.text().then(() => '') : Object(await response.json()).code }
      }
      expect(await asked({ 'x-chancery-tenancy': head.id })).toEqual({ status: 409, code: 'other_tenancy' })
      expect(await asked({})).toEqual({ status: 409, code: 'other_tenancy' })
      expect(await asked({ 'x-chancery-tenancy': branch.id })).toEqual({ status: 200, code: '' })
    },
  )
})

describe('A new tenancy', () => {
  const draft = (name: string, username: string) => ({
    name,
    administrator: { username, givenName: 'First', familyName: 'Administrator', emailAddress: `${username}@example.org` },
  })

  test('is made by the management tenancy alone', async () => {
    await expect(branch.administrator.call(setup.calls.addTenancy, draft('Offshoot', 'offshoot'))).rejects.toMatchObject({
      status: 403,
      code: 'notManagement',
    })
  })

  test('has no name that reads otherwise than it is written', async () => {
    for (const name of ['Acme \u202egnitset', 'Ac\u200bme'])
      await expect(head.administrator.call(setup.calls.addTenancy, draft(name, 'disguised'))).rejects.toMatchObject({
        status: 400,
        code: 'invalid',
        fields: [{ field: 'name' }],
      })
  })

  test('is told all that is wrong with it at once', async () => {
    const wrong = { ...draft('Branch', branch.administrator.username), domain: 'no domain' }
    await expect(head.administrator.call(setup.calls.addTenancy, wrong)).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [
        { field: 'domain', says: 'Enter a domain such as example.com' },
        { field: 'name', says: 'A tenancy with this name exists' },
        { field: 'administrator.username', says: 'This username is taken' },
      ],
    })
  })

  test('comes with one administrator, whose link opens that tenancy and no other', async () => {
    const made = await head.administrator.call(setup.calls.addTenancy, draft('Outpost', 'outpost.admin'))
    const visitor = browser(house.origin)
    expect(await visitor.call(sessions.calls.readActivation, { token: made.activationLink.replace(/^.*\//, '') })).toMatchObject({
      usable: true,
      username: 'outpost.admin',
      givenName: 'First',
      tenancyName: 'Outpost',
    })
    const [event] = (await audited(house, head.id)).filter((one) => one.about === made.oid)
    expect(event).toMatchObject({ area: 'setup', name: 'tenancyAdded' })
  })

  test('has a name and an administrator’s name that nobody has, though five ask at once', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, at) => head.administrator.call(setup.calls.addTenancy, draft('Race', `race${at}`))),
    )
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'made' : outcome.reason.code)).sort()).toEqual([
      'made',
      'nameTaken',
      'nameTaken',
      'nameTaken',
      'nameTaken',
    ])
    await expect(head.administrator.call(setup.calls.addTenancy, draft('Ghost', branch.administrator.username))).rejects.toMatchObject({
      status: 409,
      code: 'usernameTaken',
      fields: [{ field: 'administrator.username' }],
    })
    expect((await head.administrator.call(tenancy.calls.managed, { text: 'ghost' })).rows).toEqual([])
  })
})

test('a public address leads to what it was made for, and to nothing under another kind', async () => {
  const target = '018f0000-0000-7000-8000-0000000000aa'
  const id = await addPublicAddress(house.house.database, { tenantId: branch.id, kind: 'door', target })
  expect(id).toMatch(/^[\w][\w-]{11}$/)
  expect(await findPublicAddress(house.house.database, 'door', id)).toEqual({ tenantId: branch.id, target })
  for (const [kind, wrong] of [
    ['window', id],
    ['door', id.toUpperCase() === id ? id.toLowerCase() : id.toUpperCase()],
    ['door', ''],
    ['door', `${id} `],
  ])
    expect(await findPublicAddress(house.house.database, kind ?? '', wrong ?? '')).toBeUndefined()
})

describe('A management tenancy', () => {
  const viewerOf = async (person: TestPerson) => (await (await inSession(person)).call(sessions.calls.bootstrap, {})).viewer
  const add = (name: string, managedBy: string) =>
    addTenancy(house.house.database, { name, kind: 'tenant', managedBy, bannerColour: '#1f6feb' }, house.clock.now())

  test('is one that manages more than one tenancy, whichever it is', async () => {
    const holding = await house.tenancy('Holding')
    const seen = async () => {
      const viewer = await viewerOf(holding.administrator)
      return [viewer?.permission.isManager, viewer?.management]
    }
    expect(await seen()).toEqual([false, false])
    const first = await add('First daughter', holding.id)
    expect(await seen()).toEqual([false, false])
    await add('Second daughter', holding.id)
    expect(await seen()).toEqual([true, true])
    const page = await inSession(holding.administrator)
    await page.call(sessions.calls.switchTenancy, { tenantId: first })
    expect((await page.call(tenancy.calls.read, {})).id).toBe(first)
    expect((await viewerOf(head.administrator))?.permission.isManager).toBe(true)
    expect((await viewerOf(branch.administrator))?.permission.isManager).toBe(false)
  })
})
