import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, refusal, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { verifySignature } from '#standards/x509/algorithms.ts'
import { keys } from '../contract.ts'
import { makeKey } from '../places.ts'
import { signWithKey } from '../service.ts'
import { letGoOfAll, processOf } from './held-tokens.ts'
import { openSoftHsm, type SoftHsm } from './pkcs11/softhsm.fixture.ts'
import { tables } from './store.ts'

const { calls } = keys

let hsm: SoftHsm
let house: TestHouse
let acme: TestTenancy
let ada: TestPerson
let eve: TestPerson

beforeAll(async () => {
  hsm = openSoftHsm()
  for (const label of ['first', 'second', 'third']) hsm.token(label, '246810')
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: `${hsm.modulePath}, /usr/lib/absent.so` } })
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: 'all' })
  eve = await (await house.tenancy('Globex')).person({ permissions: 'all' })
})
afterAll(async () => {
  await house.close()
  hsm.close()
})

const rowOf = (tokenId: string) =>
  inTenant(house.house.database, acme.id, (db) =>
    tables(db).selectFrom('key_tokens').selectAll().where('id', '=', tokenId).executeTakeFirst(),
  )
async function register(who: TestPerson, label: string, pin: string, name = label) {
  const { modules } = await who.call(calls.found, {})
  const found = modules.find(({ tokens }) => tokens.length > 0)
  return who.call(calls.register, {
    name,
    module: found?.module ?? '',
    label,
    serial: found?.tokens.find((token) => token.label === label)?.serial ?? '',
    pin,
  })
}

test('The modules of the installation say which tokens they see, and why not', async () => {
  const { modules } = await ada.call(calls.found, {})
  expect(modules.map(({ module, tokens, problem }) => [module, tokens.map(({ label }) => label).sort(), problem])).toEqual([
    ['libsofthsm2.so', ['first', 'second', 'third'], ''],
    ['absent.so', [], 'the PKCS#11 module cannot be loaded'],
  ])
})

describe('A token', () => {
  test('is registered with its PIN, which nobody finds in the database', async () => {
    const { tokenId } = await register(ada, 'first', '246810')
    expect(await ada.call(calls.view, { tokenId })).toMatchObject({ label: 'first', state: 'available', keys: 0, model: 'SoftHSM v2' })
    expect((await ada.call(calls.list, {})).rows.map(({ name }) => name)).toEqual(['first'])
    const row = await rowOf(tokenId)
    expect(row?.sealed.includes('246810')).toBe(false)
  })

  test('is not registered with a wrong PIN, nor twice, nor by a path that the installation does not allow', async () => {
    expect(await refusal(register(ada, 'second', '999999'))).toMatchObject({
      status: 400,
      fields: [{ field: 'pin', says: 'The token refused its PIN' }],
    })
    expect(await refusal(register(ada, 'first', '246810', 'again'))).toMatchObject({ status: 409, code: 'taken' })
    expect(await refusal(register(ada, 'second', '246810', 'FIRST'))).toMatchObject({
      status: 409,
      code: 'nameTaken',
      fields: [{ field: 'name', says: 'Another token has this name' }],
    })
    expect(
      await refusal(ada.call(calls.register, { name: 'x', module: '/usr/lib/evil.so', label: 'first', serial: '1', pin: '1' })),
    ).toMatchObject({ fields: [{ field: 'module' }] })
    expect((await ada.call(calls.list, {})).rows).toHaveLength(1)
  })

  test("of one tenancy is nobody else's: no PIN of another is tried on it", async () => {
    const [{ id: tokenId } = { id: '' }] = (await ada.call(calls.list, {})).rows
    expect(await refusal(register(eve, 'first', '000000'))).toMatchObject({ status: 409, code: 'taken' })
    for (const call of [calls.view, calls.check, calls.keysOn, calls.remove])
      expect(await refusal(eve.call(call, { tokenId }))).toMatchObject({ status: 404, code: 'missing' })
    expect(await refusal(eve.call(calls.change, { tokenId, name: 'mine', pin: '000000' }))).toMatchObject({ status: 404 })
    expect(await ada.call(calls.check, { tokenId })).toEqual({ state: 'available' })
  })

  test('is removed while no key in use lives on it', async () => {
    const { tokenId } = await register(ada, 'third', '246810')
    const made = await makeKey(house.house, { tenantId: acme.id, tokenId, algorithm: 'P-256', label: 'kept' })
    const keyId = await inTenant(house.house.database, acme.id, (db) => made.keep(db, house.clock.now()))
    expect((await ada.call(calls.keysOn, { tokenId })).keys).toMatchObject([{ label: 'kept', algorithm: 'P-256', inUse: true }])
    expect(await refusal(ada.call(calls.remove, { tokenId }))).toMatchObject({ status: 409, code: 'inUse' })
    await house.asOwner(`delete from keys where id = '${keyId}'`)
    await ada.call(calls.remove, { tokenId })
    expect(await refusal(ada.call(calls.view, { tokenId }))).toMatchObject({ status: 404 })
  })
})

describe('A PIN that was changed on the token', () => {
  test('is tried once and never again by itself, not after a restart either, until somebody gives the new one', async () => {
    const { tokenId } = await register(ada, 'second', '246810')
    const made = await makeKey(house.house, { tenantId: acme.id, tokenId, algorithm: 'P-256', label: 'second' })
    const keyId = await inTenant(house.house.database, acme.id, (db) => made.keep(db, house.clock.now()))
    const data = Buffer.from('what shall be signed')
    const sign = () => signWithKey(house.house, { tenantId: acme.id, keyId, algorithm: 'ecdsa-with-SHA256', data })
    expect(verifySignature('ecdsa-with-SHA256', made.spki, data, await sign())).toBe(true)

    // As after a restart: nothing is logged in, and the PIN in the row is wrong now.
    letGoOfAll(house.house)
    hsm.changePin('second', '246810', '777777')
    await expect(sign()).rejects.toThrow('The key of the authority is unavailable: the token refused its PIN')
    letGoOfAll(house.house)
    await house.runJob(keys.jobs.tokens)
    expect(await ada.call(calls.check, { tokenId })).toEqual({ state: 'pinRefused' })
    await expect(sign()).rejects.toMatchObject({ reason: 'pinRefused' })
    expect(processOf(house.house, tokenId)).toBeUndefined()

    expect(await ada.call(calls.change, { tokenId, name: 'second', pin: '777777' })).toEqual({ state: 'available' })
    expect(verifySignature('ecdsa-with-SHA256', made.spki, data, await sign())).toBe(true)
  })

  test('and a token that another key was put on under the same id is found out: what it signs is not believed', async () => {
    const [{ id: tokenId } = { id: '' }] = (await ada.call(calls.list, { text: 'second' })).rows
    const made = await makeKey(house.house, { tenantId: acme.id, tokenId, algorithm: 'P-256', label: 'one' })
    const other = await makeKey(house.house, { tenantId: acme.id, tokenId, algorithm: 'P-256', label: 'other' })
    const keyId = await inTenant(house.house.database, acme.id, (db) => made.keep(db, house.clock.now()))
    await house.asOwner(`update keys set spki = '\\x${Buffer.from(other.spki).toString('hex')}' where id = '${keyId}'`)
    await expect(
      signWithKey(house.house, { tenantId: acme.id, keyId, algorithm: 'ecdsa-with-SHA256', data: Buffer.of(1) }),
    ).rejects.toThrow('gave a wrong signature')
  })
})

describe('The process of a module', () => {
  test('that is killed is started again by the next signature, and the token stays available', async () => {
    const [{ id: tokenId } = { id: '' }] = (await ada.call(calls.list, { text: 'first' })).rows
    const made = await makeKey(house.house, { tenantId: acme.id, tokenId, algorithm: 'P-384', label: 'killed' })
    const keyId = await inTenant(house.house.database, acme.id, (db) => made.keep(db, house.clock.now()))
    const data = Buffer.from('again')
    const signing = signWithKey(house.house, { tenantId: acme.id, keyId, algorithm: 'ecdsa-with-SHA384', data })
    process.kill(processOf(house.house, tokenId) ?? 0, 'SIGKILL')
    expect(verifySignature('ecdsa-with-SHA384', made.spki, data, await signing)).toBe(true)
    expect(await ada.call(calls.view, { tokenId })).toMatchObject({ state: 'available' })
  })
})
