import { describe, expect, test } from 'vitest'
import { isLower, isShownOn } from './rules.ts'

describe('The news', () => {
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
