import { expect, test } from 'vitest'
import { arranged, moved } from './arranged.ts'

const cards = [
  { key: 'activity', order: 90 },
  { key: 'approvals', order: 20 },
  { key: 'pictures', order: 60 },
]
const keys = (order: string[], some = cards) => arranged(some, { order }).map(({ key }) => key)

test('cards stand as their rooms put them until a person arranges them', () => {
  expect(keys([])).toEqual(['approvals', 'pictures', 'activity'])
  expect(keys(['activity', 'approvals', 'pictures'])).toEqual(['activity', 'approvals', 'pictures'])
})

test('a card that came since then stands before those that it comes before, and one that is gone is forgotten', () => {
  expect(keys(['activity', 'pictures'])).toEqual(['activity', 'approvals', 'pictures'])
  expect(keys(['gone', 'pictures', 'approvals'])).toEqual(['pictures', 'approvals', 'activity'])
})

test('a card moves by one, and not beyond the ends', () => {
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c'])
  expect(moved(['a', 'b', 'c'], 'x', 1)).toEqual(['a', 'b', 'c'])
})
