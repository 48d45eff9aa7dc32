import { sql, type RawBuilder } from 'kysely'
import { createHash } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { TenantTable } from '#core/server/tenant-tables.ts'
import { packFile, type PackedFile, type ZipEntry } from '#core/server/zip-writer.ts'
import { namesAnother, type ExportState } from '../rules.ts'

export type ExportRecord = {
  tenant_id: string
  id: string
  state: ExportState
  asked_by: string
  asked_name: string
  asked_at: Date
  tables: number
  tables_done: number
  table_names: string[]
  after: string[] | null
  rows: number
  bytes: number
}

type PartRecord = {
  tenant_id: string
  export_id: string
  number: number
  name: string
  crc: number
  size: number
  packed: Buffer
  /** SHA-256; null in an export of an earlier release. */
  digest: Buffer | null
}

type DepartureTables = {
  tenancy_exports: ExportRecord
  tenancy_export_parts: PartRecord
  tenancy_removals: { tenant_id: string; table_name: string; rows: number }
}

const tables = (db: Database) => db.withTables<DepartureTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

export const findNewestExport = ({ db, tenantId }: Own): Promise<ExportRecord | undefined> =>
  tables(db)
    .selectFrom('tenancy_exports')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('asked_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findRunningExport = ({ db, tenantId }: Own): Promise<ExportRecord | undefined> =>
  tables(db)
    .selectFrom('tenancy_exports')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'running')
    .forUpdate()
    .executeTakeFirst()

export async function insertExport({ db, tenantId }: Own, row: Omit<ExportRecord, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('tenancy_exports')
    .values({ tenant_id: tenantId, ...row })
    .execute()
}

export async function updateExport({ db, tenantId }: Own, id: string, changes: Partial<ExportRecord>): Promise<void> {
  await tables(db).updateTable('tenancy_exports').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Whether an export that is kept still is this person's to fetch. */
export async function mayFetch(
  { db, tenantId }: Own,
  { id, userId, since }: { id: string; userId: string; since: Date },
): Promise<boolean> {
  const row = await tables(db)
    .selectFrom('tenancy_exports')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('asked_by', '=', userId)
    .where('asked_at', '>', since)
    .where('state', 'in', ['ready', 'taken'])
    .executeTakeFirst()
  return row !== undefined
}

export async function insertPart({ db, tenantId }: Own, exportId: string, name: string, content: Uint8Array): Promise<PackedFile> {
  const file = packFile(name, content)
  const { crc, size, packed } = file
  await tables(db)
    .insertInto('tenancy_export_parts')
    .values((all) => ({
      tenant_id: tenantId,
      export_id: exportId,
      number: all
        .selectFrom('tenancy_export_parts')
        .select((part) => part(part.fn.count<number>('number'), '+', 1).as('number'))
        .where('tenant_id', '=', tenantId)
        .where('export_id', '=', exportId),
      name,
      crc,
      size,
      packed,
      digest: createHash('sha256').update(content).digest(),
    }))
    .execute()
  return file
}

export const countParts = async ({ db, tenantId }: Own, exportId: string): Promise<number> =>
  (
    await tables(db)
      .selectFrom('tenancy_export_parts')
      .select((all) => all.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('export_id', '=', exportId)
      .executeTakeFirstOrThrow()
  ).count

/** In their order: the first has the number 1. */
export async function listEntries({ db, tenantId }: Own, exportId: string): Promise<(ZipEntry & { digest: Buffer | null })[]> {
  return tables(db)
    .selectFrom('tenancy_export_parts')
    .select((all) => ['name', 'crc', 'size', 'digest', all.fn<number>('octet_length', ['packed']).as('packedSize')])
    .where('tenant_id', '=', tenantId)
    .where('export_id', '=', exportId)
    .orderBy('number')
    .execute()
}

export const findPacked = async ({ db, tenantId }: Own, exportId: string, number: number): Promise<Buffer | undefined> =>
  (
    await tables(db)
      .selectFrom('tenancy_export_parts')
      .select('packed')
      .where('tenant_id', '=', tenantId)
      .where('export_id', '=', exportId)
      .where('number', '=', number)
      .executeTakeFirst()
  )?.packed

export async function deleteParts({ db, tenantId }: Own, exportId: string): Promise<void> {
  await tables(db).deleteFrom('tenancy_export_parts').where('tenant_id', '=', tenantId).where('export_id', '=', exportId).execute()
}

export async function deleteExports({ db, tenantId }: Own, before: Date): Promise<void> {
  await tables(db).deleteFrom('tenancy_exports').where('tenant_id', '=', tenantId).where('asked_at', '<', before).execute()
}

/** Rows of any table in the order of its key, as text for the file and with their keys. */
export async function readRows(
  { db, tenantId }: Own,
  { table, columns, after, most }: { table: TenantTable; columns: readonly string[]; after: readonly string[] | undefined; most: number },
): Promise<{ line: string; key: string[] }[]> {
  const keys = table.primaryKey
  const typeOf = (name: string) => table.columns.find((column) => column.name === name)?.type ?? 'text'
  const list = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql`, `)
  const refs = list(keys.map((name) => sql.ref(name)))
  const behind =
    after === undefined
      ? sql``
      : sql`and (${refs}) > (${list(keys.map((name, at) => sql`cast(${after[at]} as ${sql.raw(typeOf(name))})`))})`
  const { rows } = await sql<{ line: string; key: string[] }>`
    select (select row_to_json(kept)::text from (select ${list(columns.map((name) => sql.ref(`read.${name}`)))}) as kept) as line,
      array[${list(keys.map((name) => sql`${sql.ref(`read.${name}`)}::text`))}] as key
    from (select * from ${sql.table(table.name)} where tenant_id = ${tenantId} ${behind} order by ${refs} limit ${most}) as read`.execute(
    db,
  )
  return rows
}

/** Deletes rows of any table, at most so many; all of one whose rows point to one another. Answers how many. */
export async function deleteSome({ db, tenantId }: Own, { name, pointsToItself }: TenantTable, most: number): Promise<number> {
  const table = sql.table(name)
  const result = pointsToItself
    ? await sql`delete from ${table} where tenant_id = ${tenantId}`.execute(db)
    : await sql`delete from ${table} where ctid = any(array(select ctid from ${table} where tenant_id = ${tenantId} limit ${most}))`.execute(
        db,
      )
  return Number(result.numAffectedRows ?? 0)
}

/** What a tenancy holds about one that goes. Answers how many rows. */
export async function deleteNaming({ db, tenantId }: Own, { name, columns }: TenantTable, goneId: string): Promise<number> {
  const of = columns.find((column) => namesAnother.has(`${name}.${column.name}`))
  if (of === undefined) return 0
  const result = await sql`delete from ${sql.table(name)} where tenant_id = ${tenantId} and ${sql.ref(of.name)} = ${goneId}`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

export async function countRemoved({ db, tenantId }: Own, table: string, rows: number): Promise<void> {
  await tables(db)
    .insertInto('tenancy_removals')
    .values({ tenant_id: tenantId, table_name: table, rows })
    .onConflict((met) =>
      met
        .columns(['tenant_id', 'table_name'])
        .doUpdateSet((all) => ({ rows: all('tenancy_removals.rows', '+', all.ref('excluded.rows')) })),
    )
    .execute()
}

export async function takeRemoved({ db, tenantId }: Own): Promise<Record<string, number>> {
  const rows = await tables(db).deleteFrom('tenancy_removals').where('tenant_id', '=', tenantId).returning(['table_name', 'rows']).execute()
  return Object.fromEntries(
    rows.map(({ table_name, rows: count }) => [table_name, count] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
