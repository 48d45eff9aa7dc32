// Checks the rights of a viewer again, for rooms that store what a slow key has signed since the call began.

import { passesDoor, type Door } from '#core/contract/access.ts'
import type { Database } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import { viewerNow } from './service.ts'

/** False where the account is disabled or gone, has lost the permission or its token, or may not work in that tenancy any more. */
export async function mayStill(db: Database, viewer: Viewer, door: Door, now: Date): Promise<boolean> {
  const rights = await viewerNow(db, viewer, now)
  return rights !== undefined && passesDoor(rights, door)
}
