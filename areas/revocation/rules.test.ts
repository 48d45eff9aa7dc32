import { describe, expect, test } from 'vitest'
import { REVOCATION_REASONS } from '#standards/crl/reasons.ts'
import {
  allReasons,
  crlIsDue,
  crlMaxAge,
  expiredStay,
  failureCodes,
  invalidityFault,
  isFailureCode,
  listState,
  mayChoose,
  nextCrlNumber,
  nextUpdateOf,
  reasonsForMany,
  reasonTexts,
  usualStatusSettings,
  wholeList,
} from './rules.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds)
const hour = 3_600_000

describe('a list', () => {
  test.each([
    ['there is none', undefined, 0, true],
    ['it is fresh and covers all', { thisUpdate: now, revision: 4 }, 4, false],
    ['something was revoked since', { thisUpdate: now, revision: 4 }, 5, true],
    ['it is a day old', { thisUpdate: later(-24 * hour), revision: 4 }, 4, true],
    ['it is a minute short of a day old', { thisUpdate: later(60_000 - 24 * hour), revision: 4 }, 4, false],
  ])('is due, or not: %s', (_when, latest, revision, due) => {
    expect(crlIsDue(latest, revision, now)).toBe(due)
  })

  test('holds a day longer than until the next one', () => {
    expect(nextUpdateOf(now, wholeList, usualStatusSettings)).toEqual(later(48 * hour))
  })

  test.each([
    ['a young one', later(0), 'fresh'],
    ['at its last fifth', later(-80 * hour), 'fresh'],
    ['within its last fifth', later(-80 * hour - 1), 'ending'],
    ['at its end', later(-100 * hour), 'ended'],
  ])('%s says how fresh it is', (_when, thisUpdate, state) => {
    expect(listState({ thisUpdate, nextUpdate: new Date(thisUpdate.getTime() + 100 * hour) }, now)).toBe(state)
  })

  test('is numbered past the last, and past whatever was numbered before now', () => {
    expect(nextCrlNumber(undefined, now)).toBe(now.getTime())
    expect(nextCrlNumber(now.getTime(), now)).toBe(now.getTime() + 1)
    expect(nextCrlNumber(4, now)).toBe(now.getTime())
    // A clock that was put back does not put the numbers back.
    expect(nextCrlNumber(later(hour).getTime(), now)).toBe(later(hour).getTime() + 1)
  })

  test('keeps an expired certificate until a list made after its end has shown it', () => {
    expect(expiredStay(now)).toEqual(later(-48 * hour))
  })

  test.each([
    [later(48 * hour), 300],
    [later(hour / 10), 180],
    [now, 0],
    [later(-hour), 0],
  ])('with an end at %s may be kept for %i seconds', (nextUpdate, seconds) => {
    expect(crlMaxAge(nextUpdate, now)).toBe(seconds)
  })
})

describe('what may be asked for', () => {
  test('every reason has words', () => {
    expect(allReasons).toEqual(Object.keys(REVOCATION_REASONS))
    expect(allReasons.every((reason) => reasonTexts[reason].label !== '')).toBe(true)
  })

  test('the reasons of authorities are not offered for certificates, nor a hold for authorities or for many at once', () => {
    expect(allReasons.filter((reason) => mayChoose(reason, 'certificate'))).toEqual([
      'unspecified',
      'keyCompromise',
      'affiliationChanged',
      'superseded',
      'cessationOfOperation',
      'certificateHold',
      'privilegeWithdrawn',
    ])
    expect([
      mayChoose('cACompromise', 'authority'),
      mayChoose('certificateHold', 'authority'),
      reasonsForMany.includes('certificateHold'),
    ]).toEqual([true, false, false])
  })

  test('a key cannot have been lost before it was certified, nor tomorrow', () => {
    const certificate = { validFrom: later(-100 * hour) }
    expect(invalidityFault(later(-hour), certificate, now)).toBeUndefined()
    expect(invalidityFault(later(-101 * hour), certificate, now)).toContain('before')
    expect(invalidityFault(later(1), certificate, now)).toContain('future')
  })

  test('a failure has a code with a sentence', () => {
    expect(Object.keys(failureCodes).every(isFailureCode)).toBe(true)
    expect(isFailureCode('toString')).toBe(false)
  })
})
