import { expect, test } from 'vitest'
import { checkBusinessNumber } from './business-numbers.ts'
import { codeOf, isWithin, levelOf, moveFault, pathsTo } from './rules.ts'

test.each([
  ['AU', '51824753556', '51 824 753 556'],
  ['AU', ' 51 824 753 556 ', '51 824 753 556'],
  ['AU', '004 085 616', '004 085 616'],
  ['NZ', '9429034042984', '9429034042984'],
  ['DE', 'de 136695976', 'DE136695976'],
  ['FR', '732 829 320', '732 829 320'],
  ['CH', 'CHE-116.281.710', 'CHE-116.281.710'],
  ['GB', 'sc123456', 'SC123456'],
  ['US', '12-3456789', '12-3456789'],
  ['JP', 'anything 42', 'anything 42'],
  ['AU', '', ''],
])('A business number of %s is right: %s', (country, number, normalised) => {
  expect(checkBusinessNumber(number, country)).toEqual({ valid: true, normalised })
})

test.each([
  ['AU', '51824753557', /check digits/],
  ['AU', '00000000000', /check digits/],
  ['AU', '5182475355', /11 digits/],
  ['AU', 'DE136695976', /11 digits/],
  ['NZ', '9429034042985', /check digits/],
  ['DE', 'DE136695975', /check digits/],
  ['GB', '1234', /8 characters/],
])('A business number of %s is wrong, and why is said: %s', (country, number, error) => {
  expect(checkBusinessNumber(number, country)).toEqual({ valid: false, normalised: number, error: expect.stringMatching(error) })
})

const path = (...codes: number[]): string => codes.map(codeOf).join('')

test('A path names all that stand above, and its sibling is never below it', () => {
  expect(pathsTo(path(1, 36, 20_000))).toEqual(['000001', '000001000010', path(1, 36, 20_000)])
  expect(isWithin(path(1, 2), path(1))).toBe(true)
  expect(isWithin(path(11), path(1))).toBe(false)
  expect(levelOf(path(1, 2, 3))).toBe(3)
})

test('A move below itself is a cycle, and none goes deeper than 12 levels', () => {
  const eleven = path(...Array.from({ length: 11 }, (_, at) => at + 100))
  expect(moveFault(path(1), 1, path(1))).toBe('cycle')
  expect(moveFault(path(1), 2, path(1, 2))).toBe('cycle')
  expect(moveFault(path(1, 2), 2, '')).toBeUndefined()
  expect(moveFault(path(1), 1, eleven)).toBeUndefined()
  expect(moveFault(path(1), 2, eleven)).toBe('tooDeep')
})
