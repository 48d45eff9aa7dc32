// What other rooms may ask: the value of a key that they declared.

import { unsealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { valueFault } from './rules.ts'
import { findValue } from './server/store.ts'
import type { PlainKey, SecretKey, ValueOf } from './values.ts'

type Own = Pick<Tenancy, 'db' | 'tenantId'>

export const secretPurpose = (tenantId: string, key: string): string => `value:${tenantId}:${key}`

/** What the tenancy set, or what it is at first: also where a value of an older version fits the key no more. */
export async function readValue<K extends PlainKey>(tenancy: Own, key: K): Promise<ValueOf<K>> {
  const stored = (await findValue(tenancy, key.key))?.value ?? undefined
  const value = stored === undefined || valueFault(key, stored) !== undefined ? key.initial : stored
  return value as ValueOf<K>
}

/** Undefined where the tenancy has not set it. */
export async function readSecret(tenancy: Own, house: Pick<House, 'installationKey'>, { key }: SecretKey): Promise<string | undefined> {
  const row = await findValue(tenancy, key)
  if (row === undefined || row.sealed === null || row.tenant_key_id === null) return undefined
  const { db, tenantId } = tenancy
  const secret = { purpose: secretPurpose(tenantId, key), sealed: row.sealed, tenantKeyId: row.tenant_key_id }
  return (await unsealForTenant(db, house, { tenantId, ...secret })).toString('utf8')
}
