import { describe, expect, test } from 'vitest'
import { countProcessor, referenceSeconds } from '../processor-time.fixture.ts'
import { filterBounds, fitsFilter, readFilter, readPatchPath, ScimFilterError } from './filter.ts'

const isRefused = (text: string): boolean => {
  try {
    readFilter(text)
    return false
  } catch (error) {
    return error instanceof ScimFilterError
  }
}

describe('A filter', () => {
  test('is read by the precedence of RFC 7644: not, and, or', () => {
    expect(readFilter('userName eq "a" or title pr and not (active eq false)')).toEqual({
      kind: 'or',
      parts: [
        { kind: 'compare', path: 'userName', operator: 'eq', value: 'a' },
        {
          kind: 'and',
          parts: [
            { kind: 'present', path: 'title' },
            { kind: 'not', part: { kind: 'compare', path: 'active', operator: 'eq', value: false } },
          ],
        },
      ],
    })
  })

  test('takes operators in any case, numbers, null and attributes with their URN', () => {
    expect(readFilter('urn:ietf:params:scim:schemas:core:2.0:User:userName SW "J\\u00fc\\"x"')).toEqual({
      kind: 'compare',
      path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName',
      operator: 'sw',
      value: 'Jü"x',
    })
    expect(readFilter('a gt -1.5e3')).toMatchObject({ value: -1500 })
    expect(readFilter('a eq null')).toMatchObject({ value: null })
  })

  test.each([
    'userName eq "a" or 1=1--',
    "userName eq 'a'",
    'userName eq',
    'userName',
    'userName like "a"',
    '(userName eq "a"',
    'userName eq "a")',
    'and userName pr',
    'emails[type eq "work"',
    'userName eq "\\x"',
    '',
    '; drop table users',
  ])('that is %s is refused', (text) => {
    expect(isRefused(text)).toBe(true)
  })

  test('is refused at once where it is deep, long, or of many terms', () => {
    const long = [
      '('.repeat(10_000),
      `${'('.repeat(filterBounds.depth)}a pr${')'.repeat(filterBounds.depth)}`,
      Array.from({ length: 51 }, () => 'a pr').join(' or '),
      `a eq "${'x'.repeat(1_000_000)}"`,
    ]
    const seconds = countProcessor()
    expect(long.map(isRefused)).toEqual([true, true, true, true])
    expect(seconds()).toBeLessThan(10 * referenceSeconds())
  })

  test('fits values without case, and each of a list by itself', () => {
    const user = {
      emails: [
        { type: 'work', value: 'Ada@Example.org' },
        { type: 'home', value: 'b@b.org' },
      ],
      active: true,
      title: '',
    }
    const fits = (text: string) => fitsFilter(user, readFilter(text))
    expect(fits('emails[type eq "WORK" and value sw "ada"]')).toBe(true)
    expect(fits('emails[type eq "home" and value sw "ada"]')).toBe(false)
    expect(fits('emails.value ew "B.ORG"')).toBe(true)
    expect(fits('active eq "True"')).toBe(true)
    expect([fits('title pr'), fits('emails pr'), fits('nothing ne "a"')]).toEqual([false, true, true])
  })
})

test('The path of a PATCH names an attribute, which of its values, and a part', () => {
  expect(readPatchPath('emails[type eq "work"].value')).toEqual({
    attribute: 'emails',
    filter: { kind: 'compare', path: 'type', operator: 'eq', value: 'work' },
    part: 'value',
  })
  expect(readPatchPath('name.givenName')).toEqual({ attribute: 'name.givenName' })
  for (const path of ['', 'a b', '__proto__', 'emails[type eq "work"]x', 'emails]', '[type pr]'])
    expect(() => readPatchPath(path)).toThrow(ScimFilterError)
})
