// One form, sent twice: a double click, a retry, a lost answer.

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { inTenant } from './database.ts'
import { serve, type CallContext } from './serve.ts'

const Work = {
  does: 'Works.',
  title: 'Work',
  method: 'POST',
  needs: 'signedIn',
  ownTransactions: true,
  input: z.object({ name: z.string() }),
  output: z.object({ number: z.number() }),
  faults: { cold: { status: 409, says: 'The fire is out' } },
} as const
const smithy = contract({
  area: 'smithy',
  title: 'Smithy',
  calls: { forge: { ...Work, path: '/api2/Smithy-v1/Forge' }, cutKey: { ...Work, unstored: true, path: '/api2/Smithy-v1/CutKey' } },
})
const forged: string[] = []

/** Something in several transactions that no other rule keeps from being done twice. */
async function forge({ name }: { name: string }, { fault, transact }: CallContext<typeof smithy, 'forge'>) {
  await transact(({ db }) => sql`select pg_sleep(0.05)`.execute(db))
  return name === '' ? fault('cold') : { number: forged.push(name) }
}

const house = await useHouse({ moreRooms: [serve(smithy, { forge, cutKey: forge })] })
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: 'all' })

const role = (name: string) => ({ name, description: '' })
const withKey = (key: string) => ({ 'idempotency-key': key })
const named = async (name: string) => (await ada.call(roles.calls.search, { text: name })).total
const kept = () =>
  inTenant(
    house.house.database,
    acme.id,
    async (db) =>
      (await sql<{ key: string; answer: string; input_hash: string }>`select key, answer, input_hash from repeated_requests`.execute(db))
        .rows,
  )

test('the same request with the same key has one effect, one record and the same answer', async () => {
  const first = await ada.call(roles.calls.add, role('Night watch'), withKey('form-00000001'))
  const second = await ada.call(roles.calls.add, role('Night watch'), withKey('form-00000001'))
  expect(second).toEqual(first)
  expect(await named('night watch')).toBe(1)
  expect((await audited(house, acme.id)).filter((event) => event.about === first.id)).toHaveLength(1)
})

test('ten at once have one effect and the same answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => ada.call(roles.calls.add, role('Day watch'), withKey('form-00000002'))),
  )
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  expect(await named('day watch')).toBe(1)
})

test('another request with the same key is a conflict', async () => {
  await ada.call(roles.calls.add, role('Porter'), withKey('form-00000003'))
  await expect(ada.call(roles.calls.add, role('Porters'), withKey('form-00000003'))).rejects.toMatchObject({
    status: 409,
    code: 'conflict',
  })
  await expect(
    ada.call(
      users.calls.add,
      { username: 'porter', givenName: 'Po', familyName: 'Rter', emailAddress: 'p@example.org' },
      withKey('form-00000003'),
    ),
  ).rejects.toMatchObject({ status: 409, code: 'conflict' })
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
  for (const text of [row?.answer ?? '', Buffer.from(row?.answer ?? '', 'base64').toString('latin1')])
    expect([text.includes(token), text.includes('lena')]).toEqual([false, false])
})

test('a key counts only while its permission holds', async () => {
  const cook = await acme.person({ permissions: ['roleAdd', 'roleView'] })
  await cook.call(roles.calls.add, role('Sous chef'), withKey('form-00000007'))
  await ada.call(users.calls.setEnabled, { id: cook.id, enabled: false })
  await expect(cook.call(roles.calls.add, role('Sous chef'), withKey('form-00000007'))).rejects.toMatchObject({ status: 401 })
})

test('slow work is done once for its key, also for ten at once, and done again where it failed', async () => {
  const before = forged.length
  const forge = (name: string, key: string) => ada.call(smithy.calls.forge, { name }, withKey(key))
  const answers = await Promise.all(Array.from({ length: 10 }, () => forge('sword', 'slow-00000001')))
  expect(await forge('sword', 'slow-00000001')).toEqual(answers[0])
  expect([new Set(answers.map(({ number }) => number)).size, forged.length - before]).toEqual([1, 1])
  await expect(forge('shield', 'slow-00000001')).rejects.toMatchObject({ status: 409, code: 'conflict' })
  await expect(forge('', 'slow-00000002')).rejects.toMatchObject({ status: 409, code: 'cold' })
  await expect(forge('shield', 'slow-00000002')).resolves.toHaveProperty('number')
  const stranger = (await house.tenancy('Initech')).administrator
  await expect(stranger.call(smithy.calls.forge, { name: 'sword' }, withKey('slow-00000001'))).resolves.not.toEqual(answers[0])
})

test('the answer of a call that hands out a key is not kept', async () => {
  const cut = () => ada.call(smithy.calls.cutKey, { name: 'door' }, withKey('slow-00000003'))
  expect(await cut()).not.toEqual(await cut())
  expect((await kept()).map(({ key }) => key)).not.toContain('slow-00000003')
})

test('a key that is none is refused by name, and nothing is done', async () => {
  for (const key of ['short', 'x'.repeat(101), 'with space in it'])
    await expect(ada.call(roles.calls.add, role('Keyless'), withKey(key))).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'Idempotency-Key' }],
    })
  expect(await named('keyless')).toBe(0)
})

test('answers are forgotten after a day', async () => {
  expect((await kept()).length).toBeGreaterThan(0)
  house.clock.advance(25 * 3_600_000)
  await ada.call(roles.calls.add, role('Late cook'), withKey('form-00000008'))
  await house.runJob(sessions.jobs.clean)
  expect((await kept()).map(({ key }) => key)).toEqual(['form-00000008'])
})

test('reading never claims a key', async () => {
  await ada.call(roles.calls.search, {}, withKey('form-00000009'))
  await ada.call(users.calls.search, {}, withKey('form-00000009'))
  expect((await kept()).map(({ key }) => key)).not.toContain('form-00000009')
})
