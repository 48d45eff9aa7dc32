// The tenancies and the public addresses: tables of the installation, so none is named by a tenant alone.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { TenancyKind } from '../rules.ts'

type TenancyTables = {
  tenancies: {
    id: string
    name: string
    kind: TenancyKind
    managed_by: string | null
    banner_colour: string
    support_email: string
    disclaimer: string
    toast_timeout: string
    time_zone: string
    username_pattern: string
    username_message: string
    sign_in_suffix: string
    require_secret_questions: boolean
    created_at: Date
    /** When it is removed; null while it stays. */
    ends_at: Date | null
    removing_at: Date | null
    end_asked_by: string
  }
  public_addresses: { id: string; tenant_id: string; kind: string; target: string }
}

const tables = (db: Database) => db.withTables<TenancyTables>()

export type TenancyRow = TenancyTables['tenancies']

export const findRow = (db: Database, id: string): Promise<TenancyRow | undefined> =>
  tables(db).selectFrom('tenancies').selectAll().where('id', '=', id).executeTakeFirst()

export const allRows = (db: Database): Promise<TenancyRow[]> =>
  tables(db).selectFrom('tenancies').selectAll().orderBy('created_at').execute()

export const managementRow = (db: Database): Promise<TenancyRow | undefined> =>
  tables(db).selectFrom('tenancies').selectAll().where('kind', '=', 'management').executeTakeFirst()

export const rowsManagedBy = (db: Database, homeId: string): Promise<TenancyRow[]> =>
  tables(db).selectFrom('tenancies').selectAll().where('managed_by', '=', homeId).orderBy('name').execute()

export type TenancyPage = { page: number; size: number; text: string; direction: 'asc' | 'desc' }

/** A page of the tenancies that one manages and whose name has the text in it. */
export async function pageManagedBy(
  db: Database,
  homeId: string,
  { page, size, text, direction }: TenancyPage,
): Promise<{ rows: TenancyRow[]; total: number }> {
  const mine = tables(db)
    .selectFrom('tenancies')
    .where('managed_by', '=', homeId)
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.toLowerCase())]), '>', 0)),
    )
  return readPage(mine, { page, size }, (all) => all.selectAll().orderBy('name', direction))
}

export const rowOfSuffix = (db: Database, suffix: string): Promise<Pick<TenancyRow, 'id'> | undefined> =>
  tables(db).selectFrom('tenancies').select('id').where('sign_in_suffix', '=', suffix).executeTakeFirst()

export async function nameIsTaken(db: Database, name: string): Promise<boolean> {
  const row = await tables(db)
    .selectFrom('tenancies')
    .select('id')
    .where((all) => all.eb(all.fn('lower', ['name']), '=', name.toLowerCase()))
    .executeTakeFirst()
  return row !== undefined
}

/** Throws where the name is taken: the constraint `tenancies_by_name`. */
export async function insertRow(db: Database, row: TenancyRow): Promise<void> {
  await tables(db).insertInto('tenancies').values(row).execute()
}

/** Throws where the name is taken: the constraint `tenancies_by_name`. */
export async function updateRow(db: Database, id: string, changes: Partial<Omit<TenancyRow, 'id'>>): Promise<void> {
  await tables(db).updateTable('tenancies').set(changes).where('id', '=', id).execute()
}

export async function insertAddress(db: Database, row: TenancyTables['public_addresses']): Promise<void> {
  await tables(db).insertInto('public_addresses').values(row).execute()
}

export const findAddress = (db: Database, kind: string, id: string): Promise<TenancyTables['public_addresses'] | undefined> =>
  tables(db).selectFrom('public_addresses').selectAll().where('id', '=', id).where('kind', '=', kind).executeTakeFirst()

/** Whether the tenancy stays: for statements of who may work in it, so that they need no other one. */
export const staysOpen = (tenantId: string) =>
  sql<boolean>`not exists (select from tenancies where id = ${tenantId} and ends_at is not null)`

/** Those that will be removed, the next one first. */
export const listEnding = (db: Database, before?: Date): Promise<TenancyRow[]> =>
  tables(db)
    .selectFrom('tenancies')
    .selectAll()
    .where('ends_at', 'is not', null)
    .$if(before !== undefined, (query) => query.where('ends_at', '<=', before ?? new Date(0)))
    .orderBy('ends_at')
    .orderBy('id')
    .execute()

/** False where it ends already. */
export async function endRow(db: Database, id: string, ending: { at: Date; askedBy: string }): Promise<boolean> {
  const row = await tables(db)
    .updateTable('tenancies')
    .set({ ends_at: ending.at, end_asked_by: ending.askedBy })
    .where('id', '=', id)
    .where('kind', '=', 'tenant')
    .where('ends_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** False where it does not end, or where its removal has begun. */
export async function keepRow(db: Database, id: string): Promise<boolean> {
  const row = await tables(db)
    .updateTable('tenancies')
    .set({ ends_at: null, end_asked_by: '' })
    .where('id', '=', id)
    .where('ends_at', 'is not', null)
    .where('removing_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** From here on nothing is kept. False where somebody kept it meanwhile. */
export async function beginRemoval(db: Database, id: string, now: Date): Promise<boolean> {
  const row = await tables(db)
    .updateTable('tenancies')
    .set({ removing_at: now })
    .where('id', '=', id)
    .where('ends_at', '<=', now)
    .where('removing_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteRow(db: Database, id: string): Promise<void> {
  await tables(db).deleteFrom('public_addresses').where('tenant_id', '=', id).execute()
  await tables(db).deleteFrom('tenancies').where('id', '=', id).execute()
}
