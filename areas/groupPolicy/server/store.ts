// Group policies of which a backup was read, and their readings.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type GpoRecord = { tenant_id: string; id: string; guid: string; name: string; read_at: Date; readings: number }
export type ReadingRecord = {
  tenant_id: string
  id: string
  gpo_id: string
  read_at: Date
  read_by: string
  computer_version: number
  user_version: number
  content: string
}

type RefreshRecord = { tenant_id: string; directory_id: string; reading: string; until: Date }

type GroupPolicyTables = { gpos: GpoRecord; gpo_readings: ReadingRecord; group_policy_refreshes: RefreshRecord }

const tables = (db: Database) => db.withTables<GroupPolicyTables>()

/** Answers the id of the policy, whose name may have changed; whoever reads the same besides waits. */
export async function upsertGpo({ db, tenantId, now }: Tenancy, row: Pick<GpoRecord, 'id' | 'guid' | 'name'>): Promise<string> {
  const { id } = await tables(db)
    .insertInto('gpos')
    .values({ tenant_id: tenantId, ...row, read_at: now, readings: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'guid'])
        .doUpdateSet((all) => ({ name: row.name, read_at: now, readings: all('gpos.readings', '+', 1) })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const insertReading = async ({ db, tenantId, now }: Tenancy, row: Omit<ReadingRecord, 'tenant_id' | 'read_at'>): Promise<void> =>
  void (await tables(db)
    .insertInto('gpo_readings')
    .values({ tenant_id: tenantId, read_at: now, ...row })
    .execute())

/** The newest first. */
export const listReadings = ({ db, tenantId }: Tenancy, gpoId: string, most: number): Promise<ReadingRecord[]> =>
  tables(db)
    .selectFrom('gpo_readings')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('gpo_id', '=', gpoId)
    .orderBy('read_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()

export async function deleteReadings({ db, tenantId }: Tenancy, gpoId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tables(db)
    .deleteFrom('gpo_readings')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  await tables(db)
    .updateTable('gpos')
    .set((all) => ({ readings: all('readings', '-', ids.length) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', gpoId)
    .execute()
}

export const findRows = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<GpoRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('gpos')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

const matching = ({ db, tenantId }: Tenancy, text: string) =>
  tables(db)
    .selectFrom('gpos')
    .where('gpos.tenant_id', '=', tenantId)
    .$if(text !== '', (query) =>
      query.where((all) =>
        all.or([
          all.eb(all.fn<number>('strpos', [all.fn('lower', ['gpos.name']), all.val(text.toLowerCase())]), '>', 0),
          all('gpos.guid', '=', text.toLowerCase().replace(/[{}]/g, '')),
        ]),
      ),
    )

export const findNamed = (tenancy: Tenancy, text: string, most: number): Promise<GpoRecord[]> =>
  matching(tenancy, text).selectAll('gpos').orderBy('name').limit(most).execute()

type Part = { page: number; size: number; text: string; sort?: 'name' | 'readAt' | undefined; direction: 'asc' | 'desc' }

const columns = { name: 'name', readAt: 'read_at' } as const

export async function findPage(
  tenancy: Tenancy,
  { text, page, size, sort = 'name', direction }: Part,
): Promise<{ rows: GpoRecord[]; total: number }> {
  return readPage(matching(tenancy, text.trim()), { page, size }, (all) =>
    all.selectAll('gpos').orderBy(columns[sort], direction).orderBy('id'),
  )
}

export async function deleteGpo({ db, tenantId }: Tenancy, id: string): Promise<void> {
  await tables(db).deleteFrom('gpo_readings').where('tenant_id', '=', tenantId).where('gpo_id', '=', id).execute()
  await tables(db).deleteFrom('gpos').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** False where the domain is being read already. */
export async function insertRefresh(
  { db, tenantId, now }: Tenancy,
  { directoryId, reading, until }: { directoryId: string; reading: string; until: Date },
): Promise<boolean> {
  const row = await tables(db)
    .insertInto('group_policy_refreshes')
    .values({ tenant_id: tenantId, directory_id: directoryId, reading, until })
    .onConflict((met) =>
      met
        .columns(['tenant_id', 'directory_id'])
        .doUpdateSet({ reading, until })
        .where(sql<boolean>`group_policy_refreshes.until <= ${now}`),
    )
    .returning('directory_id')
    .executeTakeFirst()
  return row !== undefined
}

export const deleteRefresh = async ({ db, tenantId }: Tenancy, directoryId: string, reading: string): Promise<void> =>
  void (await tables(db)
    .deleteFrom('group_policy_refreshes')
    .where('tenant_id', '=', tenantId)
    .where('directory_id', '=', directoryId)
    .where('reading', '=', reading)
    .execute())
