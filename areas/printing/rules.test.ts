import { expect, test } from 'vitest'
import { cardSize, filled, isShown, moved, resized } from './rules.ts'

const box = { x: 5, y: 5, width: 60, height: 6 }

test('an element that is dragged stays on the card', () => {
  expect(moved(box, 2.04, -1)).toEqual({ x: 7, y: 4, width: 60, height: 6 })
  expect(moved(box, -100, -100)).toMatchObject({ x: 0, y: 0 })
  const far = moved(box, 100, 100)
  expect(far.x + far.width).toBeLessThanOrEqual(cardSize.width)
  expect(far.y + far.height).toBeLessThanOrEqual(cardSize.height)
})

test('an element is sized between what can be seen and the edge of the card', () => {
  expect(resized(box, -100, -100)).toEqual({ x: 5, y: 5, width: 0.5, height: 0.5 })
  const wide = resized(box, 100, 100)
  expect(wide.x + wide.width).toBeLessThanOrEqual(cardSize.width)
  expect(wide.y + wide.height).toBeLessThanOrEqual(cardSize.height)
})

test('an element with a condition stands only on cards where that is known', () => {
  expect(isShown(undefined, {})).toBe(true)
  expect(isShown('title', { title: '' })).toBe(false)
  expect(isShown('title', { title: 'Engineer' })).toBe(true)
  expect(filled('{givenName} {nothing}', { givenName: 'Ada' })).toBe('Ada')
})
