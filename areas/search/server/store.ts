import type { Database } from '#core/server/database.ts'

type ViewTables = {
  search_views: { tenant_id: string; user_id: string; list: string; name: string; path: string; query: string; kept_at: Date }
}

const tables = (db: Database) => db.withTables<ViewTables>()

type Owner = { tenantId: string; userId: string }
type View = { list: string; name: string; path: string; query: string }

export const viewsOf = (db: Database, { tenantId, userId }: Owner): Promise<View[]> =>
  tables(db)
    .selectFrom('search_views')
    .select(['list', 'name', 'path', 'query'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .orderBy('kept_at')
    .execute()

export const keepView = async (db: Database, { tenantId, userId }: Owner, { list, name, path, query }: View, now: Date): Promise<void> => {
  await tables(db)
    .insertInto('search_views')
    .values({ tenant_id: tenantId, user_id: userId, list, name, path, query, kept_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id', 'list', 'name']).doUpdateSet({ path, query, kept_at: now }))
    .execute()
}

/** False where there was none. */
export const removeView = async (
  db: Database,
  { tenantId, userId }: Owner,
  { list, name }: Pick<View, 'list' | 'name'>,
): Promise<boolean> =>
  (await tables(db)
    .deleteFrom('search_views')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('list', '=', list)
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()) !== undefined

export async function deleteViews(db: Database, { tenantId, userId }: Owner): Promise<void> {
  await tables(db).deleteFrom('search_views').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
