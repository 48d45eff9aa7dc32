import { describe, expect, test } from 'vitest'
import { fieldAccess, type FieldViewer } from './field-access.ts'
import type { Permission } from './permission-labels.ts'

const people = fieldAccess({
  identity: { title: 'Identity', fields: ['id', 'username', 'givenName'], read: 'userView', write: 'userEdit', own: 'read' },
  contact: { title: 'Contact', fields: ['telephone'], read: 'userView', write: 'userEdit', own: 'write' },
  medical: { title: 'Medical', fields: ['bloodGroup', 'allergies'], read: 'audit', write: 'tenancyConfig', own: 'read' },
  security: { title: 'Security', fields: ['clearance'], read: 'audit', write: 'audit' },
})

const who = (userId: string, ...api: Permission[]): FieldViewer => ({ userId, permission: { api } })
const nobody = who('eve')
const ada = { id: 'ada', username: 'ada', telephone: '1', bloodGroup: 'A', clearance: 'top', passwordHash: 'x' }
const ofAda = { ownerId: 'ada' }

describe('A record', () => {
  test('is shown without what may not be read, and a field that stands in no group is never shown', () => {
    expect(people.show(who('bob', 'userView'), ofAda, ada)).toEqual({ id: 'ada', username: 'ada', telephone: '1' })
    expect(people.show(who('bob', 'userView', 'audit'), ofAda, ada)).toEqual({
      id: 'ada',
      username: 'ada',
      telephone: '1',
      bloodGroup: 'A',
      clearance: 'top',
    })
    expect(people.show(nobody, ofAda, ada)).toEqual({})
  })

  test('of one’s own shows and takes what its groups say', () => {
    const own = who('ada')
    expect(people.show(own, ofAda, ada)).toEqual({ id: 'ada', username: 'ada', telephone: '1', bloodGroup: 'A' })
    expect([...people.writable(own, ofAda)]).toEqual(['telephone'])
    expect(people.hiddenGroups(own, ofAda)).toBe(1)
  })

  test('is nobody’s own where it has no owner, and not a token’s that has scopes', () => {
    expect(people.show(who('ada'), { ownerId: undefined }, ada)).toEqual({})
    expect(people.show({ ...who('ada'), via: 'token', narrowed: true }, ofAda, ada)).toEqual({})
    expect(people.show({ ...who('ada', 'userView'), via: 'token', narrowed: true }, ofAda, ada)).toEqual({
      id: 'ada',
      username: 'ada',
      telephone: '1',
    })
  })

  test('shows whoever may write what they may write', () =>
    expect([...people.readable(who('bob', 'tenancyConfig'), ofAda)]).toEqual(['bloodGroup', 'allergies']))

  test('takes a change only of what may be written, and names the rest once', () => {
    expect(people.unwritableAmong(who('bob', 'userEdit'), ofAda, ['telephone', 'clearance', 'clearance', 'passwordHash'])).toEqual([
      'clearance',
      'passwordHash',
    ])
    expect(people.unwritableAmong(who('ada'), ofAda, ['telephone', 'username'])).toEqual(['username'])
  })

  test('has no field of the object that JavaScript brings along', () => {
    const all = who('root', 'userView', 'userEdit', 'audit', 'tenancyConfig')
    expect(people.hiddenAmong(all, ['__proto__', 'constructor', 'toString', 'username'])).toEqual(['__proto__', 'constructor', 'toString'])
    const shown = people.show(all, ofAda, JSON.parse('{"username":"ada","__proto__":{"clearance":"top"}}'))
    expect([Object.keys(shown), Object.getPrototypeOf(shown)]).toEqual([['username'], Object.prototype])
  })
})

describe('A list', () => {
  test('cannot be sorted by, filtered by, searched in or exported with a hidden field, also not the own one', () => {
    const sortAndFilters = ['username', 'clearance', 'bloodGroup', 'clearance']
    expect(people.hiddenAmong(who('ada', 'userView'), sortAndFilters)).toEqual(['clearance', 'bloodGroup'])
    expect(people.hiddenAmong(who('ada', 'userView', 'audit'), sortAndFilters)).toEqual([])
  })

  test('says of a hidden field what it says of one that does not exist', () =>
    expect(people.hiddenAmong(who('bob', 'userView'), ['clearance', 'clearence'])).toEqual(['clearance', 'clearence']))

  test('opens columns by permission alone', () => {
    expect([...people.readable(who('ada'), 'all')]).toEqual([])
    expect([...people.readable(who('ada', 'userView'), 'all')]).toEqual(['id', 'username', 'givenName', 'telephone'])
  })
})

test('A field that stands in two groups is refused when the room starts, since either could open it', () =>
  expect(() =>
    fieldAccess({
      one: { title: 'One', fields: ['a'], read: 'userView', write: 'userEdit' },
      two: { title: 'Two', fields: ['a'], read: 'audit', write: 'audit' },
    }),
  ).toThrow('The field a stands in two groups'))
