import type { Database } from '#core/server/database.ts'

export type RoleTables = {
  roles: { tenant_id: string; id: string; built_in: string | null; name: string; description: string; view: string[]; menu: string[]; api: string[] }
  role_members: { tenant_id: string; role_id: string; user_id: string }
}

export const tables = (db: Database) => db.withTables<RoleTables>()
