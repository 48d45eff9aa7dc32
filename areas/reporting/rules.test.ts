import { describe, expect, test } from 'vitest'
import { lastDays, periodOf } from './rules.ts'

describe('The period of a report', () => {
  test('holds both of its days', () => {
    expect(periodOf('2026-01-31', '2026-01-31')).toEqual({
      from: new Date('2026-01-31T00:00:00Z'),
      until: new Date('2026-02-01T00:00:00Z'),
    })
  })
  test.each([
    ['2026-02-02', '2026-02-01'],
    ['2026-02-30x', '2026-03-01'],
    ['', ''],
    ['1990-01-01', '2026-01-01'],
  ])('is none from %s to %s', (first, last) => {
    expect(periodOf(first, last)).toBeUndefined()
  })
  test('begins as the last 30 days', () => {
    expect(lastDays(new Date('2026-03-01T23:59:00Z'))).toEqual({ first: '2026-01-31', last: '2026-03-01' })
  })
})
