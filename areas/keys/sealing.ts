// Secrets of a tenancy that another room keeps: sealed under the tenancy's key, each for one purpose, so that it opens in its own row only.

import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { earlierTenantKey, openTenantKey } from './server/tenant-key.ts'

type Keeper = Pick<House, 'installationKey'>
export type SealedSecret = { sealed: Buffer; tenantKeyId: string }

export async function sealForTenant(
  db: Database,
  house: Keeper,
  { tenantId, purpose, plain, now }: { tenantId: string; purpose: string; plain: Uint8Array; now: Date },
): Promise<SealedSecret> {
  const { id, key } = await openTenantKey(db, house, tenantId, now)
  return { sealed: key.seal(plain, purpose), tenantKeyId: id }
}

/** Throws where it was sealed for another purpose or tenancy. */
export const unsealForTenant = async (
  db: Database,
  house: Keeper,
  { tenantId, purpose, sealed, tenantKeyId }: { tenantId: string; purpose: string } & SealedSecret,
): Promise<Buffer> => (await earlierTenantKey(db, house, tenantId, tenantKeyId)).unseal(sealed, purpose)
