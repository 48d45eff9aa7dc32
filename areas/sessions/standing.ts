// What a viewer can do in a tenancy at this moment: for whoever stores what a slow key has signed since it was asked for.

import { passesDoor, type Door } from '#core/contract/access.ts'
import type { Database } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import { viewerNow } from './service.ts'

/** False where the account is disabled or gone, has lost the permission or its token, or may not work in that tenancy any more. */
export async function mayStill(db: Database, viewer: Viewer, door: Door, now: Date): Promise<boolean> {
  const standing = await viewerNow(db, viewer, now)
  return standing !== undefined && passesDoor(standing, door)
}
