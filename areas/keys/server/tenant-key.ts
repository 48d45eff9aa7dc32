// The key of a tenancy: made at its first use, sealed under the installation key, and what everything secret of the tenancy's keys is sealed under.

import { randomBytes } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { sealWith, type InstallationKey } from '#core/server/installation-key.ts'
import { currentTenantKey, insertTenantKey, tenantKeyById } from './store.ts'

type Keeper = Pick<House, 'installationKey'>
export type TenantKey = { id: string; key: InstallationKey }

export async function openTenantKey(db: Database, house: Keeper, tenantId: string, now: Date): Promise<TenantKey> {
  if ((await currentTenantKey(db, tenantId)) === undefined) {
    const id = timeOrderedId(now)
    await insertTenantKey(db, {
      tenant_id: tenantId,
      id,
      sealed: house.installationKey.seal(randomBytes(32), tenantKeyPurpose(tenantId, id)),
      made_at: now,
    })
  }
  const row = await currentTenantKey(db, tenantId)
  if (row === undefined) throw new Error(`The tenancy ${tenantId} has no key`)
  return { id: row.id, key: unsealTenantKey(house, tenantId, row.id, row.sealed) }
}

/** One that something was sealed under earlier. */
export async function earlierTenantKey(db: Database, house: Keeper, tenantId: string, id: string): Promise<InstallationKey> {
  const row = await tenantKeyById(db, tenantId, id)
  if (row === undefined) throw new Error(`The tenancy ${tenantId} has no key ${id}`)
  return unsealTenantKey(house, tenantId, id, row.sealed)
}

export const unsealTenantKey = (house: Keeper, tenantId: string, id: string, sealed: Buffer): InstallationKey =>
  sealWith(house.installationKey.unseal(sealed, tenantKeyPurpose(tenantId, id)))

const tenantKeyPurpose = (tenantId: string, id: string) => `tenant-key:${tenantId}:${id}`

/** What the sealed place of a key is for, so that it opens in its own row only. */
export const keyPurpose = (tenantId: string, keyId: string) => `key:${tenantId}:${keyId}`
