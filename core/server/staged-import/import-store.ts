// The rows of imports. Every statement is of one tenancy, and row security holds it to that.

import { sql, type JSONColumnType } from 'kysely'
import { runStatement } from '../batch.ts'
import type { Database } from '../database.ts'
import { insertRows } from '../insert-rows.ts'

export type ImportStatus = 'uploaded' | 'checking' | 'checked' | 'running' | 'done' | 'undoing' | 'undone' | 'cancelled'
export type RowState = 'staged' | 'good' | 'faulty' | 'applied' | 'failed' | 'undone'
type StoredFault = { column: string; says: string }

type ImportTable = {
  tenant_id: string
  id: string
  kind: string
  file_name: string
  encoding: string
  delimiter: string
  headers: string[]
  mapping: JSONColumnType<Record<string, number>>
  options: JSONColumnType<object>
  status: ImportStatus
  rows: number
  position: number
  /** Who chose the file. */
  actor_id: string | null
  actor: string
  /** Who checks, runs or undoes it, and so whose rights it has; what they held when they began. */
  acting_id: string | null
  acting: string
  acting_granted: JSONColumnType<ImportGrants> | null
  /** Why it does not go on, where nobody stopped it. */
  stopped: string
  created_at: Date
  ended_at: Date | null
}
type RowTable = {
  tenant_id: string
  import_id: string
  position: number
  number: number
  cells: string[]
  state: RowState
  effect: string
  faults: JSONColumnType<StoredFault[]>
  undo: JSONColumnType<object> | null
}

type ImportTables = { imports: ImportTable; import_rows: RowTable }

const tables = (db: Database) => db.withTables<ImportTables>()

export type ImportRecord = Omit<ImportTable, 'mapping' | 'options' | 'acting_granted'> & {
  mapping: Record<string, number>
  options: unknown
  acting_granted: ImportGrants | null
}
/** What somebody holds as they begin a step. */
export type ImportGrants = { View: string[]; Menu: string[]; api: string[]; narrowed: boolean }
export type RowRecord = Omit<RowTable, 'faults' | 'undo'> & { faults: StoredFault[]; undo: unknown }
export type Key = { tenantId: string; importId: string }

export type NewImport = Omit<ImportRecord, 'status' | 'position' | 'ended_at' | 'acting_id' | 'acting' | 'acting_granted' | 'stopped'>
export type NewRow = Pick<RowRecord, 'number' | 'cells'>

export async function insertImport(db: Database, record: NewImport): Promise<void> {
  await tables(db)
    .insertInto('imports')
    .values({
      ...record,
      mapping: JSON.stringify(record.mapping),
      options: JSON.stringify(record.options),
      status: 'uploaded',
      position: 0,
      acting_id: null,
      acting: '',
      acting_granted: null,
      stopped: '',
      ended_at: null,
    })
    .execute()
}

export async function insertImportRows(db: Database, { tenantId, importId }: Key, first: number, rows: readonly NewRow[]): Promise<void> {
  await runStatement(
    db,
    insertRows(
      'import_rows',
      {
        tenant_id: 'uuid',
        import_id: 'uuid',
        position: 'integer',
        number: 'integer',
        cells: 'text[]',
        state: 'text',
        effect: 'text',
        faults: 'jsonb',
      },
      rows.map(({ number, cells }, at) => ({
        tenant_id: tenantId,
        import_id: importId,
        position: first + at,
        number,
        cells,
        state: 'staged',
        effect: '',
        faults: '[]',
      })),
    ),
  )
}

const keyed = ({ tenantId, importId }: Key) => sql<boolean>`tenant_id = ${tenantId} and id = ${importId}`
const rowsOf = ({ tenantId, importId }: Key) => sql<boolean>`tenant_id = ${tenantId} and import_id = ${importId}`

export const findImport = (db: Database, key: Key & { kind: string }): Promise<ImportRecord | undefined> =>
  tables(db).selectFrom('imports').selectAll().where(keyed(key)).where('kind', '=', key.kind).executeTakeFirst()

/** Holds it until the transaction ends: who drives it and who cancels it go one after another. */
export const lockImport = (db: Database, key: Key & { kind: string }): Promise<ImportRecord | undefined> =>
  tables(db).selectFrom('imports').selectAll().where(keyed(key)).where('kind', '=', key.kind).forUpdate().executeTakeFirst()

export type ImportChange = {
  status?: ImportStatus
  position?: number
  ended_at?: Date | null
  mapping?: Record<string, number>
  options?: unknown
  acting_id?: string
  acting?: string
  acting_granted?: ImportGrants
  stopped?: string
}

export async function updateImport(
  db: Database,
  key: Key,
  { mapping, options, acting_granted: granted, ...change }: ImportChange,
): Promise<void> {
  await tables(db)
    .updateTable('imports')
    .set({
      ...change,
      ...(mapping === undefined ? {} : { mapping: JSON.stringify(mapping) }),
      ...(options === undefined ? {} : { options: JSON.stringify(options) }),
      ...(granted === undefined ? {} : { acting_granted: JSON.stringify(granted) }),
    })
    .where(keyed(key))
    .execute()
}

export const listUnderWay = (db: Database, tenantId: string, kind: string): Promise<{ id: string }[]> =>
  tables(db)
    .selectFrom('imports')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('status', 'in', ['checking', 'running', 'undoing'])
    .orderBy('created_at')
    .execute()

/** The latest, without those of which a file was only chosen; a check that stopped is seen. */
export const listLatest = (db: Database, tenantId: string, kind: string, most: number): Promise<ImportRecord[]> =>
  tables(db)
    .selectFrom('imports')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where((all) => all.or([all('status', '<>', 'uploaded'), all('stopped', '<>', '')]))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute()

export async function countOpen(db: Database, tenantId: string, kind: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('imports')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('status', 'in', ['uploaded', 'checking', 'checked', 'running', 'undoing'])
    .executeTakeFirstOrThrow()
  return count
}

/** Forgets what a former check has found. */
export async function resetRows(db: Database, key: Key): Promise<void> {
  await sql`update import_rows set state = 'staged', effect = '', faults = '[]'
    where ${rowsOf(key)} and (state <> 'staged' or faults <> '[]')`.execute(db)
}

/** Notes a fault on each row whose value, in whatever case, stands in a row before it. */
export async function markRepeated(db: Database, key: Key, { cell, column }: { cell: number; column: string }): Promise<void> {
  await sql`
    update import_rows r
    set faults = r.faults || jsonb_build_array(jsonb_build_object('column', ${column}::text, 'says', 'The same value stands in row ' || twice.first))
    from (
      select position, number, first_value(number) over (partition by value order by position) as first
      from (select position, number, lower(btrim(cells[${cell + 1}::integer])) as value from import_rows where ${rowsOf(key)}) as all_rows
      where value <> ''
    ) as twice
    where r.tenant_id = ${key.tenantId} and r.import_id = ${key.importId} and r.position = twice.position and twice.number <> twice.first`.execute(
    db,
  )
}

export type Part = { after: number; most: number; states?: readonly RowState[]; last?: true; faulty?: true }

/** The rows that follow `after`, or with `last` those before it, backwards. */
export async function readRows(db: Database, key: Key, { after, most, states, last, faulty }: Part): Promise<RowRecord[]> {
  return tables(db)
    .selectFrom('import_rows')
    .selectAll()
    .where(rowsOf(key))
    .where('position', last === true ? '<' : '>', after)
    .$if(states !== undefined, (query) => query.where('state', 'in', [...(states ?? [])]))
    .$if(faulty === true, (query) => query.where(sql<boolean>`faults <> '[]'`))
    .orderBy('position', last === true ? 'desc' : 'asc')
    .limit(most)
    .execute()
}

export type RowChange = { position: number; state: RowState; effect: string; faults: readonly StoredFault[]; undo: unknown }

export async function updateRows(db: Database, key: Key, changes: readonly RowChange[]): Promise<void> {
  if (changes.length === 0) return
  const undos = changes.map(({ undo }) => (undo === undefined || undo === null ? null : JSON.stringify(undo)))
  await sql`
    update import_rows r set state = each.state, effect = each.effect, faults = each.faults::jsonb, undo = each.undo::jsonb
    from unnest(
      ${changes.map(({ position }) => position)}::integer[], ${changes.map(({ state }) => state)}::text[], ${changes.map(({ effect }) => effect)}::text[],
      ${changes.map(({ faults }) => JSON.stringify(faults))}::text[], ${undos}::text[]
    ) as each (position, state, effect, faults, undo)
    where r.tenant_id = ${key.tenantId} and r.import_id = ${key.importId} and r.position = each.position`.execute(db)
}

export async function countRows(db: Database, key: Key): Promise<{ state: RowState; effect: string; count: number }[]> {
  return tables(db)
    .selectFrom('import_rows')
    .select((row) => ['state', 'effect', row.fn.countAll<number>().as('count')])
    .where(rowsOf(key))
    .groupBy(['state', 'effect'])
    .execute()
}

/** Forgets how to undo what can no longer be undone, and removes imports that ended, or were left lying, long ago. */
export async function tidyImports(
  db: Database,
  { tenantId, kind, undoBefore, removeBefore }: { tenantId: string; kind: string; undoBefore: Date; removeBefore: Date },
): Promise<void> {
  await sql`
    update import_rows set undo = null where tenant_id = ${tenantId} and undo is not null and import_id in (
      select id from imports where tenant_id = ${tenantId} and kind = ${kind} and status in ('done', 'cancelled') and ended_at <= ${undoBefore}
    )`.execute(db)
  await sql`
    delete from imports where tenant_id = ${tenantId} and kind = ${kind} and status not in ('checking', 'running', 'undoing')
      and coalesce(ended_at, created_at) <= ${removeBefore}`.execute(db)
}
