import { expect, test } from 'vitest'
import { rangeOf } from './rules.ts'

test('a range is the numbers from the first to the last, with their zeros and what stands before them', () => {
  expect(rangeOf('A-0099', 'A-0101')?.map(({ serial }) => serial)).toEqual(['A-0099', 'A-0100', 'A-0101'])
  expect(rangeOf('7', '7')?.map(({ serial }) => serial)).toEqual(['7'])
})

test('what is no range is none', () => {
  for (const [first, last] of [
    ['A-2', 'A-1'],
    ['A-1', 'B-2'],
    ['A-9', 'A-10'],
    ['none', 'none'],
    ['1', '10001'],
    ['00001', '10001'],
  ] as const)
    expect([first, last, rangeOf(first, last)]).toEqual([first, last, undefined])
})
