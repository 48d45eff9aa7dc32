import { expect, test } from 'vitest'
import { validityOf } from './preview.ts'
import { defaultExtensions, type Extensions } from './rules.ts'

const now = new Date('2026-03-01T12:00:30.500Z')
const authority = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2036-01-01T00:00:00Z') }
const validity = (extensions: Partial<Extensions>, life = authority) => {
  const { notBefore, notAfter, shortened } = validityOf({ ...defaultExtensions, ...extensions }, life, now)
  return [notBefore.toISOString(), notAfter.toISOString(), shortened]
}

test('A certificate begins a minute before it is issued, or as the template says, and lives as long as was asked', () => {
  expect(validity({})).toEqual(['2026-03-01T11:59:30.000Z', '2027-03-01T11:59:29.000Z', false])
  expect(validity({ backdatedMinutes: 0 })).toEqual(['2026-03-01T12:00:30.000Z', '2027-03-01T12:00:29.000Z', false])
  expect(validity({ backdatedMinutes: 60, validityPeriod: 3, validityPeriodUnits: 'HOURS' })).toEqual([
    '2026-03-01T11:00:30.000Z',
    '2026-03-01T14:00:29.000Z',
    false,
  ])
})

test('It never begins before its authority, and never ends after it', () => {
  const young = { ...authority, notBefore: new Date('2026-03-01T12:00:00Z') }
  expect(validity({ backdatedMinutes: 60 }, young)).toEqual(['2026-03-01T12:00:00.000Z', '2027-03-01T11:59:59.000Z', false])
  const old = { ...authority, notAfter: new Date('2026-04-01T00:00:00Z') }
  expect(validity({}, old)).toEqual(['2026-03-01T11:59:30.000Z', '2026-04-01T00:00:00.000Z', true])
})
