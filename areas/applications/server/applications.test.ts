import { beforeAll, describe, expect, test } from 'vitest'
import { configuration } from '#areas/configuration/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { mayStill } from '#areas/sessions/rights.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { caller, type Caller } from '#core/testing/caller.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { applications } from '../contract.ts'

const house = await useHouse({ background: true })
const { search, read, add, change, rotate, removeSecret, remove } = applications.calls
const hour = 3_600_000
const day = 24 * hour
let acme: TestTenancy
let globex: TestTenancy
let ada: TestPerson
/** The same administrator in a browser, proved a moment ago. */
let browser: Caller

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  globex = await house.tenancy('Globex')
  ada = acme.administrator
})

const proved = async () => (browser = await ada.session())
const program = (secret: string) => caller(house.origin, { authorization: `Bearer ${secret}` })
const outcome = (by: Caller, call: typeof users.calls.search | typeof roles.calls.search = users.calls.search) =>
  by.call(call, {}).then(
    () => 200,
    ({ status }: { status: number }) => status,
  )
let count = 0
async function make(
  more: { scopes?: string[]; networks?: string[]; endsAt?: string; owner?: { kind: 'person' | 'role'; id: string } } = {},
) {
  await proved()
  return browser.call(add, { name: `Program ${(count += 1)}`, owner: { kind: 'person', id: ada.id }, scopes: ['userView'], ...more })
}

describe('An application', () => {
  test('does what its scopes say and nothing besides, under its own name', async () => {
    const { id, secret } = await make({ scopes: ['userView', 'tenancyConfig'] })
    expect(secret).toMatch(/^cha_/)
    expect(await outcome(program(secret))).toBe(200)
    expect(await outcome(program(secret), roles.calls.search)).toBe(403)
    await expect(program(secret).call(sessions.calls.searchTokens, {})).rejects.toMatchObject({ status: 403 })
    await program(secret).call(configuration.calls.change, { key: 'requestSizeLimit', value: 10_240 })
    const written = (await audited(house, acme.id)).find(({ area }) => area === 'configuration')
    expect(written).toMatchObject({ actor: 'Program 1 (application)', actor_id: id })
    expect(await ada.call(read, { id })).toMatchObject({
      state: 'active',
      lastUsedAt: expect.any(String),
      secrets: [{ lastUsedFrom: expect.any(String) }],
    })
    expect(JSON.stringify(await ada.call(read, { id }))).not.toContain(secret)
  })

  test('goes on when the password changes and the account of its maker is disabled, and those who manage applications are told', async () => {
    const maker = await acme.person({ permissions: ['applications', 'userView'] })
    const session = await maker.session()
    const { id, secret } = await session.call(add, { name: 'Outlives', owner: { kind: 'person', id: maker.id }, scopes: ['userView'] })
    await ada.call(users.calls.setEnabled, { id: maker.id, enabled: false })
    expect(await outcome(maker)).toBe(401)
    expect(await outcome(program(secret))).toBe(200)
    await expect
      .poll(async () => (await ada.call(mail.calls.outbox, { size: 100 })).rows.map(({ subject }) => subject))
      .toContain('Applications need another owner')
    await expect(ada.call(users.calls.remove, { id: maker.id })).rejects.toMatchObject({ status: 409 })
    await proved()
    await browser.call(remove, { id })
    expect(await outcome(program(secret))).toBe(401)
  })

  test('is judged again by its secret and its end, where work goes on after what it asked for', async () => {
    const { id, secret } = await make({ endsAt: new Date(house.clock.now().getTime() + 60 * day).toISOString() })
    const facts = { id: '', address: '127.0.0.1', userAgent: '', idempotencyKey: '', cookies: {}, bearer: secret, secure: false }
    const viewer = await findViewer(facts, house.house, house.clock.now())
    const still = (at = house.clock.now()) =>
      inTenant(house.house.database, acme.id, async (db) => viewer !== undefined && mayStill(db, viewer, { needs: 'userView' }, at))
    expect(await still()).toBe(true)
    expect(await still(new Date(house.clock.now().getTime() + 61 * day))).toBe(false)
    const [kept] = (await ada.call(read, { id })).secrets
    await browser.call(removeSecret, { id, secretId: kept?.id ?? '' })
    expect(await still()).toBe(false)
  })

  test('is rotated with an overlap, after which the earlier secret ends, and a secret is revoked at once', async () => {
    const { id, secret: first } = await make()
    const { secret: second } = await browser.call(rotate, { id })
    expect([await outcome(program(first)), await outcome(program(second))]).toEqual([200, 200])
    house.clock.advance(25 * hour)
    expect([await outcome(program(first)), await outcome(program(second))]).toEqual([401, 200])
    await proved()
    const { secret: third } = await browser.call(rotate, { id, overlapHours: 0 })
    expect([await outcome(program(second)), await outcome(program(third))]).toEqual([401, 200])
    const secrets = (await ada.call(read, { id })).secrets
    expect(secrets).toHaveLength(1)
    await browser.call(removeSecret, { id, secretId: secrets[0]?.id ?? '' })
    expect(await outcome(program(third))).toBe(401)
  })

  test('that is held to networks works from nowhere else, and stands among the restricted', async () => {
    const { id, secret } = await make({ networks: ['198.51.100.0/24'] })
    expect(await outcome(program(secret))).toBe(401)
    expect((await ada.call(search, { state: 'restricted' })).rows.map((row) => row.id)).toContain(id)
    const {
      version: _version,
      state: _state,
      owner,
      lastUsedAt: _used,
      addedAt: _added,
      secrets: _secrets,
      ...rest
    } = await ada.call(read, { id })
    const draft = { ...rest, owner: { kind: owner.kind, id: owner.id } }
    await browser.call(change, { ...draft, networks: ['127.0.0.0/8', '::1'] })
    expect(await outcome(program(secret))).toBe(200)
    await browser.call(change, { ...draft, networks: [], enabled: false })
    expect(await outcome(program(secret))).toBe(401)
    expect((await ada.call(search, { state: 'inactive' })).rows.map((row) => row.id)).toContain(id)
    await expect(browser.call(change, { ...draft, networks: ['300.0.0.0/8'] })).rejects.toMatchObject({ fields: [{ field: 'networks.0' }] })
    await expect(browser.call(change, { ...draft, version: 1 })).rejects.toMatchObject({ code: 'conflict' })
  })

  test.each(['person', 'role'] as const)('whose %s can sign in no more is told of to those who manage applications', async (kind) => {
    const manager = await acme.person({ permissions: ['applications'], emailAddress: `manager-${kind}@example.org` })
    const gone = await acme.person({ permissions: [] })
    const { id: roleId } = await ada.call(roles.calls.add, { name: `Nobody’s ${kind}`, description: '', view: [], menu: [], api: [] })
    const endsAt = new Date(house.clock.now().getTime() + 5 * day).toISOString()
    const { id } = await make({ endsAt, owner: { kind, id: kind === 'person' ? gone.id : roleId } })
    const { name } = await ada.call(read, { id })
    await ada.call(users.calls.setEnabled, { id: gone.id, enabled: false })
    await house.runJob(applications.jobs.ends)
    const { rows } = await ada.call(mail.calls.outbox, { text: `manager-${kind}@example.org` })
    expect(rows.map(({ subject }) => subject)).toContain(`The application ${name} ends soon`)
    await ada.call(users.calls.setEnabled, { id: manager.id, enabled: false })
  })

  test('ends at its end, its owner told 30, 7 and 1 days before, each once', async () => {
    const owner = await acme.person({ permissions: [], emailAddress: 'owner@example.org' })
    const roleId = (await ada.call(users.calls.read, { id: owner.id })).roles[0]?.id ?? ''
    const endsAt = new Date(house.clock.now().getTime() + 31 * day).toISOString()
    const { secret } = await make({ endsAt, owner: { kind: 'role', id: roleId } })
    const mails = async () => (await ada.call(mail.calls.outbox, { size: 200 })).rows.filter(({ to }) => to === 'owner@example.org').length
    const after = async (days: number) => {
      house.clock.advance(days * day)
      await house.runJob(applications.jobs.ends)
      await house.runJob(applications.jobs.ends)
      return mails()
    }
    expect([await after(0), await after(2), await after(22), await after(6), await outcome(program(secret))]).toEqual([0, 1, 2, 3, 200])
    house.clock.advance(2 * day)
    expect(await outcome(program(secret))).toBe(401)
    expect(await after(0)).toBe(4)
  })
})

describe('Nobody', () => {
  test('gives an application more than they may do, or gets the secret of one that may do more', async () => {
    const { id } = await make({ scopes: ['userView', 'roleView'] })
    const clerk = await acme.person({ permissions: ['applications', 'userView'] })
    const session = await clerk.session()
    const draft = { name: 'Mine', owner: { kind: 'person' as const, id: clerk.id }, scopes: ['roleView'] }
    await expect(session.call(add, draft)).rejects.toMatchObject({ status: 403, code: 'beyond' })
    await expect(session.call(rotate, { id })).rejects.toMatchObject({ status: 403, code: 'beyond' })
    await expect(session.call(change, { ...draft, scopes: ['userView'], id, enabled: true })).rejects.toMatchObject({ code: 'beyond' })
    await expect(session.call(add, { ...draft, scopes: ['everything'] })).rejects.toMatchObject({ status: 403 })
  })

  test('makes one with a token, without fresh proof, for an owner elsewhere, or under a disguised name', async () => {
    const draft = { name: 'Refused', owner: { kind: 'person' as const, id: ada.id }, scopes: ['userView'] }
    await expect(ada.call(add, draft)).rejects.toMatchObject({ status: 403, code: 'session_needed' })
    await proved()
    await expect(browser.call(add, { ...draft, owner: { kind: 'person', id: globex.administrator.id } })).rejects.toMatchObject({
      code: 'unknownOwner',
    })
    await expect(browser.call(add, { ...draft, name: 'Refused\u202e' })).rejects.toMatchObject({ fields: [{ field: 'name' }] })
    await expect(browser.call(add, { ...draft, endsAt: new Date(0).toISOString() })).rejects.toMatchObject({ code: 'endsInThePast' })
    house.clock.advance(10 * 60_000)
    await expect(browser.call(add, draft)).rejects.toMatchObject({ status: 403, code: 'proof_needed' })
  })

  test('of another tenancy sees or changes one', async () => {
    const { id } = await make()
    const stranger = await globex.administrator.session()
    await expect(stranger.call(read, { id })).rejects.toMatchObject({ status: 404 })
    await expect(stranger.call(rotate, { id })).rejects.toMatchObject({ status: 404 })
    await expect(stranger.call(remove, { id })).rejects.toMatchObject({ status: 404 })
    expect((await stranger.call(search, {})).total).toBe(0)
  })
})
