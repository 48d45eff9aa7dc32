// The tenancies and the public addresses: tables of the installation, so none is named by a tenant alone.

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
