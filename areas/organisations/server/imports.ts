// Organisations from a CSV file. A row is found by its id, or by its name and the names above it; what is missing above is made. Nothing is moved.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { rightsHere } from '#areas/users/rights.ts'
import { Id, Line, Paragraph } from '#core/contract/shapes.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import { importHandlers } from '#core/server/staged-import/import-handlers.ts'
import { importKind, type ImportWork, type RowOf } from '#core/server/staged-import/staged-import.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { organisations } from '../contract.ts'
import { countryCodes } from '../countries.ts'
import { importColumns } from '../import-columns.ts'
import { codeOf, levelOf, mostLevels, mostOrganisations, organisationTypes } from '../rules.ts'
import { deleteOfOrganisation } from './grant-store.ts'
import { countMembers } from './member-store.ts'
import { findAbove } from './presenter.ts'
import { columnsOf } from './reshape.ts'
import {
  countBelow,
  countChildren,
  deleteRow,
  findChildNamed,
  findRow,
  insertRows,
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

/** Goes down from the top by names as far as there are any. */
async function goDown(
  tenancy: Tenancy,
  names: readonly string[],
): Promise<{ last: OrganisationRecord | undefined; left: readonly string[] }> {
  let last: OrganisationRecord | undefined
  for (const [at, name] of names.entries()) {
    const next = await findChildNamed(tenancy, last?.id, name)
    if (next === undefined) return { last, left: names.slice(at) }
    last = next
  }
  return { last, left: [] }
}

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

/** What is known of one that only stands above another. */
const nothingElse = { type: 'organisation', country: '', businessNumber: '', address: '', contact: '', note: '' } as const

const differs = (row: Row, before: OrganisationRecord): boolean =>
  Object.entries(draftOf(row, before)).some(([column, value]) => Reflect.get(before, column) !== value)

async function findFor(tenancy: Tenancy, row: Row): Promise<{ found: OrganisationRecord | undefined; says?: string; column?: string }> {
  const names = namesAbove(row)
  if (names.length >= mostLevels) return { found: undefined, column: 'above', says: `The tree has at most ${mostLevels} levels` }
  const tooLong = names.find((name) => name.length > 120)
  if (tooLong !== undefined) return { found: undefined, column: 'above', says: 'Use at most 120 characters for each name' }
  if (row.id === undefined) {
    const { last, left } = await goDown(tenancy, [...names, row.name])
    return { found: left.length === 0 ? last : undefined }
  }
  const found = await findRow(tenancy, [''], row.id)
  if (found === undefined) return { found, column: 'id', says: 'There is no organisation with this id. Leave it empty to add one' }
  const line = ((await findAbove(tenancy, [''], [found])).get(found.path) ?? []).map(({ name }) => name)
  const stays = row.above === undefined || line.join('›').toLowerCase() === names.join('›').toLowerCase()
  return stays ? { found } : { found, column: 'above', says: 'An import moves nothing: it stands elsewhere' }
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
const Undo = z.object({ made: z.array(Id), changed: z.object({ id: Id, before: Before }).optional(), after: Before.optional() })

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

function refuseEdited(after: z.infer<typeof Before> | undefined, row: OrganisationRecord | undefined): void {
  if (after === undefined || row === undefined) return
  const edited = Before.keyof().options.filter((name) => row[name] !== after[name])
  if (edited.length > 0)
    throw invalidField('name', `Changed since the import, so it stays: ${[...new Set(edited.map((name) => wordsOf[name]))].join(', ')}`)
}

/** Whoever prepared it may have lost the right since. */
async function needRight({ tenancy: { db, tenantId }, actor }: ImportWork): Promise<void> {
  const api = actor.userId === undefined ? [] : ((await rightsHere(db, tenantId, actor.userId))?.permission.api ?? [])
  for (const permission of ['orgAdd', 'orgEdit']) if (!api.includes(permission)) throw commonFault('denied', { params: { permission } })
}

export const organisationImport = importKind({
  kind: 'organisations.organisations',
  columns,
  undoShape: Undo,

  async check(rows, { tenancy }) {
    const checked = []
    for (const row of rows) {
      const { found, says, column = '' } = await findFor(tenancy, row)
      if (says !== undefined) checked.push({ faults: [{ column, says }] })
      else checked.push({ effect: found === undefined ? 'new' : differs(row, found) ? 'changed' : 'same' })
    }
    return checked
  },

  async apply(rows, work) {
    const { tenancy, emitFor } = work
    await needRight(work)
    await lockTree(tenancy)
    const emit = emitFor(organisations)
    let left = mostOrganisations - (await countBelow(tenancy, '')).count
    const add = async (parent: OrganisationRecord | undefined, draft: ReturnType<typeof columnsOf>): Promise<string> => {
      if ((left -= 1) < 0) throw invalidField('name', 'A tenancy has at most 20,000 organisations')
      if (levelOf(parent?.path ?? '') >= mostLevels) throw invalidField('above', `The tree has at most ${mostLevels} levels`)
      const id = randomUUID()
      const path = (parent?.path ?? '') + codeOf(await updateCodes(tenancy, 1))
      await insertRows(tenancy, [{ id, parent_id: parent?.id ?? null, path, ...draft }])
      emit('added', { organisationId: id, name: draft.name, ...(parent === undefined ? {} : { parentId: parent.id }) }, id)
      return id
    }
    const done = []
    for (const row of rows) {
      const { found, says, column = '' } = await findFor(tenancy, row)
      if (says !== undefined) throw invalidField(column, says)
      if (found !== undefined) {
        if (!differs(row, found)) {
          done.push(undefined)
          continue
        }
        const draft = draftOf(row, found)
        await updateRow(tenancy, found.id, draft)
        const fields = Object.entries(draft).flatMap(([field, value]) => (Reflect.get(found, field) === value ? [] : [field]))
        emit('changed', { organisationId: found.id, name: draft.name, fields }, found.id)
        done.push({ made: [], changed: { id: found.id, before: Before.parse(found) }, after: Before.parse({ ...found, ...draft }) })
        continue
      }
      const made: string[] = []
      const way = await goDown(tenancy, namesAbove(row))
      let { last } = way
      for (const name of way.left) {
        const id = await add(last, columnsOf({ ...nothingElse, name }))
        made.push(id)
        last = await findRow(tenancy, [''], id)
      }
      const draft = draftOf(row)
      made.push(await add(last, draft))
      done.push({ made, after: Before.parse(draft) })
    }
    return done
  },

  async undo(rows, work) {
    const { tenancy, emitFor } = work
    await lockTree(tenancy)
    const emit = emitFor(organisations)
    for (const { made, changed, after } of rows) {
      refuseEdited(after, await findRow(tenancy, [''], changed?.id ?? made.at(-1) ?? ''))
      for (const id of made.toReversed()) {
        const row = await findRow(tenancy, [''], id)
        if (row === undefined) continue
        const children = (await countChildren(tenancy, [id])).get(id) ?? 0
        const people = (await countMembers(tenancy, [id])).get(id) ?? 0
        if (children + people > 0) {
          if (id === made.at(-1)) throw invalidField('name', 'Something hangs on it by now, so it stays')
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

export const importing = importHandlers(organisationImport, organisations.jobs.imports, {
  prepare({ permission }) {
    if (!permission.api.includes('orgEdit')) throw commonFault('denied', { params: { permission: 'orgEdit' } })
  },
})
