import { expect, test } from 'vitest'
import { fittingTabs } from './fitting-tabs.ts'

const tabs = new Map([
  ['overview', 100],
  ['cards', 80],
  ['roles', 90],
  ['activity', 110],
])
const inRow = (row: number, open?: string) => fittingTabs([...tabs.keys()], open, { row, more: 60, tabs })

test('tabs stay in the row as long as there is room, and the first of them longest', () => {
  expect(inRow(380)).toEqual(['overview', 'cards', 'roles', 'activity'])
  expect(inRow(379)).toEqual(['overview', 'cards', 'roles'])
  expect(inRow(320)).toEqual(['overview', 'cards'])
})

test('the open tab is in the row however little room there is, at its own place', () => {
  expect(inRow(379, 'activity')).toEqual(['overview', 'cards', 'activity'])
  expect(inRow(379, 'cards')).toEqual(['overview', 'cards', 'roles'])
  expect(inRow(120, 'roles')).toEqual(['roles'])
})
