// What two roles grant, permission by permission. Pure.

import type { Permission } from '#core/contract/permission-labels.ts'
import { permissionGroups } from './groups.ts'
import type { Grants } from './rules.ts'

export const places = ['view', 'menu', 'api'] as const
export type Place = (typeof places)[number]

export type Compared = { name: Permission; one: readonly Place[]; other: readonly Place[]; differs: boolean }

const placesOf = (grants: Grants, name: Permission): Place[] => places.filter((place) => grants[place].includes(name))

/** The permissions that either grants somewhere, in their groups. */
export const compareGrants = (one: Grants, other: Grants): { key: string; label: string; compared: Compared[] }[] =>
  permissionGroups
    .map(({ key, label, names }) => ({
      key,
      label,
      compared: names
        .map((name) => ({ name, one: placesOf(one, name), other: placesOf(other, name) }))
        .filter((pair) => pair.one.length + pair.other.length > 0)
        .map((pair) => ({ ...pair, differs: pair.one.join() !== pair.other.join() })),
    }))
    .filter(({ compared }) => compared.length > 0)
