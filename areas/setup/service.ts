// Set-up without a browser: for the terminal (the printed link, `npm run bootstrap`) and the demonstration estate.

import { addBuiltInRoles, setRoles } from '#areas/roles/service.ts'
import { addTenancy, managementTenancy, type NewTenancy } from '#areas/tenancy/service.ts'
import { addPerson, type NewPerson } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { enterTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { setup } from './contract.ts'
import { makeSetupToken } from './server/store.ts'

/** A link of the first start, beside those that other servers and earlier starts have made; undefined once set-up is done. */
export async function setupLink(house: House): Promise<string | undefined> {
  if ((await managementTenancy(house.database)) !== undefined) return undefined
  return `${house.settings.origin}/bootstrapmode?token=${await makeSetupToken(house.database, house.now())}`
}

/** A tenancy with its built-in roles and one administrator, in the open transaction, which afterwards is in the new tenancy. Undefined where the username is taken. */
export async function makeTenancy(
  db: Database,
  draft: NewTenancy,
  administrator: Omit<NewPerson, 'origin'>,
  now: Date,
): Promise<{ tenancyId: string; userId: string; roles: Record<string, string> } | undefined> {
  const tenancyId = await addTenancy(db, draft, now)
  await enterTenant(db, tenancyId)
  const roles = await addBuiltInRoles(db, tenancyId, now)
  const userId = await addPerson(db, tenancyId, { ...administrator, origin: 'setup' }, now)
  if (userId === undefined) return undefined
  await setRoles(db, tenancyId, userId, [roles['administrator'] ?? ''])
  return { tenancyId, userId, roles }
}

/** After a restore: what came back is an older state, and the log of the management tenancy says so. */
export async function recordRestore(house: House, body: { backupMadeAt: string; checkpoint: string }): Promise<void> {
  const management = await managementTenancy(house.database)
  if (management === undefined) return
  await house.work(management.id, { name: 'Restore' }, async ({ emitFor }) => emitFor(setup)('restored', body))
}
