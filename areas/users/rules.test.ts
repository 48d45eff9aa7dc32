import { describe, expect, test } from 'vitest'
import type { ViewerPermission } from '#core/contract/permissions.ts'
import { mayEdit, Username, usernameFault } from './rules.ts'

const noPermission: ViewerPermission = { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false }

const saysOf = (username: unknown) => Username.safeParse(username).error?.issues[0]?.message

describe('A username', () => {
  test('is required', () => {
    expect(saysOf('')).toBe('No Username entered.')
    expect(saysOf('    ')).toBe('No Username entered.')
  })

  test.each(['/', '\\', '#', '%', '?'])('does not contain %s', (character) => {
    for (const username of [character, `a${character}b`, `${character}ab`, `ab${character}`]) expect(saysOf(username)).toBe(`The character '${character}' is not allowed in usernames.`)
  })

  test('is ASCII without control characters', () => {
    for (const username of ['é', 'adé', 'a\tb', '\tab', 'ab\n', 'a\u0000b', 'a\u007fb', '\u{1f512}', 'a\u00a0b', 'Ａda']) expect([username, saysOf(username)]).toEqual([username, 'The username contains an invalid character.'])
  })

  test('is named for its forbidden character first, whatever else is wrong with it', () => {
    expect(saysOf('é/')).toBe(`The character '/' is not allowed in usernames.`)
    expect(saysOf('#/')).toBe(`The character '/' is not allowed in usernames.`)
  })

  test('fits the configured pattern, or is refused with its message', () => {
    expect(usernameFault('ada1', { expression: /^[a-z]+$/, message: 'Small letters only' })).toBe('Small letters only')
    expect(usernameFault('ada1', { expression: /^[a-z]+$/ })).toBe('Invalid username.')
    expect(usernameFault('ada', { expression: /^[a-z]+$/ })).toBeUndefined()
  })

  test('loses the blanks around it and keeps those inside', () => {
    expect(Username.parse('  ada lovelace ')).toBe('ada lovelace')
    expect(Username.parse('o.k-_@+!$&()')).toBe('o.k-_@+!$&()')
  })

  test('has at most a hundred characters', () => {
    expect(saysOf('a'.repeat(100))).toBeUndefined()
    expect(saysOf('a'.repeat(101))).toBe('Use at most 100 characters')
  })
})

test('a person is edited by who may edit users, and by themselves through self-service', () => {
  const holding = (...api: string[]) => ({ userId: 'ada', permission: { ...noPermission, api } })
  expect(mayEdit(holding('userEdit'), 'grace')).toBe(true)
  expect(mayEdit(holding('selfServicePortal'), 'ada')).toBe(true)
  expect(mayEdit(holding('selfServicePortal'), 'grace')).toBe(false)
  expect(mayEdit(holding('userView', 'userAdd'), 'ada')).toBe(false)
  expect(mayEdit({ userId: 'ada', permission: { ...noPermission, View: ['userEdit'], Menu: ['userEdit'] } }, 'ada')).toBe(false)
})
