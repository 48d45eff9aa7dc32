// What rooms above may ask about authorities that have a successor.

import type { Database } from '#core/server/database.ts'
import { allAuthorities } from './server/store.ts'

/** Those whose successor has taken over: nothing new is asked of them, and their end is as it should be. */
export const followedAuthorities = async (db: Database, tenantId: string): Promise<Set<string>> =>
  new Set(
    (await allAuthorities(db, tenantId)).flatMap(({ predecessor_id: predecessorId, moved_at: movedAt }) =>
      predecessorId === null || movedAt === null ? [] : [predecessorId],
    ),
  )

/** Who comes after whom, as soon as there is a successor. */
export const successions = async (db: Database, tenantId: string): Promise<{ predecessorId: string; successorId: string }[]> =>
  (await allAuthorities(db, tenantId)).flatMap(({ id: successorId, predecessor_id: predecessorId }) =>
    predecessorId === null ? [] : [{ predecessorId, successorId }],
  )
