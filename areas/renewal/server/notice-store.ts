// What the job has to tell people, and when each had the last letter of it.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type Turn = 'awaitingHolder' | 'awaitingKey' | 'collect'
export type NoticeRecord = { tenant_id: string; id: string; user_id: string; turn: Turn; certificate_id: string; request_id: string | null }

type NoticeTables = {
  renewal_notices: NoticeRecord
  renewal_digests: { tenant_id: string; user_id: string; kind: string; sent_at: Date }
}
const tables = (db: Database) => db.withTables<NoticeTables>()

export const insertNotice = async (db: Database, notice: NoticeRecord): Promise<void> =>
  void (await tables(db).insertInto('renewal_notices').values(notice).execute())

/** Held until the commit, so that two servers write no letter twice. */
export const lockNotices = ({ db, tenantId }: Tenancy, most: number): Promise<NoticeRecord[]> =>
  tables(db)
    .selectFrom('renewal_notices')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('user_id')
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .execute()

export async function deleteNotices({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tables(db)
    .deleteFrom('renewal_notices')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
}

/** False where the person had a letter of this kind since; else this one is noted. */
export async function noteDigest(
  { db, tenantId, now }: Tenancy,
  { userId, kind, since }: { userId: string; kind: string; since: Date },
): Promise<boolean> {
  const noted = await tables(db)
    .insertInto('renewal_digests')
    .values({ tenant_id: tenantId, user_id: userId, kind, sent_at: now })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'user_id', 'kind']).doUpdateSet({ sent_at: now }).where('renewal_digests.sent_at', '<=', since),
    )
    .returning('user_id')
    .executeTakeFirst()
  return noted !== undefined
}

export async function deleteNoticesOf(db: Database, tenantId: string, userId: string): Promise<void> {
  for (const table of ['renewal_notices', 'renewal_digests'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
