// One form, sent twice: a double click, a retry, a lost answer.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audited } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from './database.ts'

let house: TestHouse
let acme: TestTenancy
let ada: TestPerson

beforeAll(async () => {
  house = await openTestHouse()
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: 'all' })
})
afterAll(() => house.close())

const role = (name: string) => ({ name, description: '' })
const withKey = (key: string) => ({ 'idempotency-key': key })
const named = async (name: string) => (await ada.call(roles.calls.search, { text: name })).total
const kept = () =>
  inTenant(house.house.database, acme.id, async (db) => (await sql<{ key: string; answer: string; input_hash: string }>`select key, answer, input_hash from repeated_requests`.execute(db)).rows)

test('the same request with the same key has one effect, one record and the same answer', async () => {
  const first = await ada.call(roles.calls.add, role('Night watch'), withKey('form-00000001'))
  const second = await ada.call(roles.calls.add, role('Night watch'), withKey('form-00000001'))
  expect(second).toEqual(first)
  expect(await named('night watch')).toBe(1)
  expect((await audited(house, acme.id)).filter((event) => event.about === first.id)).toHaveLength(1)
})

test('ten at once have one effect and the same answer', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => ada.call(roles.calls.add, role('Day watch'), withKey('form-00000002'))))
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  expect(await named('day watch')).toBe(1)
})

test('another request with the same key is a conflict', async () => {
  await ada.call(roles.calls.add, role('Porter'), withKey('form-00000003'))
  await expect(ada.call(roles.calls.add, role('Porters'), withKey('form-00000003'))).rejects.toMatchObject({ status: 409, code: 'conflict' })
  await expect(ada.call(users.calls.add, { username: 'porter', givenName: 'Po', familyName: 'Rter', emailAddress: 'p@example.org' }, withKey('form-00000003'))).rejects.toMatchObject({ status: 409, code: 'conflict' })
  expect(await named('porters')).toBe(0)
})

test('the key of another person is another key, in this tenancy and in any other', async () => {
  const other = await acme.person({ permissions: 'all' })
  const stranger = (await house.tenancy('Globex')).administrator
  const mine = await ada.call(roles.calls.add, role('Cook'), withKey('form-00000004'))
  await expect(other.call(roles.calls.add, role('Baker'), withKey('form-00000004'))).resolves.not.toEqual(mine)
  await expect(stranger.call(roles.calls.add, role('Cook'), withKey('form-00000004'))).resolves.not.toEqual(mine)
})

test('a request that was refused may be mended and sent again under its key', async () => {
  await ada.call(roles.calls.add, role('Clerk'))
  await expect(ada.call(roles.calls.add, role('clerk'), withKey('form-00000005'))).rejects.toMatchObject({ code: 'nameTaken' })
  await expect(ada.call(roles.calls.add, role('Second clerk'), withKey('form-00000005'))).resolves.toHaveProperty('id')
})

test('an answer with a secret is not kept to be read', async () => {
  const draft = { username: 'lena', givenName: 'Lena', familyName: 'Invited', emailAddress: 'lena@example.org' }
  const { activationLink } = await ada.call(users.calls.add, draft, withKey('form-00000006'))
  expect((await ada.call(users.calls.add, draft, withKey('form-00000006'))).activationLink).toBe(activationLink)
  const token = activationLink.replace(/^.*\//, '')
  const rows = await kept()
  const row = rows.find(({ key }) => key === 'form-00000006')
  expect(row?.input_hash).toMatch(/^[0-9a-f]{64}$/)
  expect(row?.answer).toEqual(expect.any(String))
  for (const text of [row?.answer ?? '', Buffer.from(row?.answer ?? '', 'base64').toString('latin1')]) expect([text.includes(token), text.includes('lena')]).toEqual([false, false])
})

test('a key counts only while its permission holds', async () => {
  const cook = await acme.person({ permissions: ['roleAdd', 'roleView'] })
  await cook.call(roles.calls.add, role('Sous chef'), withKey('form-00000007'))
  await ada.call(users.calls.setEnabled, { id: cook.id, enabled: false })
  await expect(cook.call(roles.calls.add, role('Sous chef'), withKey('form-00000007'))).rejects.toMatchObject({ status: 401 })
})

test('answers are forgotten after a day', async () => {
  expect((await kept()).length).toBeGreaterThan(0)
  house.clock.advance(25 * 3_600_000)
  await ada.call(roles.calls.add, role('Late cook'), withKey('form-00000008'))
  await house.runJob('sessions.clean')
  expect((await kept()).map(({ key }) => key)).toEqual(['form-00000008'])
})

test('reading never claims a key', async () => {
  await ada.call(roles.calls.search, {}, withKey('form-00000009'))
  await ada.call(sessions.calls.searchTokens, {}, withKey('form-00000009'))
  expect((await kept()).map(({ key }) => key)).not.toContain('form-00000009')
})
