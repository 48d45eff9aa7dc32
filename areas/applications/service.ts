// What other rooms may ask of the applications: which there are, and who made a secret.

import type { Tenancy } from '#core/server/tenancy.ts'
import { findApplication, findSecretById } from './server/store.ts'

/** An application by its id, on or off. */
export async function findProgramApplication(tenancy: Tenancy, id: string): Promise<{ id: string; name: string } | undefined> {
  const row = await findApplication(tenancy, id)
  return row && { id: row.id, name: row.name }
}

/** Who made a secret, and so knows it. Undefined where that was not recorded. */
export const findSecretMaker = async (tenancy: Tenancy, secretId: string): Promise<string | undefined> =>
  (await findSecretById(tenancy, secretId))?.made_by ?? undefined
