import { describe, expect, test } from 'vitest'
import { defaultText, defaultVersion, isLower, isShownOn } from './rules.ts'

describe('The news', () => {
  test('is of version "5" where nobody has written any, and welcomes with what is new', () => {
    expect(defaultVersion).toBe('5')
    for (const word of ['Welcome', 'Performance improvements', 'Dependency audit', 'Release notes']) expect(defaultText).toContain(word)
  })

  test.each([
    ['5', '5', false],
    ['6', '5', false],
    ['10', '9', false],
    ['9', '10', true],
  ])('of version %s after %s is lower: %s', (version, than, lower) => expect(isLower(version, than)).toBe(lower))

  test.each([
    [{}, true],
    [{ from: '2026-03-31' }, true],
    [{ until: '2026-03-31' }, true],
    [{ from: '2026-04-01' }, false],
    [{ until: '2026-03-30' }, false],
  ])('with the days %o is shown on 31 March: %s', (span, shown) => expect(isShownOn('2026-03-31', span)).toBe(shown))
})
