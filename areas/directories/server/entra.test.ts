import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { directories } from '../contract.ts'
import { defaultFilter, defaultMapping } from '../mapping.ts'
import { writeTexts, type WriteAction } from '../write-texts.ts'
import { domain, graphHost, loginHost, openLittleEntra } from './graph.fixture.ts'

const entra = await openLittleEntra()
const house = await useHouse({ settings: entra.settings })
const { add, change, plan, readPlan, approve, test: tryIt, planWrite, runWrite, listUsers } = directories.calls
let ada: TestPerson
let directoryId: string

const draft = () => ({
  name: 'Contoso',
  kind: 'entra' as const,
  host: graphHost,
  port: entra.port,
  security: 'ldaps' as const,
  roots: entra.certificate,
  bindDn: 'application-id',
  password: entra.state.secret,
  baseDn: 'tenant-id',
  filter: defaultFilter.entra,
  mapping: defaultMapping.entra,
  writable: true,
  peopleBase: domain,
  loginHost,
})
const { password: _, ...kept } = draft()

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  for (let at = 0; at < 25; at += 1) entra.add(`p${at}`)
  directoryId = (await ada.call(add, draft())).id
})
afterEach(() => void (entra.state.fault = undefined))
afterAll(() => entra.close())

const planned = async () => {
  const { planId } = await ada.call(plan, { directoryId })
  return { planId, ...(await ada.call(readPlan, { planId })) }
}
async function ran() {
  const { planId } = await planned()
  await ada.call(approve, { planId })
  await house.runJob(directories.jobs.run)
}
const found = async (text: string) => (await ada.call(users.calls.search, { text })).rows
const done = async (userId: string, action: WriteAction) => {
  const { id } = await ada.call(planWrite, { userId, directoryId, action })
  return ada.call(runWrite, { id })
}
const asks = async (work: () => Promise<unknown>) => {
  const before = entra.state.asked.length
  await work()
  return entra.state.asked.slice(before).filter((one) => !one.startsWith('POST /tenant-id'))
}

describe('Entra ID', () => {
  test('is tried, its plan is shown over all pages, and does exactly that; guests are left out', async () => {
    entra.add('guest', { userType: 'Guest' })
    expect((await ada.call(tryIt, { id: directoryId })).people[0]).toMatchObject({ name: 'Given p0', dn: `p0@${domain}` })
    expect(await planned()).toMatchObject({ total: 25, facets: { kind: { new: 25 } }, run: { status: 'planned', seen: 25 } })
    expect(await found(`p7@${domain}`)).toEqual([])
    await ran()
    expect(await found(`p7@${domain}`)).toMatchObject([{ givenName: 'Given', familyName: 'p7', status: 'invited' }])
    expect(await found(`guest@${domain}`)).toEqual([])
  })

  test('that says nobody was changed costs one question, and one that forgot where it was is read in full', async () => {
    expect(await planned()).toMatchObject({ total: 0, run: { seen: 25 } })
    expect(await asks(planned)).toEqual(['GET /v1.0/users/delta'])
    let stale = 0
    entra.state.fault = (asked) =>
      asked.includes('$deltatoken') && (stale += 1) > 0
        ? { status: 410, body: { error: { code: 'syncStateNotFound', message: 'Gone' } } }
        : undefined
    expect(await planned()).toMatchObject({ total: 0, run: { seen: 25 } })
    expect(stale).toBe(1)
  })

  test('tells field by field what changed, disables whom it disabled and whom it has no more, and enables again', async () => {
    const [p1, p2, p3] = ['p1', 'p2', 'p3'].map((name) => [...entra.accounts.values()].find(({ mailNickname }) => mailNickname === name))
    if (p1 === undefined || p2 === undefined || p3 === undefined) throw new Error('They are not there')
    entra.put({ ...p1, surname: 'Married' })
    entra.put({ ...p2, accountEnabled: false })
    const { rows } = await planned()
    expect(rows).toMatchObject([
      { kind: 'changed', fields: [{ name: 'familyName', here: 'p1', there: 'Married' }] },
      { kind: 'disabled', name: 'Given p2' },
    ])
    // A plan that was not run is planned again: what Graph told once is not forgotten.
    expect((await planned()).total).toBe(2)
    await ran()
    expect(await found(`p2@${domain}`)).toMatchObject([{ status: 'disabled' }])
    entra.put({ ...p2, accountEnabled: true })
    entra.remove(p3.id)
    expect((await planned()).facets).toEqual({ kind: { enabled: 1, missing: 1 } })
    await ran()
    expect(await found(`p2@${domain}`)).toMatchObject([{ status: 'invited' }])
    expect(await found(`p3@${domain}`)).toMatchObject([{ status: 'disabled' }])
    entra.put(p3)
    await ran()
  })

  test('that is busy is waited for, and that shows half of its people, fails on the way or leads elsewhere disables nobody', async () => {
    await ada.call(change, { id: directoryId, ...kept })
    let busy = 2
    entra.state.fault = (asked) =>
      asked.includes('/delta') && (busy -= 1) >= 0 ? { status: 429, headers: { 'retry-after': '0' } } : undefined
    expect(await planned()).toMatchObject({ total: 0, run: { seen: 25 } })
    expect(busy).toBeLessThan(0)
    const value = [...entra.accounts.values()].slice(0, 3)
    for (const [answer, says] of [
      [{ status: 429, headers: { 'retry-after': '600' } }, /busy.*600 seconds/],
      [{ status: 500 }, /not available/],
      [{ status: 403 }, /User\.Read\.All/],
      [{ status: 200, body: { value, '@odata.nextLink': 'https://evil.example/v1.0/users' } }, /another address/],
      [{ status: 200, body: 'nonsense' }, /cannot be read/],
    ] as const) {
      await ada.call(change, { id: directoryId, ...kept })
      entra.state.fault = (asked) => (asked.includes('/delta') ? answer : undefined)
      await expect(ada.call(plan, { directoryId })).rejects.toMatchObject({ code: 'unreachable', message: expect.stringMatching(says) })
    }
    // Pages without an end, each in good time.
    let pages = 0
    entra.state.fault = (asked) => {
      if (!asked.includes('/delta')) return undefined
      house.clock.advance(60_000)
      const next = `https://${graphHost}:${entra.port}/v1.0/users/delta?$skiptoken=${(pages += 1)}`
      return { status: 200, body: { value: [], '@odata.nextLink': next } }
    }
    await ada.call(change, { id: directoryId, ...kept })
    await expect(ada.call(plan, { directoryId })).rejects.toMatchObject({
      message: expect.stringContaining('Graph took longer than 12 minutes'),
    })
    entra.state.fault = (asked) => (asked.includes('/delta') ? { status: 200, body: { value } } : undefined)
    expect(await planned()).toMatchObject({ run: { status: 'held', reason: expect.stringMatching(/^3 of 25 people were seen/) } })
    expect(await found(`p9@${domain}`)).toMatchObject([{ status: 'invited' }])
  })

  test('whose secret is wrong, or of which an unknown property is asked, says so', async () => {
    const wrong = async (more: object) => {
      const { id } = await ada.call(add, { ...draft(), name: 'Wrong', ...more })
      const said = await ada.call(plan, { directoryId: id }).catch((error: unknown) => String(error))
      await ada.call(directories.calls.remove, { id })
      return said
    }
    expect(await wrong({ password: 'wrong' })).toMatch(/refused the application or its secret/)
    expect(await wrong({ mapping: { ...defaultMapping.entra, csn: 'nothing' } })).toMatch(/property named 'nothing'/)
    await expect(ada.call(add, { ...draft(), name: 'No domain', peopleBase: '' })).rejects.toMatchObject({ code: 'domainNeeded' })
    await expect(ada.call(change, { id: directoryId, ...kept, loginHost: graphHost })).rejects.toMatchObject({ code: 'passwordNeeded' })
  })

  test('gives roles by groups within groups that hold each other', async () => {
    const body = { name: 'Desk', description: '', view: [], menu: [], api: ['selfServicePortal'] }
    const { id: roleId } = await ada.call(roles.calls.add, body)
    const p5 = [...entra.accounts.values()].find(({ mailNickname }) => mailNickname === 'p5')?.id ?? ''
    entra.groups.set('all', ['desk'])
    entra.groups.set('desk', ['all', p5])
    await ada.call(change, { id: directoryId, ...kept, groupRoles: [{ group: 'all', roleId }] })
    await ran()
    const [{ id } = { id: '' }] = await found(`p5@${domain}`)
    expect((await ada.call(users.calls.read, { id })).roles).toMatchObject([{ name: 'Desk' }])
    entra.groups.clear()
    await expect(ada.call(plan, { directoryId })).rejects.toMatchObject({ message: expect.stringContaining('It does not exist') })
    await ada.call(change, { id: directoryId, ...kept })
  })

  test('lists people as it has them now; a quote in what is typed is a quote', async () => {
    entra.add('quote', { displayName: "O'Brien", mobilePhone: '0400' })
    expect((await ada.call(listUsers, { directoryId, text: "O'Br" })).users).toMatchObject([
      { distinguishedName: `quote@${domain}`, displayName: "O'Brien", uid: `quote@${domain}`, mobile: '0400' },
    ])
    for (const text of ["') or startswith(displayName,'G", '*'])
      expect((await ada.call(listUsers, { directoryId, text })).users).toEqual([])
  })
})

test('An account in Entra ID is made, changed, disabled, enabled and deleted as it was shown, each told in the specified words', async () => {
  const body = { username: 'grace', givenName: 'Grace', familyName: 'Hopper', emailAddress: `grace@${domain}` }
  const { id } = await ada.call(users.calls.add, body)
  const there = () => [...entra.accounts.values()].find(({ userPrincipalName }) => userPrincipalName === `grace@${domain}`)
  const shown = await ada.call(planWrite, { userId: id, directoryId, action: 'create' })
  expect(shown.changes).toContainEqual({ name: 'userPrincipalName', before: '', after: `grace@${domain}` })
  expect(there()).toBeUndefined()
  entra.state.fault = (asked) => (asked === 'POST /v1.0/users' ? { status: 400, body: { error: { message: 'No licence' } } } : undefined)
  expect(await ada.call(runWrite, { id: shown.id })).toMatchObject({ state: 'failed', says: 'Graph refused: No licence' })
  entra.state.fault = undefined
  expect(await done(id, 'create')).toMatchObject({ state: 'done', kind: 'entra' })
  expect(there()).toMatchObject({ accountEnabled: false, givenName: 'Grace', surname: 'Hopper', mail: `grace@${domain}` })
  await expect(done(id, 'create')).rejects.toMatchObject({ code: 'linked' })
  expect(await done(id, 'enable')).toMatchObject({ state: 'done' })
  expect(there()).toMatchObject({ accountEnabled: true })
  await ada.call(users.calls.change, { id, ...body, title: 'Admiral', telephoneNumber: '+61 2', roleIds: [] })
  expect(await done(id, 'update')).toMatchObject({ state: 'done' })
  expect(there()).toMatchObject({ jobTitle: 'Admiral', businessPhones: ['+61 2'] })
  await expect(done(id, 'update')).rejects.toMatchObject({ code: 'nothing' })
  const stale = await ada.call(planWrite, { userId: id, directoryId, action: 'disable' })
  const account = there()
  if (account !== undefined) entra.put({ ...account, accountEnabled: false })
  expect(await ada.call(runWrite, { id: stale.id })).toMatchObject({ state: 'failed', says: expect.stringContaining('otherwise now') })
  await done(id, 'enable')
  expect(await done(id, 'disable')).toMatchObject({ state: 'done' })
  expect(there()).toMatchObject({ accountEnabled: false })
  await expect(ada.call(planWrite, { userId: id, directoryId, action: 'join', target: 'all' })).rejects.toMatchObject({ code: 'notThere' })
  expect(await done(id, 'delete')).toMatchObject({ state: 'done' })
  expect(there()).toBeUndefined()
  await expect(done(id, 'disable')).rejects.toMatchObject({ code: 'notLinked' })
  expect(writeTexts.entra).toMatchObject({
    create: { done: 'The Entra ID user was successfully created', failed: 'Unable to create Entra ID user' },
    update: { done: 'The Entra ID user was successfully updated', failed: 'Unable to update Entra ID user' },
    enable: { done: 'The Entra ID user was successfully enabled', failed: 'Unable to enable Entra ID user' },
    disable: { done: 'The Entra ID user was successfully disabled', failed: 'Unable to disable Entra ID user' },
    delete: { done: 'The Entra ID user was successfully deleted', failed: 'Unable to delete Entra ID user' },
  })
})
