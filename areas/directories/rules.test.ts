import { describe, expect, test } from 'vitest'
import { brakeFor, countsOn, guidBytes, guidOf, membersWithin, plainDn, saysDisabled, sidOf } from './rules.ts'

describe('Members of a group', () => {
  const groups = (of: Record<string, string[]>) => new Map(Object.entries(of))
  test('are found through groups within it, however they are written', () => {
    const of = groups({ 'cn=all,dc=x': ['CN=Desk, DC=x', 'uid=a,dc=x'], 'cn=desk,dc=x': ['uid=B,dc=x'] })
    expect(membersWithin('cn=All,dc=x', of)).toEqual(new Set(['uid=a,dc=x', 'uid=b,dc=x']))
  })
  test('are found once where groups hold each other, and themselves', () => {
    const of = groups({ 'cn=a': ['cn=b', 'uid=1'], 'cn=b': ['cn=a', 'cn=b', 'uid=2'] })
    expect([...membersWithin('cn=a', of)].sort()).toEqual(['uid=1', 'uid=2'])
  })
  test('end at 32 groups within each other', () => {
    const chain = Array.from({ length: 40 }, (_, at): [string, string[]] => [`cn=${at}`, [`cn=${at + 1}`, `uid=${at}`]])
    expect(membersWithin('cn=0', new Map(chain)).size).toBe(33)
  })
})

describe('The brake', () => {
  const counted = { seen: 2_500, seenBefore: 2_500, linked: 2_500, missing: 0 }
  test('holds where fewer are seen than before, and where nobody is', () => {
    expect(brakeFor({ ...counted, seen: 0, missing: 2_500 })).toBe('0 of 2500 people were seen')
    expect(brakeFor({ ...counted, seen: 1_250, missing: 1_250 })).toBe('1250 of 2500 people were seen')
  })
  test('holds above 50 people and above five of a hundred', () => {
    expect(brakeFor({ ...counted, seen: 2_449, missing: 51 })).toMatch(/^51 of 2500/)
    expect(brakeFor({ seen: 18, seenBefore: 20, linked: 20, missing: 2 })).toMatch(/^2 of 20/)
  })
  test('lets a few go', () => {
    expect(brakeFor({ ...counted, seen: 2_480, missing: 20 })).toBeUndefined()
    expect(brakeFor({ seen: 10, seenBefore: 0, linked: 0, missing: 0 })).toBeUndefined()
  })
})

test('Names of entries are compared without case and spaces', () => {
  expect(plainDn('CN = Ada , OU=People,DC=Example')).toBe('cn=ada,ou=people,dc=example')
})

test('Windows identifiers are read from their bytes', () => {
  expect(guidOf(Buffer.from('33221100554477668899aabbccddeeff', 'hex'))).toBe('00112233-4455-6677-8899-aabbccddeeff')
  expect(sidOf(Buffer.from('0105000000000005150000001c0000002d0000003e00000050040000', 'hex'))).toBe('S-1-5-21-28-45-62-1104')
  expect(sidOf(Buffer.from('0105', 'hex'))).toBeUndefined()
  expect(guidBytes('00112233-4455-6677-8899-aabbccddeeff').toString('hex')).toBe('33221100554477668899aabbccddeeff')
})

test('Changes are counted on by the same controller alone, and never backwards', () => {
  const before = { counter: 'one', changes: '4000' }
  expect(countsOn(before, { counter: 'one', changes: '4000' })).toBe(true)
  // As numbers, not as texts.
  expect(countsOn(before, { counter: 'one', changes: '10000' })).toBe(true)
  expect(countsOn(before, { counter: 'one', changes: '3999' })).toBe(false)
  expect(countsOn(before, { counter: 'two', changes: '9000' })).toBe(false)
  expect(countsOn({ counter: '', changes: '' }, { counter: 'one', changes: '1' })).toBe(false)
})

test.each([
  [{ userAccountControl: '514' }, true],
  [{ userAccountControl: '512' }, false],
  [{ pwdAccountLockedTime: '000001010000Z' }, true],
  [{ nsAccountLock: 'TRUE' }, true],
  [{}, false],
])('A directory that says %j means disabled: %s', (entry, disabled) => {
  expect(saysDisabled(entry)).toBe(disabled)
})
