import { expect, test } from 'vitest'
import { nearestTo } from './nearest.ts'

test('The name that was probably meant differs in few letters, and in fewer the shorter it is', () => {
  const known = ['status', 'templateId', 'caId', 'text']
  expect(nearestTo('sttatus', known)).toBe('status')
  expect(nearestTo('Template', known)).toBe('templateId')
  expect(nearestTo('colour', known)).toBeUndefined()
  expect(nearestTo('ca', known)).toBeUndefined()
  expect(nearestTo('tab', known)).toBeUndefined()
})

test('names whose lengths differ by more are not compared, however long they are', () => {
  expect(nearestTo('x'.repeat(1_000_000), ['status', 'y'.repeat(900_000)])).toBeUndefined()
  expect(nearestTo('status', ['x'.repeat(1_000_000), 'statuses'])).toBe('statuses')
})
