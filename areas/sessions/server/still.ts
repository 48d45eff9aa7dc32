// A password is slow to look at, so it is done before the transaction that gives something for it. In that transaction what was seen must hold still: else
// a password that is changed at the same moment, or a person who is disabled, leaves something behind that works on.

import { storedHash } from '#areas/users/passwords.ts'
import { holdPerson } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { sessionStands } from './store.ts'

/** What was seen: the stored hash that the password fitted, and the session that asks. */
export type Seen = { tenantId: string; userId: string; hash: string | undefined; sessionId?: string }

/** Whether it holds still, and until the transaction ends: whoever takes access away holds the person's row as well. */
export async function holdsStill(db: Database, { tenantId, userId, hash, sessionId }: Seen): Promise<boolean> {
  const person = await holdPerson(db, tenantId, userId)
  return (
    person?.enabled === true &&
    (await storedHash(db, tenantId, userId)) === hash &&
    (sessionId === undefined || (await sessionStands(db, tenantId, sessionId)))
  )
}
