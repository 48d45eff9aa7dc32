import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import { tables, type DrillRecord } from './store.ts'

export async function insertDrill(db: Database, { query, report, ...columns }: DrillRecord): Promise<void> {
  await tables(db)
    .insertInto('revocation_drills')
    .values({ ...columns, query: JSON.stringify(query), report: JSON.stringify(report) })
    .execute()
}

export const findDrill = (db: Database, tenantId: string, id: string): Promise<DrillRecord | undefined> =>
  tables(db).selectFrom('revocation_drills').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function searchDrills(
  db: Database,
  tenantId: string,
  { text, page, size }: { text: string; page: number; size: number },
): Promise<{ rows: DrillRecord[]; total: number }> {
  const wanted = text.trim().toLowerCase()
  const found = tables(db)
    .selectFrom('revocation_drills')
    .where('tenant_id', '=', tenantId)
    .$if(wanted !== '', (all) => all.where(sql<boolean>`position(${wanted} in lower(name || ' ' || by_name)) > 0`))
  return readPage(found, { page, size }, (all) => all.selectAll().orderBy('at', 'desc').orderBy('id', 'desc'))
}
