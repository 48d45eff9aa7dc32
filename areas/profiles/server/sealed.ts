// The sensitive groups of a person: sealed one by one under the tenancy's key, so that neither a backup nor a statement shows them.

import * as z from 'zod'
import { sealForTenant, unsealForTenant } from '#areas/keys/sealing.ts'
import type { AttributeGroup } from '#areas/users/attributes.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { deleteSealed, findSealed, updateSealed } from './store.ts'

type Keeper = Pick<House, 'installationKey'>
const Values = z.record(z.string(), z.string())

const purposeOf = (userId: string, group: string): string => `profiles.attributes:${userId}:${group}`

export async function readSealed(tenancy: Tenancy, house: Keeper, userId: string, group: AttributeGroup): Promise<Record<string, string>> {
  const row = await findSealed(tenancy, userId, group)
  if (row === undefined) return {}
  const plain = await unsealForTenant(tenancy.db, house, {
    tenantId: tenancy.tenantId,
    purpose: purposeOf(userId, group),
    sealed: row.sealed,
    tenantKeyId: row.tenant_key_id,
  })
  return Values.parse(JSON.parse(plain.toString('utf8')))
}

/** Writes some attributes of a group and keeps the others; answers the names of those that changed. */
export async function writeSealed(
  tenancy: Tenancy,
  house: Keeper,
  { userId, group, values }: { userId: string; group: AttributeGroup; values: Readonly<Record<string, string>> },
): Promise<string[]> {
  const before = await readSealed(tenancy, house, userId, group)
  const changed = Object.entries(values).flatMap(([name, value]) => ((before[name] ?? '') === value ? [] : [name]))
  if (changed.length === 0) return []
  const after = Object.fromEntries(Object.entries({ ...before, ...values }).filter(([, value]) => value !== ''))
  if (Object.keys(after).length === 0) {
    await deleteSealed(tenancy, userId, group)
    return changed
  }
  const { sealed, tenantKeyId } = await sealForTenant(tenancy.db, house, {
    tenantId: tenancy.tenantId,
    purpose: purposeOf(userId, group),
    plain: Buffer.from(JSON.stringify(after)),
    now: tenancy.now,
  })
  await updateSealed(tenancy, { user_id: userId, group_name: group, sealed, tenant_key_id: tenantKeyId })
  return changed
}
