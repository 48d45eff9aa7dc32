// Identifiers that more than one device claims. One is open as long as nobody has decided it; decided ones stay, for the log and the undo.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { IdentifierKind } from '../rules.ts'
import type { Identifier } from './claim-store.ts'

export type ConflictState = 'open' | 'merged' | 'apart' | 'undone'
export type ConflictRecord = {
  tenant_id: string
  id: string
  kind: IdentifierKind
  value: string
  state: ConflictState
  found_at: Date
  decided_at: Date | null
  decided_by: string
  kept_id: string | null
  device_ids: string[]
}
const tables = (db: Database) => db.withTables<{ device_conflicts: ConflictRecord }>()

export const findConflicts = (
  { db, tenantId }: Tenancy,
  states: readonly ConflictState[],
  page: { page: number; size: number },
): Promise<{ rows: ConflictRecord[]; total: number }> =>
  readPage(
    tables(db)
      .selectFrom('device_conflicts')
      .where('tenant_id', '=', tenantId)
      .$if(states.length > 0, (query) => query.where('state', 'in', [...states])),
    page,
    (all) =>
      all
        .selectAll()
        .orderBy(sql`state = 'open' desc`)
        .orderBy('found_at', 'desc')
        .orderBy('id'),
  )

export const lockConflict = ({ db, tenantId }: Tenancy, id: string): Promise<ConflictRecord | undefined> =>
  tables(db)
    .selectFrom('device_conflicts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** What was decided last about an identifier, or is open. */
export const findOfIdentifier = ({ db, tenantId }: Tenancy, { kind, value }: Identifier): Promise<ConflictRecord | undefined> =>
  tables(db)
    .selectFrom('device_conflicts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .orderBy(sql`state = 'open' desc`)
    .orderBy('found_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const insertConflict = async (
  { db, tenantId, now }: Tenancy,
  conflict: Identifier & { id: string; device_ids: string[] },
): Promise<void> =>
  void (await tables(db)
    .insertInto('device_conflicts')
    .values({ tenant_id: tenantId, state: 'open', found_at: now, decided_at: null, decided_by: '', kept_id: null, ...conflict })
    .execute())

export const updateConflict = async (
  { db, tenantId }: Tenancy,
  id: string,
  values: Partial<Pick<ConflictRecord, 'state' | 'decided_at' | 'decided_by' | 'kept_id' | 'device_ids'>>,
): Promise<void> =>
  void (await tables(db).updateTable('device_conflicts').set(values).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const deleteConflict = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('device_conflicts').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** Those that are open and in which one of these devices stands. */
export const listOpen = async ({ db, tenantId }: Tenancy, deviceIds: readonly string[]): Promise<ConflictRecord[]> =>
  deviceIds.length === 0
    ? []
    : tables(db)
        .selectFrom('device_conflicts')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('state', '=', 'open')
        .where(sql<boolean>`device_ids && ${[...deviceIds]}::uuid[]`)
        .execute()

export async function countOpen({ db, tenantId }: Tenancy): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('device_conflicts')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  return Number(count)
}
