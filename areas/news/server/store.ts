import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type NewsRecord = {
  tenant_id: string
  version: number
  markdown: string
  shown_from: string | null
  shown_until: string | null
  changed_by: string
  changed_at: Date
}

type NewsTables = { news: NewsRecord; news_seen: { tenant_id: string; user_id: string; version: number } }
const tables = (db: Database) => db.withTables<NewsTables>()

export const findNews = ({ db, tenantId }: Tenancy): Promise<NewsRecord | undefined> =>
  tables(db).selectFrom('news').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

/** False where it has a higher version by now. */
export async function updateNews({ db, tenantId }: Tenancy, news: Omit<NewsRecord, 'tenant_id'>): Promise<boolean> {
  const written = await tables(db)
    .insertInto('news')
    .values({ tenant_id: tenantId, ...news })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(news).where('news.version', '<=', news.version))
    .returning('version')
    .executeTakeFirst()
  return written !== undefined
}

export const findSeen = async ({ db, tenantId }: Tenancy, userId: string): Promise<number> =>
  (
    await tables(db)
      .selectFrom('news_seen')
      .select('version')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.version ?? 0

/** The highest version stays. */
export const noteSeen = async ({ db, tenantId }: Tenancy, userId: string, version: number): Promise<void> =>
  void (await tables(db)
    .insertInto('news_seen')
    .values({ tenant_id: tenantId, user_id: userId, version })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ version }).where('news_seen.version', '<', version))
    .execute())

export const deleteSeen = async ({ db, tenantId }: Tenancy, userId: string): Promise<void> =>
  void (await tables(db).deleteFrom('news_seen').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute())
