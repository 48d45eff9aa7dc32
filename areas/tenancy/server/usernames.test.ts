import { describe, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { hashPassword, storeHash } from '#areas/users/passwords.ts'
import { inTenant } from '#core/server/database.ts'
import { useHouse } from '#core/testing/house.ts'
import { countProcessor, growth, referenceSeconds } from '#standards/processor-time.fixture.ts'
import { tenancy } from '../contract.ts'
import { readUsernamePattern } from '../username-pattern.ts'

const house = await useHouse()
const branch = await house.tenancy('Branch')

const settings = (name: string) => ({ name, bannerColour: '#1f6feb' })

describe('The pattern of usernames', () => {
  test.each([
    ['^[a-z', 'A [ is not closed'],
    ['(emp|ext', 'A ( is not closed'],
    ['emp)', 'A ) closes nothing'],
    ['*emp', 'Write a * itself as \\*'],
    ['^(?!admin)', '(? is not known here: look-ahead, names and the like cannot be used'],
    ['(a)\\1', '\\1 is not known here: there are \\d, \\w, \\D, \\W, and \\ before a sign'],
    ['[z-a]', 'In [ ] a stretch goes from a smaller to a greater character, such as a-z'],
    ['a{99}', 'A part repeats at most 64 times, the smaller number first'],
    ['((a+)+)+$', 'Too much is repeated within what is repeated'],
  ])('is refused by name where it cannot be read: %s', async (usernamePattern, says) => {
    await expect(branch.administrator.call(tenancy.calls.change, { ...settings('Branch'), usernamePattern })).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'usernamePattern', says }],
    })
  })

  test.each([
    ['^[a-z]+\\.[a-z]+$', ['ada.lovelace'], ['ada', 'ada.lovelace1', '1ada.lovelace', 'Ada.lovelace']],
    ['^(emp|ext)\\d{4,6}$', ['emp1234', 'ext123456'], ['emp123', 'ext1234567', 'adm1234']],
    ['\\d', ['ada1', '1ada'], ['ada']],
    ['^\\w+@(?:north|south)\\.example$|^root-', ['ada@north.example', 'root-1'], ['ada@east.example', 'a.b@north.example']],
    ['^[^\\d_-]{3,}$', ['ada'], ['ad4', 'a_d', 'a-d']],
    ['^(?:[a-z]{2,8}-?)+x?$', ['north-ada', 'ada'], ['a', '-ada']],
    ['', ['ada'], []],
  ])('fits as the regular expression %j does', (pattern, fitting, unfit) => {
    const { fits } = readUsernamePattern(pattern)
    for (const name of [...fitting, ...unfit])
      expect([name, fits?.(name), new RegExp(pattern).test(name)]).toEqual([name, fitting.includes(name), fitting.includes(name)])
  })

  test('holds nobody up, whatever it is and whatever the name', () => {
    // Both take a backtracking engine longer than the earth will last: eight letters more, and it takes 256 times as long.
    for (const pattern of [() => '^(a+)+$', (length: number) => `${'a?'.repeat(length)}a{${length}}$`]) {
      expect(growth((length) => readUsernamePattern(pattern(length)).fits?.(`${'a'.repeat(length)}-`), 8)).toBeLessThan(32)
      const seconds = countProcessor()
      expect(readUsernamePattern(pattern(60)).fits?.(`${'a'.repeat(63)}-`)).toBe(false)
      expect(seconds()).toBeLessThan(20 * referenceSeconds())
    }
  })

  test('is set with its message, and holds for the names of new people and for new names of others', async () => {
    const { administrator } = await house.tenancy('Patterned')
    const add = (username: string) =>
      administrator.call(users.calls.add, { username, givenName: 'Ada', familyName: 'Lovelace', emailAddress: `${username}@example.org` })
    const { id } = await add('earlier1')
    await administrator.call(tenancy.calls.change, {
      ...settings('Patterned'),
      usernamePattern: '^[a-z]+\\.[a-z]+$',
      usernameMessage: 'Use given.family',
    })
    expect(await administrator.call(tenancy.calls.read, {})).toMatchObject({
      usernamePattern: '^[a-z]+\\.[a-z]+$',
      usernameMessage: 'Use given.family',
    })
    await expect(add('lovelace')).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'username', says: 'Use given.family' }],
    })
    await add('ada.lovelace')
    const earlier = users.calls.change.input.parse(await administrator.call(users.calls.read, { id }))
    await expect(administrator.call(users.calls.change, { ...earlier, title: 'Countess' })).resolves.toEqual({})
    const secret = 'correct horse battery staple'
    const hash = await hashPassword(house.house, secret)
    await inTenant(house.house.database, administrator.tenantId, (db) =>
      storeHash(db, administrator.tenantId, administrator.id, hash, house.clock.now()),
    )
    await expect(administrator.call(users.calls.change, { ...earlier, username: 'later2', ownPassword: secret })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'username', says: 'Use given.family' }],
    })
    await expect(administrator.call(users.calls.change, { ...earlier, username: 'ada.byron', ownPassword: secret })).resolves.toEqual({})
    await administrator.call(tenancy.calls.change, { ...settings('Patterned'), usernamePattern: '^[a-z]+\\.[a-z]+$' })
    await expect(add('byron')).rejects.toMatchObject({ status: 400, fields: [{ field: 'username', says: 'Invalid username.' }] })
    await (
      await house.tenancy('Unpatterned')
    ).administrator.call(users.calls.add, { username: 'byron', givenName: 'Ada', familyName: 'Byron', emailAddress: 'ada@example.org' })
  })
})
