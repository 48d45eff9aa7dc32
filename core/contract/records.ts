// A record is a thing with a name and a page of its own: a role, a certificate. Its room declares the kind once, in its contract; the audit log, the search,
// the palette and the menu read it there.

import type { Jump } from './jump.ts'
import type { MenuPlace } from './menu.ts'
import { fillPath } from './paths.ts'
import type { Permission } from './permission-labels.ts'
import type { Needs } from './permissions.ts'
import { searchScreen } from './search.ts'

export type RecordShape = {
  singular: string
  plural: string
  /** What it takes to find one and to open its page. */
  needs: Permission
  /** Orders the kinds as people look for them, the smallest first; 50 unless told. */
  place?: number
  /** It has a list, at `/search/<kind>`. `needs` where that takes another permission than `needs` above; without `menu` it stands below `parent`, or the search. */
  list?: { needs?: Permission; menu?: MenuPlace; parent?: string; also?: string; jumps?: readonly Jump[] }
}

/** A kind as the console knows it. */
export type RecordKind = RecordShape & { area: string; name: string }

export const byPlace = (a: { place?: number }, b: { place?: number }): number => (a.place ?? 50) - (b.place ?? 50)

type ListScreen = {
  area: string
  name: string
  path: string
  needs: Needs
  title: string
  /** The kind that it lists. */
  lists: string
  menu?: MenuPlace
  parent?: string
  also?: string
  jumps?: readonly Jump[]
}

/** The addresses of the lists, each with its permission and its place in the menu. The search draws them. */
export const listScreens = (area: string, records: Readonly<Record<string, RecordShape>>): Record<string, ListScreen> =>
  Object.fromEntries(
    Object.entries(records).flatMap(([kind, { plural, needs, list }]) => {
      if (list === undefined) return []
      const name = `${kind}List`
      const path = fillPath(searchScreen.path, { searchType: kind })
      const place = list.menu === undefined ? { parent: list.parent ?? 'search.search' } : { menu: list.menu }
      const found = { ...(list.also === undefined ? {} : { also: list.also }), ...(list.jumps === undefined ? {} : { jumps: list.jumps }) }
      return [[name, { area, name, path, needs: list.needs ?? needs, title: plural, lists: kind, ...place, ...found }]]
    }),
  )
