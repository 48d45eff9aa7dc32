// How a room hands its screens to the console: `export default show<typeof tickets>('tickets', { add: lazy(() => import('./AddTicket.tsx')) })`.
// Only the contract's type is imported here, so that its shapes stay out of the first load; a screen without a component does not compile.

import type { ComponentType } from 'react'
import type { AnyContract } from '#core/contract/contract.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { fromFile, type FromFile } from './from-file.ts'

/** What the path of the address says: the `id` of `/pki/ca/:id?`. */
export type AddressParams = Readonly<Record<string, string | undefined>>

/** What a screen's file exports. `ask` sends what the screen will ask first, before anything is drawn; the screen finds the answer among what was read. */
export type ScreenComponent = ComponentType & { ask?: (address: URLSearchParams, params: AddressParams) => Promise<void> }

export type LazyScreen = FromFile<object, ScreenComponent>

/** A screen's file, loaded when it is first shown. The file exports one component, by its name, and nothing else. */
export const lazy = (load: () => Promise<Record<string, ScreenComponent>>): LazyScreen => fromFile(load)

/** A list that the search screen shows under a tab of its own. */
export type ListOffer = { label: string; needs?: Needs; load: LazyScreen }
/** A picture or a piece of work that the home screen shows. `order` sorts, the smallest first; `wide` takes two columns. */
export type PanelOffer = { title: string; needs?: Needs; order?: number; wide?: boolean; load: LazyScreen }
export type RecordHit = { id: string; label: string; detail?: string; path: string }
/** Finds records for the palette. Asked 200 ms after the last key, with at least two characters. */
export type RecordOffer = { label: string; needs?: Needs; find(text: string, signal: AbortSignal): Promise<RecordHit[]> }

/** Work that waits for the person, as the bell shows it. Read every minute, and whenever something of the room has changed. */
export type WaitingWork = { says: string; count: number; path: string }

export type FaceExtras = {
  waiting?: (signal: AbortSignal) => Promise<WaitingWork[]>
  lists?: Record<string, ListOffer>
  panels?: Record<string, PanelOffer>
  records?: Record<string, RecordOffer>
  /** The room's help.md: `help: () => import('./help.md?raw')`. */
  help?: () => Promise<{ default: string }>
}

export type Face = FaceExtras & { area: string; screens: Record<string, LazyScreen> }

export type ScreensOf<C extends AnyContract> = { [K in keyof C['screens']]: LazyScreen }

export const show = <C extends AnyContract>(area: C['area'], screens: ScreensOf<C>, extras: FaceExtras = {}): Face => ({
  area,
  screens,
  ...extras,
})
