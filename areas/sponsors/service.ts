// What other rooms may ask about sponsors.

import type { Tenancy } from '#core/server/tenancy.ts'
import { findSponsorOf, findRow } from './server/store.ts'

export type Sponsor = { id: string; userId: string }

/** Answers undefined where the person has no sponsor. */
export async function sponsorOf(tenancy: Tenancy, userId: string): Promise<Sponsor | undefined> {
  const id = await findSponsorOf(tenancy, userId)
  const row = id === undefined ? undefined : await findRow(tenancy, id)
  return row && { id: row.id, userId: row.user_id }
}
