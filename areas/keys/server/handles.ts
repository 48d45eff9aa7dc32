// The keys that are open: each is read, unsealed and opened once, and signs until it is the least recently used.

import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { handleCache } from './cache.ts'
import { openSoftwareKey, openTokenKey, type KeyHandle } from './providers.ts'
import { findKey } from './store.ts'
import { keyPurpose, unsealTenantKey } from './tenant-key.ts'

/** The key, opened; the same handle for whoever asks while it is among the most recently used. */
export const handleOf = (house: House, tenantId: string, keyId: string): Promise<KeyHandle> =>
  handles.get(house, `${tenantId}:${keyId}`, () => openKey(house, tenantId, keyId))

const handles = handleCache<KeyHandle>(500)

async function openKey(house: House, tenantId: string, keyId: string): Promise<KeyHandle> {
  const row = await inTenant(house.database, tenantId, (db) => findKey(db, tenantId, keyId))
  if (row === undefined) throw new Error(`There is no key ${keyId} in the tenancy ${tenantId}`)
  const opened = unsealTenantKey(house, tenantId, row.tenant_key_id, row.tenant_key_sealed).unseal(row.sealed, keyPurpose(tenantId, keyId))
  return row.token_id === null
    ? openSoftwareKey(row.algorithm, opened)
    : openTokenKey(house, row.algorithm, { tenantId, tokenId: row.token_id, objectId: opened, spki: row.spki })
}
