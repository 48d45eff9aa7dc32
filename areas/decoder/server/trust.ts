// The tenancy's own authorities as something to verify against: the top of each chain is trusted, the rest of it is what a path may
// lead over. Their certificates are public; nothing else of them is used.

import { listIssuers } from '#areas/authorities/service.ts'
import { offlineAuthorities } from '#areas/authorities/stakes.ts'
import type { Database } from '#core/server/database.ts'

/** DER. */
export async function trustOf(db: Database, tenantId: string, now: Date): Promise<{ roots: Uint8Array[]; intermediates: Uint8Array[] }> {
  const chains = [...(await listIssuers(db, tenantId, now)), ...(await offlineAuthorities(db, tenantId))].map(({ chain }) => chain)
  return { roots: chains.flatMap((chain) => chain.slice(-1)), intermediates: chains.flatMap((chain) => chain.slice(0, -1)) }
}
