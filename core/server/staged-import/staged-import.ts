// Staged import: a file becomes rows that wait, are mapped, checked all together, applied in batches, and can be undone for a day. A room declares its
// kind, gives `turn` to a job, and calls the rest in its own calls, where it decides who may.

import { randomUUID } from 'node:crypto'
import { readCsvCell } from '#core/contract/csv.ts'
import { Id } from '#core/contract/shapes.ts'
import { say } from '#standards/say/say.ts'
import { exportAnswer } from '../export.ts'
import { commonFault, invalidField } from '../fault.ts'
import type { House } from '../house.ts'
import type { EndpointAnswer, TakeTurn } from '../serve.ts'
import { storable } from '../storable.ts'
import { withTenancy, type Tenancy } from '../tenancy.ts'
import { drive, readRow } from './advance.ts'
import {
  countOpen,
  countRows,
  findImport,
  insertImport,
  insertImportRows,
  listLatest,
  listUnderWay,
  lockImport,
  readRows,
  resetRows,
  tidyImports,
  updateImport,
  type ImportGrants,
  type ImportRecord,
  type ImportStatus,
  type RowRecord,
} from './import-store.ts'
import { suggestMapping, type BecomesOther, type ImportColumns, type ImportKind, type Mapping, type RowOf } from './kinds.ts'
import { readCsvFile } from './read-file.ts'

export type { ImportGrants, ImportRecord } from './import-store.ts'
export {
  importKind,
  type ImportBeginner,
  type ImportFault,
  type ImportFile,
  type ImportKind,
  type ImportRights,
  type ImportWork,
  type Mapping,
  type RowOf,
} from './kinds.ts'
export { mostBytes as mostImportBytes } from './read-file.ts'

const day = 86_400_000
const undoFor = day
const retainedFor = 14 * day
/** Files of one kind that a tenancy may have under way, since each may be large. */
const mostOpen = 10

export type ImportActor = { userId: string | undefined; name: string }
/** Who takes a step. */
export type ImportViewer = { userId: string; name: string; granted: ImportGrants }
const actingAs = ({ userId, name, granted }: ImportViewer) => ({ acting_id: userId, acting: name, acting_granted: granted, stopped: '' })
export type PreparedImport = Pick<ImportRecord, 'id' | 'encoding' | 'delimiter' | 'headers' | 'mapping' | 'rows'> & {
  /** Column names that stand in the file more than once. */
  repeated: string[]
  sample: string[][]
}
export type ImportCounts = {
  good: number
  faulty: number
  applied: number
  failed: number
  undone: number
  /** By what the room says that an apply does: `{ new: 12, changed: 3 }`. */
  effects: Record<string, number>
}

/** Reads the file and keeps its rows. Not inside a transaction: a large file takes a second. */
export async function prepareImport<C extends ImportColumns, Undo>(
  house: House,
  kind: ImportKind<C, Undo>,
  { tenantId, actor, fileName, bytes }: { tenantId: string; actor: ImportActor; fileName: string; bytes: Uint8Array },
): Promise<PreparedImport> {
  const { encoding, delimiter, headers, rows } = await readCsvFile(bytes)
  const id = randomUUID()
  const names = headers.map((name) => storable(readCsvCell(name)).slice(0, 200))
  const mapping = suggestMapping(kind.columns, names)
  const stage = (part: typeof rows) =>
    part.map(({ number, cells }) => ({ number, cells: cells.map((cell) => storable(readCsvCell(cell))) }))
  await withTenancy(house, tenantId, async ({ db, now }) => {
    if ((await countOpen(db, tenantId, kind.kind)) >= mostOpen)
      throw invalidField('file', say`${mostOpen} imports are under way; finish or cancel one of them`)
    await insertImport(db, {
      tenant_id: tenantId,
      id,
      kind: kind.kind,
      file_name: storable(fileName).slice(0, 200),
      encoding,
      delimiter,
      headers: names,
      mapping: { ...mapping },
      options: {},
      rows: rows.length,
      actor_id: actor.userId ?? null,
      actor: actor.name,
      created_at: now,
    })
    // In parts, so that others are answered in between.
    for (let first = 0; first < rows.length; first += 500)
      await insertImportRows(db, { tenantId, importId: id }, first + 1, stage(rows.slice(first, first + 500)))
  })
  const repeated = [...new Set(names.filter((name, at) => name !== '' && names.indexOf(name) !== at))]
  return {
    id,
    encoding,
    delimiter,
    headers: names,
    mapping: { ...mapping },
    rows: rows.length,
    repeated,
    sample: stage(rows.slice(0, 5)).map(({ cells }) => cells),
  }
}

type Named = { kind: Pick<ImportKind, 'kind' | 'columns'>; importId: string }

/** Looks an import up; another tenancy's, and another kind's, is missing. */
export const readImport = async ({ db, tenantId }: Tenancy, { kind, importId }: Named): Promise<ImportRecord> =>
  (await findImport(db, { tenantId, importId, kind: kind.kind })) ?? missing()

const missing = (): never => {
  throw commonFault('missing')
}

/** Holds it, where it stands at one of these points. */
async function lockAt({ db, tenantId }: Tenancy, { kind, importId }: Named, points: readonly ImportStatus[]): Promise<ImportRecord> {
  const record = (await lockImport(db, { tenantId, importId, kind: kind.kind })) ?? missing()
  if (!points.includes(record.status)) throw invalidField('importId', sayings[record.status])
  return record
}

const sayings: Readonly<Record<ImportStatus, string>> = {
  uploaded: 'Check the import first',
  checking: 'The import is being checked',
  checked: 'The import has not run yet',
  running: 'The import is running',
  done: 'The import has run',
  undoing: 'The import is being undone',
  undone: 'The import was undone',
  cancelled: 'The import was cancelled',
}

/** Begins the dry run. The room wakes its job after the commit. A former check is forgotten; without a mapping its columns and options stay. */
export async function checkImport(
  tenancy: Tenancy,
  {
    mapping: given,
    options: chosen,
    by,
    ...named
  }: Named & { mapping?: Mapping | undefined; options?: object | undefined; by: ImportViewer },
): Promise<void> {
  const { headers, ...record } = await lockAt(tenancy, named, ['uploaded', 'checked'])
  const mapping = given ?? record.mapping
  const options = chosen ?? (given === undefined ? record.options : {})
  const { columns } = named.kind
  const used = new Set<number>()
  for (const [column, at] of Object.entries(mapping)) {
    const field = `mapping.${column}`
    if (!Object.hasOwn(columns, column)) throw invalidField(field, say`There is no such column`)
    if (!Number.isInteger(at) || at < 0 || at >= headers.length) throw invalidField(field, say`The file has no such column`)
    if (used.has(at)) throw invalidField(field, say`This column of the file is used twice`)
    used.add(at)
  }
  for (const [column, { label, required }] of Object.entries(columns))
    if (required === true && !Object.hasOwn(mapping, column)) throw invalidField(`mapping.${column}`, say`Choose the column for ${label}`)
  const key = { tenantId: tenancy.tenantId, importId: named.importId }
  await resetRows(tenancy.db, key)
  await updateImport(tenancy.db, key, { status: 'checking', position: 0, mapping: { ...mapping }, options, ...actingAs(by) })
}

/** Begins to apply what was checked. Faulty rows are left out only where somebody said so. */
export async function startImport(
  tenancy: Tenancy,
  { skipFaulty, by, ...named }: Named & { skipFaulty: boolean; by: ImportViewer },
): Promise<void> {
  const record = await lockAt(tenancy, named, ['checked'])
  // What is run was seen by whoever runs it, and found good by what they may do.
  if (record.acting_id !== by.userId)
    throw invalidField('importId', say`${record.acting || record.actor} checked this import. Check it yourself before you run it`)
  const { good, faulty } = await countImport(tenancy, named)
  if (faulty > 0 && !skipFaulty) throw invalidField('skipFaulty', say`${faulty} rows are faulty: mend them, or leave them out`)
  if (good === 0) throw invalidField('importId', say`No row can be imported`)
  await updateImport(
    tenancy.db,
    { tenantId: tenancy.tenantId, importId: named.importId },
    { status: 'running', position: 0, ...actingAs(by) },
  )
}

/** Stops it behind the present batch. What was applied stays, and can be undone. */
export async function cancelImport(tenancy: Tenancy, named: Named): Promise<void> {
  await lockAt(tenancy, named, ['uploaded', 'checking', 'checked', 'running'])
  await updateImport(tenancy.db, { tenantId: tenancy.tenantId, importId: named.importId }, { status: 'cancelled', ended_at: tenancy.now })
}

/** Until when an import can be undone; undefined where it cannot. */
export const undoUntil = ({ status, ended_at }: Pick<ImportRecord, 'status' | 'ended_at'>, now: Date): Date | undefined => {
  if (ended_at === null || (status !== 'done' && status !== 'cancelled')) return undefined
  const until = new Date(ended_at.getTime() + undoFor)
  return now < until ? until : undefined
}

/** Begins to take back what was applied, the last row first. */
export async function undoImport(tenancy: Tenancy, { by, ...named }: Named & { by: ImportViewer }): Promise<void> {
  const record = await lockAt(tenancy, named, ['done', 'cancelled'])
  if (undoUntil(record, tenancy.now) === undefined) throw invalidField('importId', say`An import can be undone for 24 hours`)
  const key = { tenantId: tenancy.tenantId, importId: named.importId }
  await updateImport(tenancy.db, key, { status: 'undoing', position: record.rows + 1, ...actingAs(by) })
}

const mostListed = 30

/** The imports of a kind that are kept, the latest first. */
export const latestImports = ({ db, tenantId }: Tenancy, kind: Named['kind']): Promise<ImportRecord[]> =>
  listLatest(db, tenantId, kind.kind, mostListed)

export async function countImport({ db, tenantId }: Tenancy, { importId }: Pick<Named, 'importId'>): Promise<ImportCounts> {
  const counts: ImportCounts = { good: 0, faulty: 0, applied: 0, failed: 0, undone: 0, effects: {} }
  for (const { state, effect, count } of await countRows(db, { tenantId, importId })) {
    if (state !== 'staged') counts[state] += count
    if (effect !== '' && state !== 'faulty') counts.effects[effect] = (counts.effects[effect] ?? 0) + count
  }
  return counts
}

/** What the first good rows would write otherwise than the file says it. */
export async function othersIn<C extends ImportColumns, Undo>(
  tenancy: Tenancy,
  { kind, record, most }: { kind: ImportKind<C, Undo>; record: ImportRecord; most: number },
): Promise<readonly BecomesOther[]> {
  if (kind.becomes === undefined || record.status !== 'checked') return []
  const part = { after: 0, most, states: ['good'] } as const
  const rows = await readRows(tenancy.db, { tenantId: tenancy.tenantId, importId: record.id }, part)
  return kind.becomes(
    rows.flatMap((row) =>
      row.effect === 'new' ? [{ number: row.number, row: readRow(kind, record.mapping, row).value as RowOf<C> }] : [],
    ),
    tenancy,
  )
}

/** The rows with faults that follow `after`, for a screen: each with all its faults, by row and column. */
export async function faultyRows(
  tenancy: Tenancy,
  { after, most, ...named }: Named & { after: number; most: number },
): Promise<RowRecord[]> {
  await readImport(tenancy, named)
  return readRows(tenancy.db, { tenantId: tenancy.tenantId, importId: named.importId }, { after, most, faulty: true })
}

/** The faulty rows as they came, with their reasons in a last column: mended, the file can be imported as it is. */
export async function faultyRowsFile(house: House, tenantId: string, named: Named): Promise<EndpointAnswer> {
  if (!Id.safeParse(named.importId).success) throw commonFault('missing')
  const { headers } = await withTenancy(house, tenantId, (tenancy) => readImport(tenancy, named))
  const labelOf = (column: string) => named.kind.columns[column]?.label ?? ''
  const reasons = ({ faults }: RowRecord) =>
    faults.map(({ column, says }) => (labelOf(column) === '' ? says : `${labelOf(column)}: ${says}`)).join('; ')
  return exportAnswer<RowRecord>({
    name: 'faulty-rows',
    of: named.importId,
    byteOrderMark: true,
    columns: [...headers.map((header, at) => [header, ({ cells }: RowRecord) => cells[at]] as const), ['Reason', reasons] as const],
    read: (last, most) => withTenancy(house, tenantId, (tenancy) => faultyRows(tenancy, { ...named, after: last?.position ?? 0, most })),
  })
}

/** For the room's job: `jobs: { imports: { inTenancy: importTurn(people) } }`. Goes on with what is under way, also after a crash, and tidies up. */
export const importTurn =
  <C extends ImportColumns, Undo>(kind: ImportKind<C, Undo>): TakeTurn =>
  async ({ house, tenantId, until }) => {
    const underWay = await withTenancy(house, tenantId, async ({ db, now }) => {
      await tidyImports(db, {
        tenantId,
        kind: kind.kind,
        undoBefore: new Date(now.getTime() - undoFor),
        removeBefore: new Date(now.getTime() - retainedFor),
      })
      return listUnderWay(db, tenantId, kind.kind)
    })
    for (const { id } of underWay) {
      const left = await drive(house, kind, { tenantId, importId: id }, Math.min(until, performance.now() + 5_000))
      if (left === 'more') return 'more'
    }
  }
