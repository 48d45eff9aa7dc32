// Changes of accounts in directories: what was planned, and how it went.

import type { ColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { WriteAction } from '../write-texts.ts'

/** An attribute by the name that the directory has for it. */
export type WriteChange = { name: string; before: string; after: string }
export type WriteState = 'planned' | 'running' | 'done' | 'failed'
export type WriteRecord = {
  tenant_id: string
  id: string
  directory_id: string
  user_id: string
  action: WriteAction
  target: string
  dn: string
  changes: WriteChange[]
  state: WriteState
  says: string
  planned_by: string
  planner: string
  planned_at: Date
  ended_at: Date | null
}

type Tables = { directory_writes: Omit<WriteRecord, 'changes'> & { changes: ColumnType<WriteChange[], string, string> } }
const tables = (db: Database) => db.withTables<Tables>()

export async function insertWrite(
  { db, tenantId, now }: Tenancy,
  write: Omit<WriteRecord, 'tenant_id' | 'planned_at' | 'ended_at' | 'state' | 'says'>,
): Promise<void> {
  await tables(db)
    .insertInto('directory_writes')
    .values({
      tenant_id: tenantId,
      ...write,
      changes: JSON.stringify(write.changes),
      state: 'planned',
      says: '',
      planned_at: now,
      ended_at: null,
    })
    .execute()
}

export const findWrite = ({ db, tenantId }: Tenancy, id: string): Promise<WriteRecord | undefined> =>
  tables(db).selectFrom('directory_writes').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const listWritesOf = ({ db, tenantId }: Tenancy, userId: string, most: number): Promise<WriteRecord[]> =>
  tables(db)
    .selectFrom('directory_writes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('state', '!=', 'planned')
    .orderBy('planned_at', 'desc')
    .limit(most)
    .execute()

/** False where it does not wait any more: somebody else was faster. */
export async function takeWrite({ db, tenantId }: Tenancy, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('directory_writes')
    .set({ state: 'running' })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('state', '=', 'planned')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function endWrite({ db, tenantId, now }: Tenancy, id: string, state: 'done' | 'failed', says: string): Promise<void> {
  await tables(db)
    .updateTable('directory_writes')
    .set({ state, says, ended_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export async function deleteWritesOf(db: Database, tenantId: string, by: 'user_id' | 'directory_id', id: string): Promise<void> {
  await tables(db).deleteFrom('directory_writes').where('tenant_id', '=', tenantId).where(by, '=', id).execute()
}

export async function deleteOldWrites({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  await tables(db).deleteFrom('directory_writes').where('tenant_id', '=', tenantId).where('planned_at', '<', before).execute()
}
