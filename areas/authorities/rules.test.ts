import { describe, expect, it } from 'vitest'
import { authorityStatus, endOfValidity, inTreeOrder, latestTime, pathLengthBelow } from './rules.ts'

const at = (time: string) => new Date(time)
const life = { notBefore: at('2026-01-01T00:00:00Z'), notAfter: at('2027-01-01T00:00:00Z') }

describe('the status of an authority', () => {
  it.each([
    ['PendingCert', '2025-12-31T23:59:59Z'],
    ['ActiveCert', '2026-01-01T00:00:00Z'],
    ['ActiveCert', '2026-06-01T00:00:00Z'],
    ['ActiveCert', '2027-01-01T00:00:00Z'],
    ['ExpiredCert', '2027-01-01T00:00:01Z'],
  ])('is %s at %s', (status, now) => {
    expect(authorityStatus(life, at(now))).toBe(status)
  })

  it('is pending while there is no certificate', () => {
    expect(authorityStatus({ notBefore: undefined, notAfter: undefined }, at('2026-06-01T00:00:00Z'))).toBe('PendingCert')
  })

  it('is the one that is given, whatever the dates say', () => {
    expect(authorityStatus({ ...life, status: 'ExpiredCert' }, at('2026-06-01T00:00:00Z'))).toBe('ExpiredCert')
  })
})

describe('the end of a validity', () => {
  it.each([
    ['2026-01-31T10:00:00.000Z', 1, 'MONTHS', '2026-02-28T10:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 1, 'YEARS', '2025-02-28T00:00:00.000Z'],
    ['2026-03-28T12:00:00.000Z', 2, 'DAYS', '2026-03-30T12:00:00.000Z'],
    ['2026-12-31T23:00:00.000Z', 2, 'HOURS', '2027-01-01T01:00:00.000Z'],
    ['2026-11-21T00:00:00.000Z', 20, 'YEARS', '2046-11-21T00:00:00.000Z'],
  ] as const)('from %s in %d %s is %s', (from, period, unit, end) => {
    expect(endOfValidity(at(from), period, unit).toISOString()).toBe(end)
  })

  it('is never later than a certificate can say', () => {
    expect(endOfValidity(at('2026-01-01T00:00:00Z'), 100_000, 'YEARS')).toEqual(latestTime)
  })
})

describe('the path length below an issuer', () => {
  it('is what was wanted where the issuer has no limit', () => {
    expect(pathLengthBelow(undefined, 3)).toEqual({ pathLength: 3 })
    expect(pathLengthBelow(undefined, 'none')).toEqual({ pathLength: undefined })
  })

  it('stays below the limit of the issuer', () => {
    expect(pathLengthBelow(2, 1)).toEqual({ pathLength: 1 })
    expect(pathLengthBelow(2, 'none')).toEqual({ pathLength: 1 })
    expect(pathLengthBelow(2, 2)).toBe('tooLong')
    expect(pathLengthBelow(0, 0)).toBe('unable')
  })
})

describe('a list of authorities', () => {
  it('has each below its issuer, by name, and takes one whose issuer is elsewhere for a root', () => {
    const rows = [
      { id: 'c', issuerId: 'a', friendlyName: 'Web' },
      { id: 'd', issuerId: 'c', friendlyName: 'Web staging' },
      { id: 'b', issuerId: 'a', friendlyName: 'Mail' },
      { id: 'e', issuerId: 'gone', friendlyName: 'Aside' },
      { id: 'a', friendlyName: 'Root' },
    ]
    expect(inTreeOrder(rows).map(({ id, depth }) => `${depth}${id}`)).toEqual(['0e', '0a', '1b', '1c', '2d'])
  })
})
