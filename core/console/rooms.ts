// The rooms as the shell sees them: their faces and their screens, set once at the start.

import { create } from 'zustand'
import type { Screen } from '#core/contract/contract.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { useViewerIfAny } from './bootstrap.ts'
import type { Face, ListOffer, LazyScreen, PanelOffer, RecordOffer } from './show.ts'

export type Rooms = { faces: readonly Face[]; screens: readonly Screen[] }

export const roomsStore = create<Rooms>(() => ({ faces: [], screens: [] }))

export const screenKey = (screen: { area: string; name: string }): string => `${screen.area}.${screen.name}`

/** The component of a screen; undefined while its room has none. */
export const componentOf = (rooms: Rooms, screen: Screen): LazyScreen | undefined =>
  rooms.faces.find((face) => face.area === screen.area)?.screens[screen.name]

/** The screens that can be shown, by `area.name`. */
export const shownScreens = (rooms: Rooms): ReadonlySet<string> =>
  new Set(rooms.screens.filter((screen) => componentOf(rooms, screen) !== undefined).map(screenKey))

/** A screen by its room and name, where it can be shown: the shell's few fixed links. */
export const findScreen = (rooms: Rooms, area: string, name: string): Screen | undefined =>
  rooms.screens.find((screen) => screen.area === area && screen.name === name && componentOf(rooms, screen) !== undefined)

type Offered<T> = T & { key: string; area: string }

/** What the rooms offer to others, as far as the viewer may see it. */
export function useOffers(kind: 'lists'): Offered<ListOffer>[]
export function useOffers(kind: 'panels'): Offered<PanelOffer>[]
export function useOffers(kind: 'records'): Offered<RecordOffer>[]
export function useOffers(kind: 'lists' | 'panels' | 'records'): Offered<ListOffer | PanelOffer | RecordOffer>[] {
  const faces = roomsStore((rooms) => rooms.faces)
  const granted = useViewerIfAny()?.permission.View ?? []
  return faces
    .flatMap((face) =>
      Object.entries(face[kind] ?? {}).map(([key, offer]: [string, ListOffer | PanelOffer | RecordOffer]) => ({
        ...offer,
        key,
        area: face.area,
      })),
    )
    .filter((offer) => satisfies(granted, offer.needs ?? 'signedIn'))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
}

const placeOf = (offer: { order?: number } | { needs?: Needs }): number =>
  'order' in offer && offer.order !== undefined ? offer.order : 100
