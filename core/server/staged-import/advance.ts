// Takes an import a batch further: checks, applies or undoes its rows. How far it has come is noted in the transaction of the work itself, so that whoever
// goes on after a crash, and whoever drives beside another, does no row twice and leaves none out.

import { say } from '#standards/say/say.ts'
import { faultOf, Fault } from '../fault.ts'
import type { House, TenantWork } from '../house.ts'
import { withTenancy } from '../tenancy.ts'
import {
  findImport,
  lockImport,
  markRepeated,
  readRows,
  updateImport,
  updateRows,
  type ImportRecord,
  type Key,
  type RowChange,
  type RowRecord,
  type RowState,
} from './import-store.ts'
import type { CheckedRow, ImportFault, ImportFile, ImportKind, ImportRights, ImportWork } from './kinds.ts'

const largestBatch = 500
/** A small file goes in several parts, too, so that its progress is seen. */
const batchOf = ({ rows }: Pick<ImportRecord, 'rows'>): number => (rows > largestBatch ? largestBatch : Math.max(50, Math.ceil(rows / 10)))
const partRead = 5_000

type Step = {
  /** The rows that are left, from where it has come to. */
  part(record: ImportRecord): Pick<Parameters<typeof readRows>[2], 'after' | 'states' | 'last'>
  act(kind: ImportKind, record: ImportRecord, rows: readonly RowRecord[], work: ImportWork): Promise<RowChange[]>
  /** What becomes of a row that the room could not take. */
  failed(row: RowRecord, fault: ImportFault): RowChange
  end(now: Date): Parameters<typeof updateImport>[2]
  /** Where it stands when whoever began the step may not take it any more. */
  stop(now: Date): Parameters<typeof updateImport>[2]
}

const unchanged = ({ position, state, effect, faults, undo }: RowRecord): RowChange => ({ position, state, effect, faults, undo })

const steps: Partial<Record<ImportRecord['status'], Step>> = {
  checking: {
    part: ({ position }) => ({ after: position }),
    act: checkRows,
    failed: (row, fault) => ({ ...unchanged(row), state: 'faulty', faults: [...row.faults, fault] }),
    end: () => ({ status: 'checked' }),
    stop: () => ({ status: 'uploaded', position: 0 }),
  },
  running: {
    part: ({ position }) => ({ after: position, states: ['good'] }),
    async act(kind, record, rows, work) {
      const left = await kind.apply(
        rows.map((row) => readRow(kind, record.mapping, row).value),
        work,
        fileOf(kind, record, rows, work),
      )
      return rows.map((row, at) => ({ ...unchanged(row), state: 'applied', undo: left[at] }))
    },
    failed: (row, fault) => ({ ...unchanged(row), state: 'failed', faults: [fault] }),
    end: (now) => ({ status: 'done', ended_at: now }),
    stop: (now) => ({ status: 'cancelled', ended_at: now }),
  },
  undoing: {
    part: ({ position }) => ({ after: position, states: ['applied'], last: true }),
    async act(kind, _record, rows, work) {
      const done = rows.filter(({ undo }) => undo !== null)
      if (done.length > 0)
        await kind.undo(
          done.map(({ undo }) => kind.undoShape.parse(undo)),
          work,
        )
      return rows.map((row) => ({ ...unchanged(row), state: 'undone', undo: undefined }))
    },
    failed: (row, fault) => ({ ...unchanged(row), faults: [fault] }),
    end: () => ({ status: 'undone' }),
    // Somebody else takes back the rest, as long as an undo is possible.
    stop: () => ({ status: 'done' }),
  },
}

type Read = { value: Record<string, unknown>; faults: ImportFault[] }

/** Reads the cells of a row by the shapes of their columns. Every fault is told, not the first alone. */
export function readRow(kind: Pick<ImportKind, 'columns'>, mapping: ImportRecord['mapping'], { cells }: Pick<RowRecord, 'cells'>): Read {
  const faults: ImportFault[] = []
  const value: Record<string, unknown> = {}
  for (const [column, { required, shape }] of Object.entries(kind.columns)) {
    const at = mapping[column]
    const cell = at === undefined ? '' : (cells[at] ?? '').trim()
    if (cell === '') {
      if (required === true) faults.push({ column, says: say`Enter a value` })
      continue
    }
    const read = shape.safeParse(cell)
    if (read.success) value[column] = read.data
    else faults.push(...read.error.issues.map(({ message }) => ({ column, says: message })))
  }
  return { value, faults }
}

function fileOf(
  kind: ImportKind,
  { id, status, mapping }: ImportRecord,
  rows: readonly RowRecord[],
  { tenancy: { db, tenantId } }: ImportWork,
): ImportFile {
  const states: readonly RowState[] | undefined = status === 'checking' ? undefined : ['good', 'applied']
  return {
    numbers: rows.map(({ number }) => number),
    async whole() {
      const all: { number: number; row: Record<string, unknown> }[] = []
      for (let after = 0; ;) {
        const part = await readRows(db, { tenantId, importId: id }, { after, most: partRead, ...(states === undefined ? {} : { states }) })
        for (const one of part) {
          const { value, faults } = readRow(kind, mapping, one)
          if (faults.length === 0) all.push({ number: one.number, row: value })
        }
        const last = part.at(-1)
        if (last === undefined || part.length < partRead) return all
        after = last.position
      }
    },
  }
}

async function checkRows(kind: ImportKind, record: ImportRecord, rows: readonly RowRecord[], work: ImportWork): Promise<RowChange[]> {
  const { mapping, headers } = record
  const read = rows.map((row) => readRow(kind, mapping, row))
  const formed = read.flatMap((one, at) => (one.faults.length === 0 ? [{ at, value: one.value }] : []))
  const answers: readonly CheckedRow[] =
    formed.length === 0
      ? []
      : await kind.check(
          formed.map(({ value }) => value),
          work,
          fileOf(
            kind,
            record,
            formed.flatMap(({ at }) => rows[at] ?? []),
            work,
          ),
        )
  const checked = new Map(formed.map(({ at }, index) => [at, answers[index]]))
  return rows.map((row, at) => {
    const tooMany: ImportFault[] = row.cells.slice(headers.length).some((cell) => cell !== '')
      ? [{ column: '', says: say`The row has ${row.cells.length} cells, and the file ${headers.length} columns` }]
      : []
    const faults = [...tooMany, ...row.faults, ...(read[at]?.faults ?? []), ...(checked.get(at)?.faults ?? [])]
    return { ...unchanged(row), state: faults.length === 0 ? 'good' : 'faulty', effect: checked.get(at)?.effect ?? '', faults }
  })
}

/** Goes on until the import rests or the time is up. `more` says that something is left. */
export async function drive(house: House, kind: ImportKind, key: Key, until: number): Promise<'more' | void> {
  for (;;) {
    if (!(await advance(house, kind, key))) return
    if (performance.now() > until) return 'more'
  }
}

/** Does one batch; false where nothing is left. */
async function advance(house: House, kind: ImportKind, key: Key): Promise<boolean> {
  const before = await withTenancy(house, key.tenantId, ({ db }) => findImport(db, { ...key, kind: kind.kind }))
  if (before === undefined || steps[before.status] === undefined) return false
  const batch = batchOf(before)
  const run = (most: number, failure?: ImportFault) => runBatch(house, kind, key, before, { most, failure })
  try {
    return (await run(batch)) !== undefined
  } catch (error) {
    if (isAway(error)) throw error
  }
  // One of them cannot be taken: each goes by itself, in a transaction of its own, so that nothing of a failed one is left, nor an event.
  let from: ImportRecord | undefined = before
  for (let count = 0; count < batch && from !== undefined; count += 1) {
    const row: ImportRecord = from
    const alone = (failure?: ImportFault) => runBatch(house, kind, key, row, { most: 1, failure })
    try {
      from = await alone()
    } catch (error) {
      if (isAway(error)) throw error
      from = await alone({ column: '', says: sentenceOf(error, house) })
    }
  }
  return from !== undefined
}

/** Takes the next rows from where `from` has come to; the import as it is then, undefined where nothing is left or somebody else has gone on. */
async function runBatch(
  house: House,
  kind: ImportKind,
  key: Key,
  from: ImportRecord,
  { most, failure }: { most: number; failure?: ImportFault | undefined },
): Promise<ImportRecord | undefined> {
  const actor = { userId: from.acting_id ?? undefined, name: from.acting }
  return house.work(key.tenantId, actor, async (work: TenantWork) => {
    const { db } = work
    const record = await lockImport(db, { ...key, kind: kind.kind })
    const step = record && steps[record.status]
    if (record === undefined || step === undefined) return undefined
    // Another has come further meanwhile: its rows are not done again.
    if (record.status !== from.status || record.position !== from.position || record.acting_id !== from.acting_id) return record
    const rights = await rightsIn(kind, record, work)
    if (rights === undefined) {
      const stopped = say`${record.acting} may not do this any more. Somebody else can go on`
      await updateImport(db, key, { ...step.stop(house.now()), stopped })
      return undefined
    }
    if (record.status === 'checking' && record.position === 0) await findRepeated(kind, key, record, work)
    const rows = await readRows(db, key, { ...step.part(record), most })
    const last = rows.at(-1)
    if (last === undefined) {
      await updateImport(db, key, step.end(house.now()))
      return undefined
    }
    const changes =
      failure === undefined
        ? await step.act(kind, record, rows, {
            ...work,
            house,
            importId: record.id,
            actor: { ...rights, userId: record.acting_id ?? '', name: record.acting },
            options: record.options,
          })
        : rows.map((row) => step.failed(row, failure))
    await updateRows(db, key, changes)
    await updateImport(db, key, { position: last.position })
    return { ...record, position: last.position }
  })
}

/** One that began before whoever begins was kept with it has nobody's rights. */
const rightsIn = async (
  kind: ImportKind,
  { acting_id: userId, acting_granted: granted }: ImportRecord,
  { tenancy }: TenantWork,
): Promise<ImportRights | undefined> =>
  userId === null || granted === null ? undefined : kind.rights(tenancy, { userId, granted }, kind.needs)

async function findRepeated(kind: ImportKind, key: Key, { mapping }: ImportRecord, { db }: TenantWork): Promise<void> {
  for (const [column, { unique }] of Object.entries(kind.columns)) {
    const cell = mapping[column]
    if (unique === true && cell !== undefined) await markRepeated(db, key, { cell, column })
  }
}

/** The database or the log cannot be reached: that is no fault of a row, and the import goes on later. */
function isAway(error: unknown): boolean {
  const { status, code } = faultOf(error)
  return status >= 500 && code !== 'unexpected'
}

function sentenceOf(error: unknown, house: House): string {
  if (error instanceof Fault) return error.detail.fields?.map(({ says }) => says).join('; ') || error.message
  house.log.error({ error }, 'a row of an import could not be done')
  return 'This row could not be done; the log of the server tells why'
}
