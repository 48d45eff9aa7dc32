import { describe, expect, test } from 'vitest'
import { licenceRefusal, type LicenceTerm } from '#areas/authorities/rules.ts'
import { bothHold, daysLeft, licenceState, termFaults, wantedTerm } from './rules.ts'

const june = (day: number, time = '12:00') => new Date(`2026-06-${String(day).padStart(2, '0')}T${time}:00Z`)
const term = (more: Partial<LicenceTerm> = {}): LicenceTerm => ({ enabled: true, from: undefined, until: undefined, ...more })
const stay = term({ from: '2026-06-10', until: '2026-06-20' })

describe('A licence', () => {
  test.each([
    [june(9, '23:59'), 'notYet', 'begins on 2026-06-10'],
    [june(10, '00:00'), 'endsSoon', undefined],
    [june(20, '23:59'), 'endsSoon', undefined],
    [june(21, '00:00'), 'ended', 'ended on 2026-06-20'],
  ] as const)('from one day until another holds on both, in UTC: %s', (now, state, refusal) => {
    expect([licenceState(stay, now), licenceRefusal(stay, now)]).toEqual([state, refusal])
  })

  test('without days holds until it is taken back, and one never given is none', () => {
    expect(licenceState(term(), june(1))).toBe('active')
    expect(licenceState(term({ enabled: false, until: '2026-06-05' }), june(1))).toBe('off')
    expect(licenceRefusal(term({ enabled: false }), june(1))).toBe('was taken back')
    expect(licenceState(undefined, june(1))).toBe('none')
  })

  test('ends soon in its last thirty days', () => {
    expect([licenceState(term({ until: '2026-07-02' }), june(1)), licenceState(term({ until: '2026-07-01' }), june(1))]).toEqual([
      'active',
      'endsSoon',
    ])
    expect(daysLeft(term({ until: '2026-06-01' }), june(1, '23:59'))).toBe(0)
  })

  test('of a template and that of its authority allow what both allow', () => {
    expect(bothHold(stay, term({ from: '2026-06-15' }))).toEqual(term({ from: '2026-06-15', until: '2026-06-20' }))
    expect(bothHold(stay, term({ enabled: false, until: '2026-06-12' }))).toEqual({
      enabled: false,
      from: '2026-06-10',
      until: '2026-06-12',
    })
  })
})

describe('The days that are asked for', () => {
  test('stay what they were where they are left out, and go where they are empty', () => {
    expect(wantedTerm({ enabled: false }, stay)).toEqual({ ...stay, enabled: false })
    expect(wantedTerm({ enabled: true, from: '', until: '2026-06-25' }, stay)).toEqual(term({ until: '2026-06-25' }))
  })

  test('are not the wrong way round, and not over already', () => {
    expect(termFaults(term({ from: '2026-06-10', until: '2026-06-09' }), june(1))).toMatchObject([
      { field: 'until', says: 'The last day is before the first' },
    ])
    expect(termFaults(stay, june(21))).toMatchObject([{ field: 'until', says: expect.stringContaining('has passed') }])
    expect(termFaults(stay, june(20, '23:59'))).toEqual([])
    expect(termFaults({ ...stay, enabled: false }, june(21))).toEqual([])
  })
})
