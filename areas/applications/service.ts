// What other rooms may ask of the applications: which there are, who comes as one of them, and who made a secret.

import { findProgram } from '#areas/users/programs.ts'
import { programRights } from '#areas/users/rights.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { isWithin } from './server/bearer.ts'
import { findApplication, findSecretById } from './server/store.ts'

/** An application by its id, on or off, with what it may do. */
export async function findProgramApplication(
  tenancy: Tenancy,
  id: string,
): Promise<{ id: string; name: string; scopes: readonly string[] } | undefined> {
  const row = await findApplication(tenancy, id)
  const program = row && (await findProgram(tenancy, id))
  return row && { id: row.id, name: row.name, scopes: program?.scopes ?? row.scopes }
}

/** Who comes as an application by something else than its secret; undefined where it is off, has ended, or is not let in from there. */
export async function viewerOfApplication(
  tenancy: Tenancy,
  id: string,
  { address, credentialId }: { address: string; credentialId: string },
): Promise<Viewer | undefined> {
  const { db, tenantId, now } = tenancy
  const row = await findApplication(tenancy, id)
  const rights = row && (await programRights(db, tenantId, id))
  if (row === undefined || rights === undefined) return undefined
  if ((row.ends_at !== null && row.ends_at <= now) || !isWithin(row.networks, address)) return undefined
  return {
    userId: id,
    username: rights.person.username,
    tenantId,
    homeTenantId: tenantId,
    permission: rights.permission,
    narrowed: true,
    via: 'token',
    credentialId,
  }
}

/** Who made a secret, and so knows it. Undefined where that was not recorded. */
export const findSecretMaker = async (tenancy: Tenancy, secretId: string): Promise<string | undefined> =>
  (await findSecretById(tenancy, secretId))?.made_by ?? undefined
