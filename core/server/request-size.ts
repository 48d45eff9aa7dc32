// How long a request of a tenancy may be, where the tenancy says less than the call itself. The room that keeps it registers how to read it, because core
// knows no room.

import type { Exchange } from './exchange.ts'
import type { House } from './house.ts'

type ReadLimit = (tenantId: string) => Promise<number | undefined>

const readers = new WeakMap<House, ReadLimit>()

export const registerRequestLimit = (house: House, read: ReadLimit): void => void readers.set(house, read)

/** No tenancy is held to less: somebody could not take it back. What is shorter costs no look at the limit. */
export const leastRequestLimit = 64 * 1024

/** The bytes that this request may have: what the call takes, or less where the tenancy says so. */
export async function requestLimit({ house, viewer, incoming }: Exchange, most: number): Promise<number> {
  const length = incoming.headers['content-length']
  if (viewer === undefined || (length !== undefined && Number(length) <= leastRequestLimit)) return most
  const own = await readers.get(house)?.(viewer.tenantId)
  return own === undefined ? most : Math.min(most, Math.max(own, leastRequestLimit))
}
