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
