// Organisations from a CSV file. A row is found by its id, or by its name and the names above it; what stands above is there, or in the same file. Nothing is moved.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { rightsLater } from '#areas/users/rights.ts'
import { Id, Line, Paragraph } from '#core/contract/shapes.ts'
import { invalidField } from '#core/server/fault.ts'
import { importHandlers } from '#core/server/staged-import/import-handlers.ts'
import { importKind, type ImportFile, type RowOf } from '#core/server/staged-import/staged-import.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { organisations } from '../contract.ts'
import { countryCodes } from '../countries.ts'
import { importColumns } from '../import-columns.ts'
import { importWords } from '../import-words.ts'
import { codeOf, levelOf, mostLevels, mostOrganisations, organisationTypes, pathsTo } from '../rules.ts'
import { deleteOfOrganisation } from './grant-store.ts'
import { keyOf, placesOf } from './import-plan.ts'
import { countMembers } from './member-store.ts'
import { columnsOf } from './reshape.ts'
import {
  countBelow,
  countChildren,
  deleteRow,
  findRow,
  insertRows,
  listAfter,
  lockTree,
  updateCodes,
  updateRow,
  type OrganisationRecord,
} from './store.ts'

const columns = {
  name: { ...importColumns.name, synonyms: ['organisation', 'organization'], required: true, shape: Line(120) },
  above: { ...importColumns.above, synonyms: ['parent', 'below', 'parent organisation'], shape: z.string().max(1_600) },
  type: {
    ...importColumns.type,
    shape: z
      .string()
      .toLowerCase()
      .pipe(z.enum(organisationTypes, `Use one of ${organisationTypes.join(', ')}`)),
  },
  country: {
    ...importColumns.country,
    shape: z
      .string()
      .toUpperCase()
      .refine((code) => countryCodes.includes(code), 'Enter the two letters of the country'),
  },
  businessNumber: { ...importColumns.businessNumber, synonyms: ['ABN', 'company number'], shape: Line(40) },
  address: { ...importColumns.address, shape: Paragraph(500) },
  contact: { ...importColumns.contact, shape: Line(254) },
  note: { ...importColumns.note, shape: Paragraph(500) },
  id: { ...importColumns.id, unique: true, shape: Id },
} as const

type Row = RowOf<typeof columns>

/** The names above a row, the root's first, as the export writes them: `Ministry › Northern region`. */
const namesAbove = ({ above = '' }: Row): string[] =>
  above
    .split('›')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** What the file says of it; what it has no column or no value for stays as it is. */
const draftOf = (row: Row, before?: OrganisationRecord) =>
  columnsOf({
    name: row.name,
    type: row.type ?? before?.type ?? 'organisation',
    country: row.country ?? before?.country ?? '',
    businessNumber: row.businessNumber ?? before?.business_number ?? '',
    address: row.address ?? before?.address ?? '',
    contact: row.contact ?? before?.contact ?? '',
    note: row.note ?? before?.note ?? '',
  })

const differs = (row: Row, before: OrganisationRecord): boolean =>
  Object.entries(draftOf(row, before)).some(([column, value]) => Reflect.get(before, column) !== value)

type Met = { names: readonly string[]; found: OrganisationRecord | undefined } | { says: string; column: string }
type Plan = {
  tree: Map<string, OrganisationRecord>
  /** What the row of a number means. */
  meet(number: number, row: Row): Met
  /** The row of the file that makes what has these names. */
  rowAt(names: readonly string[]): Row | undefined
}

/** Reads the tree and the file once for a batch. */
async function planFor(tenancy: Tenancy, file: ImportFile<typeof columns>): Promise<Plan> {
  const records = await listAfter(tenancy, [''], '', mostOrganisations)
  const namesAt = new Map<string, string[]>()
  // Those above come first: their paths are beginnings.
  for (const { path, name } of records) namesAt.set(path, [...(namesAt.get(pathsTo(path).at(-2) ?? '') ?? []), name])
  const tree = new Map(records.map((record) => [keyOf(namesAt.get(record.path) ?? []), record]))
  const byId = new Map(records.map((record) => [record.id, record]))
  const whole = await file.whole()
  const places = placesOf(
    whole.map(({ number, row }) => {
      const record = row.id === undefined ? undefined : byId.get(row.id)
      return {
        number,
        name: row.name,
        above: namesAbove(row),
        ...(record === undefined ? {} : { stands: namesAt.get(record.path)?.slice(0, -1) }),
      }
    }),
    [...namesAt.values()],
  )
  const firsts = new Map<string, { number: number; row: Row }>()
  for (const one of whole) {
    const place = places.get(one.number)
    if (place !== undefined && 'names' in place && !firsts.has(keyOf(place.names))) firsts.set(keyOf(place.names), one)
  }
  return {
    tree,
    rowAt: (names) => firsts.get(keyOf(names))?.row,
    meet(number, row) {
      const names = namesAbove(row)
      if (names.some((name) => name.length > 120)) return { column: 'above', says: importWords.longName.says }
      if (row.id !== undefined) {
        const found = byId.get(row.id)
        if (found === undefined) return { column: 'id', says: importWords.noSuchId.says }
        const line = namesAt.get(found.path)?.slice(0, -1) ?? []
        const stays = row.above === undefined || line.join('›').toLowerCase() === names.join('›').toLowerCase()
        return stays ? { names: [...line, row.name], found } : { column: 'above', says: importWords.movesNothing.says }
      }
      const place = places.get(number)
      if (place === undefined) return { column: '', says: say`This row cannot be read` }
      if ('says' in place) return { column: 'above', says: place.says }
      const first = firsts.get(keyOf(place.names))?.number ?? number
      if (first !== number) return { column: 'name', says: say`The same organisation stands in row ${first}` }
      return { names: place.names, found: tree.get(keyOf(place.names)) }
    },
  }
}

const Before = z.object({
  name: z.string(),
  type: z.enum(organisationTypes),
  country: z.string(),
  business_number: z.string(),
  number_fault: z.string(),
  address: z.string(),
  contact: z.string(),
  note: z.string(),
})
/** `after`: what the row says, as the import wrote it; an undo takes back nothing that somebody has edited since. */
const Undo = z.object({
  made: z.array(Id),
  /** Those above it that other rows of the file say, made with it, by their ids. */
  early: z.record(z.string(), Before).default({}),
  changed: z.object({ id: Id, before: Before }).optional(),
  after: Before.optional(),
})

const wordsOf: Record<keyof z.infer<typeof Before>, string> = {
  name: 'name',
  type: 'type',
  country: 'country',
  business_number: 'business number',
  number_fault: 'business number',
  address: 'address',
  contact: 'contact',
  note: 'note',
}

const editedIn = (after: z.infer<typeof Before>, row: OrganisationRecord) =>
  Before.keyof().options.filter((name) => row[name] !== after[name])

function refuseEdited(after: z.infer<typeof Before> | undefined, row: OrganisationRecord | undefined): void {
  if (after === undefined || row === undefined) return
  const edited = editedIn(after, row)
  if (edited.length > 0)
    throw invalidField('name', say`Changed since the import, so it stays: ${[...new Set(edited.map((name) => wordsOf[name]))].join(', ')}`)
}

type Made = { made: string[]; early: Record<string, z.infer<typeof Before>>; after: z.infer<typeof Before> }

const missingAbove = (names: readonly string[]): never => {
  throw invalidField('above', say`There is no organisation ${names.join(' › ')}`)
}

export const organisationImport = importKind({
  kind: 'organisations.organisations',
  columns,
  needs: ['orgAdd', 'orgEdit'],
  rights: rightsLater,
  undoShape: Undo,

  async check(rows, { tenancy }, file) {
    const plan = await planFor(tenancy, file)
    return rows.map((row, at) => {
      const met = plan.meet(file.numbers[at] ?? 0, row)
      if ('says' in met) return { faults: [met] }
      return { effect: met.found === undefined ? 'new' : differs(row, met.found) ? 'changed' : 'same' }
    })
  },

  async apply(rows, work, file) {
    const { tenancy, emitFor } = work
    await lockTree(tenancy)
    const emit = emitFor(organisations)
    const plan = await planFor(tenancy, file)
    let left = mostOrganisations - (await countBelow(tenancy, '')).count
    const add = async (names: readonly string[], row: Row): Promise<Made> => {
      const above = names.slice(0, -1)
      const parent = plan.tree.get(keyOf(above))
      if (parent === undefined && above.length > 0) {
        const rowAbove = plan.rowAt(above) ?? missingAbove(above)
        const before = await add(above, rowAbove)
        const own = await add(names, row)
        return {
          made: [...before.made, ...own.made],
          early: { ...before.early, [before.made.at(-1) ?? '']: before.after },
          after: own.after,
        }
      }
      if ((left -= 1) < 0) throw invalidField('name', say`A tenancy has at most 20,000 organisations`)
      if (levelOf(parent?.path ?? '') >= mostLevels) throw invalidField('above', say`The tree has at most ${mostLevels} levels`)
      const id = randomUUID()
      const path = (parent?.path ?? '') + codeOf(await updateCodes(tenancy, 1))
      const draft = draftOf(row)
      await insertRows(tenancy, [{ id, parent_id: parent?.id ?? null, path, ...draft }])
      emit('added', { organisationId: id, name: draft.name, ...(parent === undefined ? {} : { parentId: parent.id }) }, id)
      const record = (await findRow(tenancy, [''], id)) ?? missingAbove(names)
      plan.tree.set(keyOf(names), record)
      return { made: [id], early: {}, after: Before.parse(record) }
    }
    const done = []
    for (const [at, row] of rows.entries()) {
      const met = plan.meet(file.numbers[at] ?? 0, row)
      if ('says' in met) throw invalidField(met.column, met.says)
      const { names, found } = met
      if (found === undefined) {
        done.push(await add(names, row))
        continue
      }
      if (!differs(row, found)) {
        done.push(undefined)
        continue
      }
      const draft = draftOf(row, found)
      await updateRow(tenancy, found.id, draft)
      const fields = Object.entries(draft).flatMap(([field, value]) => (Reflect.get(found, field) === value ? [] : [field]))
      emit('changed', { organisationId: found.id, name: draft.name, fields }, found.id)
      done.push({
        made: [],
        early: {},
        changed: { id: found.id, before: Before.parse(found) },
        after: Before.parse({ ...found, ...draft }),
      })
    }
    return done
  },

  async undo(rows, work) {
    const { tenancy, emitFor } = work
    await lockTree(tenancy)
    const emit = emitFor(organisations)
    for (const { made, early, changed, after } of rows) {
      refuseEdited(after, await findRow(tenancy, [''], changed?.id ?? made.at(-1) ?? ''))
      for (const id of made.toReversed()) {
        const row = await findRow(tenancy, [''], id)
        if (row === undefined) continue
        const written = early[id]
        // Somebody has edited what was only made on the way: it stays, and so does what is above it.
        if (written !== undefined && editedIn(written, row).length > 0) break
        const children = (await countChildren(tenancy, [id])).get(id) ?? 0
        const people = (await countMembers(tenancy, [id])).get(id) ?? 0
        if (children + people > 0) {
          if (id === made.at(-1)) throw invalidField('name', importWords.hangs.says)
          // Others have come below what was only made on the way: it stays, and so does what is above it.
          break
        }
        await deleteOfOrganisation(tenancy, id)
        await deleteRow(tenancy, id)
        emit('deleted', { organisationId: id, name: row.name }, id)
      }
      if (changed === undefined || (await findRow(tenancy, [''], changed.id)) === undefined) continue
      await updateRow(tenancy, changed.id, changed.before)
      emit('changed', { organisationId: changed.id, name: changed.before.name, fields: Object.keys(changed.before) }, changed.id)
    }
  },
})

export const importing = importHandlers(organisationImport, organisations.jobs.imports)
