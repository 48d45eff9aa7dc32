import { describe, expect, test } from 'vitest'
import type { ViewerPermission } from '#core/contract/permissions.ts'
import { mayEdit, SecurityIdentifier, Username, usernameFault } from './rules.ts'

const noPermission: ViewerPermission = { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false }

const saysOf = (username: unknown) => Username.safeParse(username).error?.issues[0]?.message

describe('A username', () => {
  test('is required', () => {
    expect(saysOf('')).toBe('No Username entered.')
    expect(saysOf('    ')).toBe('No Username entered.')
  })

  test.each(['/', '\\', '#', '%', '?'])('does not contain %s', (character) => {
    for (const username of [character, `a${character}b`, `${character}ab`, `ab${character}`])
      expect(saysOf(username)).toBe(`The character '${character}' is not allowed in usernames.`)
  })

  test('is ASCII without control characters', () => {
    for (const username of ['é', 'adé', 'a\tb', '\tab', 'ab\n', 'a\u0000b', 'a\u007fb', '\u{1f512}', 'a\u00a0b', 'Ａda'])
      expect([username, saysOf(username)]).toEqual([username, 'The username contains an invalid character.'])
  })

  test('is named for its forbidden character first, whatever else is wrong with it', () => {
    expect(saysOf('é/')).toBe(`The character '/' is not allowed in usernames.`)
    expect(saysOf('#/')).toBe(`The character '/' is not allowed in usernames.`)
  })

  test('fits the configured pattern, or is refused with its message', () => {
    const fits = (name: string) => /^[a-z]+$/.test(name)
    expect(usernameFault('ada1', { fits, message: 'Small letters only' })).toBe('Small letters only')
    expect(usernameFault('ada1', { fits, message: '' })).toBe('Invalid username.')
    expect(usernameFault('ada', { fits, message: '' })).toBeUndefined()
  })

  test('loses the blanks around it, and has letters, digits and . _ - @ inside', () => {
    expect(Username.parse('  ada.lovelace_1815-x@example ')).toBe('ada.lovelace_1815-x@example')
    for (const username of ['ada lovelace', 'ada+one', 'ada!', 'a$da', '<ada>', 'ada;', "a'da"])
      expect([username, saysOf(username)]).toEqual([username, 'The username contains an invalid character.'])
  })

  test('has 3 to 64 characters', () => {
    expect([saysOf('a'.repeat(64)), saysOf('ada')]).toEqual([undefined, undefined])
    expect(saysOf('a'.repeat(65))).toBe('Use at most 64 characters')
    expect(saysOf('al')).toBe('Use at least 3 characters')
  })
})

describe('A security identifier', () => {
  test.each(['', 'S-1-5-21-1004336348-1177238915-682003330-1104', 'S-1-5-21-0-0-0-500', 'S-1-5-21-4294967295-1-1-4294967295'])(
    'may be "%s"',
    (text) => {
      expect(SecurityIdentifier.parse(text)).toBe(text)
    },
  )

  test.each([
    'S-1-5-32-544',
    'S-1-5-21-1-2-3',
    'S-1-5-21-1-2-3-4-5',
    's-1-5-21-1-2-3-4',
    'S-1-5-21-01-2-3-4',
    'S-1-5-21-4294967296-2-3-4',
    'S-1-5-21-1-2-3-',
    'S-1-5-21--1-2-3',
    'S-1-1-0',
    'S-1-5-18',
    'S-1-5-21-1-2-3-4\u0000',
    'ada',
  ])('is not "%s"', (text) => {
    expect(SecurityIdentifier.safeParse(text).error?.issues[0]?.message).toMatch(/^Enter an identifier such as/)
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
