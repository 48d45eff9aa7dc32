import { describe, expect, it } from 'vitest'
import { mondayOf, spanText, weeksAhead, weeksBack, usualBand } from './weeks.ts'

const at = new Date('2026-03-01T12:34:56.000Z') // a Sunday

describe('The weeks of the pictures', () => {
  it('begin on Monday, a Sunday belonging to the week before', () => {
    expect(mondayOf(at).toISOString()).toBe('2026-02-23T00:00:00.000Z')
    expect(mondayOf(new Date('2026-02-23T00:00:00Z')).toISOString()).toBe('2026-02-23T00:00:00.000Z')
  })
  it('go on without a gap or an overlap, from now on or up to the end of this week', () => {
    for (const spans of [weeksAhead(at, 12), weeksBack(at, 12)]) {
      expect(spans).toHaveLength(12)
      for (const [index, span] of spans.entries()) expect(spans[index + 1]?.from ?? span.until).toEqual(span.until)
    }
    expect(weeksAhead(at, 12)[0]?.from).toEqual(at)
    expect(weeksBack(at, 12).at(-1)).toEqual({ from: mondayOf(at), until: new Date('2026-03-02T00:00:00Z') })
  })
  it('stand in an address as an ISO 8601 interval', () => {
    expect(spanText(weeksBack(at, 1)[0] ?? { from: at, until: at })).toBe('2026-02-23T00:00:00.000Z/2026-03-02T00:00:00.000Z')
  })
})

it('what is usual is where the middle half of the weeks lies', () => {
  expect(usualBand([40, 1, 20, 30, 10])).toEqual({ from: 10, to: 30 })
  expect(usualBand([5, 5, 5, 5])).toBeUndefined()
  expect(usualBand([1, 2, 3])).toBeUndefined()
})
