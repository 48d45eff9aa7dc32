// What other rooms may ask of the applications: which there are.

import type { Tenancy } from '#core/server/tenancy.ts'
import { findApplication } from './server/store.ts'

/** An application by its id, on or off. */
export async function findProgramApplication(tenancy: Tenancy, id: string): Promise<{ id: string; name: string } | undefined> {
  const row = await findApplication(tenancy, id)
  return row && { id: row.id, name: row.name }
}
