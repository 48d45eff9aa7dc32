import { describe, expect, it } from 'vitest'
import { foldRepeats } from './fold-repeats.ts'

describe('The latest activity', () => {
  it('tells the same action over and over once, as of its newest, and begins anew after another', () => {
    const row = (at: number, name: string, actor = 'ada') => ({ at, name, actor, area: 'renewal', outcome: 'done' })
    expect(
      foldRepeats([row(9, 'told'), row(8, 'told'), row(7, 'told', 'bob'), row(6, 'asked'), row(5, 'told')]).map(({ at, times }) => [
        at,
        times,
      ]),
    ).toEqual([
      [9, 2],
      [7, 1],
      [6, 1],
      [5, 1],
    ])
  })
})
