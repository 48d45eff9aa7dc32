// How a room hands its screens to the console: `export default show<typeof tickets>('tickets', { add: lazy(() => import('./AddTicket.tsx')) })`.
// Only the contract's type is imported here, so that its shapes stay out of the first load; a screen without a component does not compile.

import type { ComponentType } from 'react'
import type { AnyContract } from '#core/contract/contract.ts'
import type { Offer } from '#core/contract/slots.ts'
import { fromFile, type FromFile } from './from-file.ts'

/** What the path of the address says: the `id` of `/pki/ca/:id?`. */
export type AddressParams = Readonly<Record<string, string | undefined>>

/** What a screen's file exports. `ask` sends what the screen will ask first, before anything is drawn; the screen finds the answer among what was read. */
export type ScreenComponent = ComponentType & { ask?: (address: URLSearchParams, params: AddressParams) => Promise<void> }

export type LazyScreen = FromFile<object, ScreenComponent>

/** A screen's file, loaded when it is first shown. The file exports one component, by its name, and nothing else. */
export const lazy = (load: () => Promise<Record<string, ScreenComponent>>): LazyScreen => fromFile(load)

export type ConsoleOffers = {
  /** The lists of the contract's records, by kind: `{ role: lazy(() => import('./RoleList.tsx')) }`. */
  lists?: Readonly<Record<string, LazyScreen>>
  /** What the room offers to rooms that gather: `offer(slot, thing)`. */
  offers?: readonly Offer[]
  /** The room's help.md: `help: () => import('./help.md?raw')`. */
  help?: () => Promise<{ default: string }>
}

export type ConsoleModule = ConsoleOffers & { area: string; screens: Record<string, LazyScreen> }

export type ScreensOf<C extends AnyContract> = { [K in keyof C['screens']]: LazyScreen }

type Kinds<C extends AnyContract> = NonNullable<C['records']>
type Lists<C extends AnyContract> = { [K in keyof Kinds<C> as Kinds<C>[K] extends { list: object } ? K : never]: LazyScreen }

/** A contract whose records have lists needs their components; without, a room may have no extras at all. */
type Extras<C extends AnyContract> = keyof Lists<C> extends never
  ? [extras?: Omit<ConsoleOffers, 'lists'>]
  : [extras: Omit<ConsoleOffers, 'lists'> & { lists: Lists<C> }]

export const show = <C extends AnyContract>(area: C['area'], screens: ScreensOf<C>, ...[extras]: Extras<C>): ConsoleModule => ({
  area,
  screens,
  ...extras,
})
