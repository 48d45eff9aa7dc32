import type { ColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'

export type Favourite = { path: string; label: string }

type PreferenceTables = {
  user_preferences: {
    tenant_id: string
    user_id: string
    favourites: ColumnType<Favourite[], string, string>
  }
}

const tables = (db: Database) => db.withTables<PreferenceTables>()

export async function findFavourites(db: Database, tenantId: string, userId: string): Promise<Favourite[]> {
  const row = await tables(db)
    .selectFrom('user_preferences')
    .select('favourites')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.favourites ?? []
}

export async function keepFavourites(db: Database, tenantId: string, userId: string, favourites: readonly Favourite[]): Promise<void> {
  const columns = { favourites: JSON.stringify(favourites) }
  await tables(db)
    .insertInto('user_preferences')
    .values({ tenant_id: tenantId, user_id: userId, ...columns })
    .onConflict((met) => met.columns(['tenant_id', 'user_id']).doUpdateSet(columns))
    .execute()
}

export async function deletePreferences(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('user_preferences').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
