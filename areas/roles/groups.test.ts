import { expect, it } from 'vitest'
import { permissions } from '#core/contract/permission-labels.ts'
import { permissionGroups } from './groups.ts'

it('Every permission stands in exactly one group of the role editor', () => {
  expect(permissionGroups.flatMap(({ names }) => names).toSorted()).toEqual(Object.keys(permissions).toSorted())
})
