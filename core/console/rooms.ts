// Holds the console modules of the rooms and their screens, as the shell sees them. Set once at the start.

import { create } from 'zustand'
import type { Screen } from '#core/contract/contract.ts'
import { fillPath } from '#core/contract/paths.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { byPlace, type RecordKind } from '#core/contract/records.ts'
import { searchScreen } from '#core/contract/search.ts'
import { gatherOffers, type Gathered, type Slot } from '#core/contract/slots.ts'
import { useViewerIfAny } from './bootstrap.ts'
import type { ConsoleModule, LazyScreen } from './show.ts'
import type { SelfPlace } from './slots.ts'

export type Rooms = { consoleModules: readonly ConsoleModule[]; screens: readonly Screen[]; records: readonly RecordKind[] }

export const roomsStore = create<Rooms>(() => ({ consoleModules: [], screens: [], records: [] }))

export const screenKey = (screen: { area: string; name: string }): string => `${screen.area}.${screen.name}`

/** The component of a screen; undefined while its room has none. A list of records is drawn by the search, which hosts it. */
export function componentOf(rooms: Rooms, screen: Screen): LazyScreen | undefined {
  const { area, name } = screen.lists === undefined ? screen : (rooms.screens.find(({ path }) => path === searchScreen.path) ?? screen)
  return rooms.consoleModules.find((consoleModule) => consoleModule.area === area)?.screens[name]
}

/** The screens that can be shown, by `area.name`. */
export const shownScreens = (rooms: Rooms): ReadonlySet<string> =>
  new Set(rooms.screens.filter((screen) => componentOf(rooms, screen) !== undefined).map(screenKey))

/** A screen by its room and name, where it can be shown: the shell's few fixed links. */
export const findScreen = (rooms: Rooms, area: string, name: string): Screen | undefined =>
  rooms.screens.find((screen) => screen.area === area && screen.name === name && componentOf(rooms, screen) !== undefined)

/** The address of a place that a room has named; undefined where the viewer may not open it. */
export function pathOfPlace(rooms: Rooms, granted: readonly string[], { area, screen: name, params = {} }: SelfPlace): string | undefined {
  const screen = findScreen(rooms, area, name)
  return screen === undefined || !satisfies(granted, screen.needs) ? undefined : fillPath(screen.path, params)
}

const gathered = new WeakMap<readonly ConsoleModule[], Gathered>()

function offersIn(consoleModules: readonly ConsoleModule[]): Gathered {
  const known = gathered.get(consoleModules) ?? gatherOffers(consoleModules)
  gathered.set(consoleModules, known)
  return known
}

/** What the rooms offer to a slot, in the order of the rooms. */
export const offersTo = <T>(slot: Slot<T>): readonly T[] => offersIn(roomsStore.getState().consoleModules)(slot)

/** The same where it is drawn. */
export const useOffers = <T>(slot: Slot<T>): readonly T[] => offersIn(roomsStore((rooms) => rooms.consoleModules))(slot)

/** A kind of record with the list that its room draws. */
export type RecordList = RecordKind & { load: LazyScreen }

/** The kinds of records, as people look for them. */
export const useRecordKinds = (): readonly RecordKind[] => roomsStore((rooms) => rooms.records).toSorted(byPlace)

/** The lists of the inventory that the viewer may see. */
export function useLists(): RecordList[] {
  const consoleModules = roomsStore((rooms) => rooms.consoleModules)
  const granted = useViewerIfAny()?.permission.View ?? []
  return useRecordKinds().flatMap((kind) => {
    const load = consoleModules.find((consoleModule) => consoleModule.area === kind.area)?.lists?.[kind.name]
    return load === undefined || !satisfies(granted, kind.needs) ? [] : [{ ...kind, load }]
  })
}
