import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { fidosync } from '../contract.ts'
import { methodOf, openLittleProvider } from './provider.fixture.ts'

const little = await openLittleProvider()
const house = await useHouse({ settings: little.settings })
afterAll(() => little.close())

let acme: TestTenancy
let ada: TestPerson
let holder: TestPerson
const { search, get, mark, rename, remove, sync, provider, setProvider, testProvider } = fidosync.calls
const { jobs } = fidosync
const settings = {
  directoryId: 'contoso.onmicrosoft.com',
  clientId: 'chancery',
  loginUrl: little.origin,
  graphUrl: little.origin,
  enabled: true,
}

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  holder = await acme.person({ permissions: [], emailAddress: 'hal@acme.example', givenName: 'Hal', familyName: 'Holder' })
  await ada.call(setProvider, { ...settings, secret: little.provider.secret })
})

beforeEach(() => {
  little.provider.fault = undefined
  little.provider.asked = []
})

const readAll = async () => {
  await ada.call(sync, {})
  await house.runJob(jobs.sync)
}
let count = 0
/** A person with one key at the provider, read here. */
async function syncedKey(mail = `somebody${count}@elsewhere.example`) {
  const [personId, credentialId] = [`person-${(count += 1)}`, `key_${count}-A`]
  little.addPerson(personId, mail, methodOf(credentialId))
  await readAll()
  return { personId, credentialId }
}
const stateOf = async (credentialId: string) => (await ada.call(get, { credentialId })).state
const marked = async (mail?: string) => {
  const key = await syncedKey(mail)
  await ada.call(mark, { credentialId: key.credentialId, markedForDeletion: true })
  return key
}

describe('A sync', () => {
  test('brings what people have at the provider, with whose it is here', async () => {
    const { credentialId } = await syncedKey('HAL@acme.example')
    expect(await ada.call(get, { credentialId })).toMatchObject({
      credentialId,
      customName: '',
      markedForDeletion: false,
      providerName: 'Key of the desk',
      model: 'YubiKey 5 NFC',
      person: { id: holder.id, name: 'Hal Holder' },
      attestation: 'attested',
    })
    const { credentialId: other } = await syncedKey()
    expect((await ada.call(search, { unknown: true })).rows.map((row) => row.credentialId)).toEqual([other])
    expect(await ada.call(provider, {})).toMatchObject({ running: false, trouble: '', hasSecret: true })
    expect(JSON.stringify(await ada.call(provider, {}))).not.toContain(little.provider.secret)
  })

  test('reads 450 people in pages, 20 at a time, and waits where the provider asks for it', async () => {
    little.provider.pageSize = 200
    for (let at = 0; at < 450; at += 1) little.addPerson(`many-${at}`, `many${at}@elsewhere.example`, methodOf(`many_${at}`))
    const refused = new Set<string>()
    little.provider.fault = (asked) => {
      const isRefused = asked.includes('/many-7') && asked.includes('fido2Methods') && !refused.has(asked)
      if (!isRefused) return undefined
      refused.add(asked)
      return { status: 429, headers: { 'Retry-After': '0' } }
    }
    await readAll()
    expect((await ada.call(search, { text: 'many_' })).total).toBe(450)
    expect(refused.size).toBeGreaterThan(10)
    expect(little.provider.asked.filter((one) => one === 'GET /v1.0/users').length).toBeGreaterThanOrEqual(3)
    for (let at = 0; at < 450; at += 1) little.provider.people.delete(`many-${at}`)
  })

  test('that the provider stops goes on later where it was, and loses nothing meanwhile', async () => {
    const { credentialId } = await syncedKey()
    little.provider.fault = (asked) => (asked.includes('$batch') ? { status: 429, headers: { 'retry-after': '120' } } : undefined)
    await readAll()
    expect(await ada.call(provider, {})).toMatchObject({ running: true, trouble: 'The provider asks to wait 120 s' })
    expect(await stateOf(credentialId)).toBe('present')
    little.provider.fault = undefined
    little.provider.asked = []
    await house.runJob(jobs.sync)
    expect(little.provider.asked).toEqual([])
    house.clock.advance(121_000)
    await house.runJob(jobs.sync)
    expect(await ada.call(provider, {})).toMatchObject({ running: false, trouble: '' })
  })

  test('keeps name and mark, and tells of what the provider does not have any more', async () => {
    const { personId, credentialId } = await marked()
    await ada.call(rename, { credentialId, newCustomName: 'Reception' })
    await readAll()
    expect(await ada.call(get, { credentialId })).toMatchObject({
      customName: 'Reception',
      markedForDeletion: true,
      providerName: 'Key of the desk',
    })
    little.addPerson(personId, 'changed@elsewhere.example')
    await readAll()
    expect(await stateOf(credentialId)).toBe('gone')
    await expect(ada.call(mark, { credentialId, markedForDeletion: false })).rejects.toMatchObject({ status: 409, code: 'isGone' })
  })

  test.each<[string, { status: number; headers?: Record<string, string>; body?: unknown }, string]>([
    ['no JSON', { status: 200, body: '<html>' }, 'cannot be understood'],
    ['another shape', { status: 200, body: { value: 'all of them' } }, 'cannot be understood'],
    [
      'a next page at another address',
      { status: 200, body: { value: [], '@odata.nextLink': 'https://evil.example/v1.0/users' } },
      'another address',
    ],
    ['a redirect', { status: 302, headers: { location: 'https://evil.example/' } }, 'did not answer'],
    ['a refusal', { status: 403, body: {} }, 'UserAuthMethod-Passkey.ReadWrite.All'],
    ['a fault of its own', { status: 500, body: {} }, '500'],
  ])('ends with a reason where the provider answers %s', async (_name, answer, reason) => {
    little.provider.fault = (asked) => (asked.startsWith('GET /v1.0/users?') ? answer : undefined)
    await readAll()
    expect((await ada.call(provider, {})).trouble).toContain(reason)
    little.provider.fault = undefined
    await readAll()
    expect((await ada.call(provider, {})).trouble).toBe('')
  })

  test('leaves out ids that are no base64url, and cleans the words of strangers', async () => {
    little.addPerson(
      'odd',
      'odd@elsewhere.example',
      methodOf('a+b/c='),
      methodOf('odd_1', { displayName: 'Key\u0000\u202e of\nme', createdDateTime: 'soon' }),
    )
    await readAll()
    expect((await ada.call(search, { text: 'odd@' })).rows).toMatchObject([{ credentialId: 'odd_1', providerName: 'Key of me' }])
    await expect(ada.call(get, { credentialId: 'a+b/c=' })).rejects.toMatchObject({ status: 400, fields: [{ field: 'credentialId' }] })
  })
})

describe('A marked credential', () => {
  test('is deleted at the provider, once, and each step is on record', async () => {
    const { personId, credentialId } = await marked()
    const { id } = await ada.call(get, { credentialId })
    little.provider.asked = []
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => ada.call(remove, { credentialId })))
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true)
    expect(little.provider.people.get(personId)?.methods).toEqual([])
    expect(await stateOf(credentialId)).toBe('gone')
    const names = (await audited(house, acme.id)).filter(({ about }) => about === id).map(({ name }) => name)
    expect(names).toEqual(['marked', 'deletionBegan', 'deleted'])
  })

  test('is not deleted before it is marked, and a mark can be taken away', async () => {
    const { personId, credentialId } = await syncedKey()
    await expect(ada.call(remove, { credentialId })).rejects.toMatchObject({ status: 409, code: 'notMarked' })
    await ada.call(mark, { credentialId, markedForDeletion: true })
    await ada.call(mark, { credentialId, markedForDeletion: false })
    await expect(ada.call(remove, { credentialId })).rejects.toMatchObject({ code: 'notMarked' })
    expect(little.provider.people.get(personId)?.methods).toHaveLength(1)
  })

  test('counts as deleted where the provider does not know it any more, also when the person has left', async () => {
    const { personId, credentialId } = await marked()
    little.provider.people.delete(personId)
    await readAll()
    expect(await ada.call(get, { credentialId })).toMatchObject({ state: 'marked', left: true })
    expect(await ada.call(remove, { credentialId })).toEqual({ state: 'gone' })
  })

  test.each<[string, string, { status: number; headers?: Record<string, string> }]>([
    ['asks to wait', 'busy', { status: 429, headers: { 'retry-after': '90' } }],
    ['fails', 'unreachable', { status: 502 }],
  ])('is tried again until it is gone, where the provider %s', async (_name, code, answer) => {
    const { personId, credentialId } = await marked()
    little.provider.fault = (asked) => (asked.startsWith('DELETE') ? answer : undefined)
    await expect(ada.call(remove, { credentialId })).rejects.toMatchObject({ code })
    expect(await stateOf(credentialId)).toBe('deleting')
    await expect(ada.call(mark, { credentialId, markedForDeletion: false })).rejects.toMatchObject({ code: 'isDeleting' })
    little.provider.fault = undefined
    house.clock.advance(120_000)
    await house.runJob(jobs.deletions)
    expect(await stateOf(credentialId)).toBe('gone')
    expect(little.provider.people.get(personId)?.methods).toEqual([])
  })

  test('stays marked where the application may not delete, and the permission is named', async () => {
    const { credentialId } = await marked()
    little.provider.fault = (asked) => (asked.startsWith('DELETE') ? { status: 403 } : undefined)
    await expect(ada.call(remove, { credentialId })).rejects.toMatchObject({ code: 'permission' })
    expect(await ada.call(get, { credentialId })).toMatchObject({
      state: 'marked',
      trouble: expect.stringContaining('UserAuthMethod-Passkey.ReadWrite.All'),
    })
  })

  test('is not changed by who only looks, nor by who holds less than its person', async () => {
    const boss = await acme.person({ permissions: 'all', emailAddress: 'boss@acme.example' })
    const { credentialId } = await syncedKey('boss@acme.example')
    const looker = await acme.person({ permissions: ['viewFidoCredentials'] })
    const clerk = await acme.person({ permissions: ['viewFidoCredentials', 'userEdit'] })
    const draft = { credentialId, markedForDeletion: true }
    await expect(looker.call(mark, draft)).rejects.toMatchObject({ status: 403, code: 'denied' })
    await expect(clerk.call(mark, draft)).rejects.toMatchObject({ status: 403, code: 'beyond' })
    const unowned = { credentialId: (await syncedKey()).credentialId, markedForDeletion: true }
    await expect(clerk.call(mark, unowned)).rejects.toMatchObject({ status: 403, code: 'denied' })
    const connector = await acme.person({ permissions: ['viewFidoCredentials', 'userEdit', 'ssoConfig'] })
    await connector.call(mark, unowned)
    await boss.call(mark, draft)
    expect(await stateOf(credentialId)).toBe('marked')
  })

  test('of another tenancy is not there', async () => {
    const { credentialId } = await syncedKey()
    const stranger = (await house.tenancy('Globex')).administrator
    await expect(stranger.call(get, { credentialId })).rejects.toMatchObject({ status: 404 })
    await expect(stranger.call(mark, { credentialId, markedForDeletion: true })).rejects.toMatchObject({ status: 404 })
    expect(await stranger.call(provider, {})).toMatchObject({ directoryId: '', hasSecret: false, version: 0 })
    await expect(stranger.call(sync, {})).rejects.toMatchObject({ code: 'none' })
  })
})

describe('The provider', () => {
  test('is tested as it is saved', async () => {
    expect((await ada.call(testProvider, {})).people).toBeGreaterThan(0)
  })

  test('gets the secret again where it would go elsewhere, and is not reached at a closed address', async () => {
    await expect(ada.call(setProvider, { ...settings, graphUrl: `${little.origin}0` })).rejects.toMatchObject({ status: 400 })
    await expect(ada.call(setProvider, { ...settings, clientId: 'another' })).rejects.toMatchObject({ code: 'secretNeeded' })
    await expect(ada.call(setProvider, { ...settings, graphUrl: 'https://169.254.169.254', secret: 'x' })).rejects.toMatchObject({
      code: 'refusedGraph',
    })
    await expect(ada.call(setProvider, { ...settings, loginUrl: 'http://graph.test', secret: 'x' })).rejects.toMatchObject({
      code: 'refusedLogin',
    })
  })

  test('that refuses the secret says so', async () => {
    await ada.call(setProvider, { ...settings, secret: 'wrong' })
    await expect(ada.call(testProvider, {})).rejects.toMatchObject({ code: 'signIn' })
    await ada.call(setProvider, { ...settings, secret: little.provider.secret })
  })
})
