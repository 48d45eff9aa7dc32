// Which tenancies there are, for jobs and for the names of visitors. The room that keeps them registers how to read them, because core knows no room.

import type { House } from './house.ts'

export type KnownTenancy = { id: string; name: string }
export type TenancyDirectory = { find(id: string): Promise<KnownTenancy | undefined>; list(): Promise<readonly KnownTenancy[]> }

const directories = new WeakMap<House, TenancyDirectory>()

export function registerTenancies(house: House, directory: TenancyDirectory): void {
  directories.set(house, directory)
}

export const tenancyName = async (house: House, id: string): Promise<string | undefined> => (await directories.get(house)?.find(id))?.name

/** In the order of their ids, so that a run can go on behind the one where the last stopped. */
export const allTenancies = async (house: House): Promise<readonly KnownTenancy[]> =>
  ((await directories.get(house)?.list()) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1))
