// Does the same for each of many where one that fails keeps no other from its turn. What failed is thrown together when all had theirs,
// so that it shows under Jobs.

import type { House } from './house.ts'
import { allTenancies } from './tenancies.ts'

/** One after the other. */
export async function forEach<T>(all: Iterable<T> | AsyncIterable<T>, action: (one: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for await (const one of all) {
    try {
      await action(one)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(reasonOf).join('; '))
}

/** For work over all tenancies that is no job, as what is looked after at start. */
export const forEachTenancy = async (house: House, action: (tenantId: string) => Promise<unknown>): Promise<void> =>
  forEach(await allTenancies(house), ({ id }) => action(id))

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
