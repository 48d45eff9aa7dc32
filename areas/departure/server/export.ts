// Makes the file of everything, a part for each commit, and gives it out until its end.

import { requireFreshProof } from '#areas/sessions/proof.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { permissions } from '#core/contract/permission-labels.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House, TakeTurn } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointRequest, Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { tenantTables, type TenantTable } from '#core/server/tenant-tables.ts'
import { actorOf } from '#core/server/visiting.ts'
import { packFile, zipEnd, zipHead, type ZipEntry } from '#core/server/zip-writer.ts'
import { departure } from '../contract.ts'
import { exportDays, exportedColumns } from '../rules.ts'
import {
  countParts,
  deleteExports,
  deleteParts,
  findPart,
  findRunningExport,
  insertPart,
  mayFetch,
  readRows,
  updateExport,
  type ExportRecord,
} from './store.ts'

const actor = { name: 'Export' }
const together = 500
/** Files, pictures and readings are some megabytes each. */
const large = new Set(['bytes', 'file', 'content'])
const filesTogether = 8
const partSize = 8_000_000
const mostParts = 60_000
const mostBytes = 4_000_000_000

/** Whether somebody may see everything, as an export and a removal do. */
export const holdsAll = ({ permission }: Viewer): boolean => Object.keys(permissions).every((name) => permission.api.includes(name))

export type ExportedTable = { table: TenantTable; columns: readonly string[] }

export const exportedTables = async (db: Tenancy['db']): Promise<ExportedTable[]> =>
  (await tenantTables(db)).flatMap((table) => {
    const columns = exportedColumns(table)
    return columns.length === 0 || table.primaryKey.length === 0 ? [] : [{ table, columns }]
  })

export const namesOf = (all: readonly ExportedTable[]): string[] => all.map(({ table }) => table.name)

/** Goes on where the last turn, or a server that died, stopped. */
export const makeExports: TakeTurn = async ({ house, tenantId, until }) => {
  await withTenancy(house, tenantId, (tenancy) => deleteExports(tenancy, new Date(tenancy.now.getTime() - exportDays * 86_400_000)))
  if ((await withTenancy(house, tenantId, findRunningExport)) === undefined) return
  const all = await exportedTables(house.database)
  for (;;) {
    if ((await nextPart(house, tenantId, all)) !== 'more') return
    if (performance.now() > until) return 'more'
  }
}

function nextPart(house: House, tenantId: string, all: readonly ExportedTable[]): Promise<'more' | 'done'> {
  return house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    const row = await findRunningExport(tenancy)
    if (row === undefined) return 'done'
    const next = all[row.tables_done]
    const fail = async (reason: string) => {
      await updateExport(tenancy, row.id, { state: 'failed' })
      await deleteParts(tenancy, row.id)
      emitFor(departure)('exportFailed', { exportId: row.id, reason }, tenantId)
      return 'done' as const
    }
    // After an update of the server there may be other tables, or others in their places.
    if (JSON.stringify(namesOf(all)) !== JSON.stringify(row.table_names)) return fail('The tables have changed; export again')
    if (row.bytes > mostBytes || (await countParts(tenancy, row.id)) > mostParts) return fail('The tenancy is too large for one file')
    if (next === undefined) {
      const text = Buffer.from(await readme(tenancy, row, all))
      const settings = await findTenancy(tenancy.db, tenantId)
      await insertPart(tenancy, row.id, packFile('tenancy.json', Buffer.from(`${JSON.stringify(settings, undefined, 2)}\n`)))
      await insertPart(tenancy, row.id, packFile('README.txt', text))
      await updateExport(tenancy, row.id, { state: 'ready' })
      emitFor(departure)('exported', { exportId: row.id, tables: row.tables, rows: row.rows, bytes: row.bytes }, tenantId)
      return 'done'
    }
    const { lines, after, ended } = await readPart(tenancy, next, row.after ?? undefined)
    if (lines.length > 0) {
      const file = packFile(fileName(next.table.name, row.after, await countParts(tenancy, row.id)), Buffer.from(`${lines.join('\n')}\n`))
      await insertPart(tenancy, row.id, file)
      row.bytes += file.packedSize
    }
    await updateExport(tenancy, row.id, {
      tables_done: row.tables_done + (ended ? 1 : 0),
      after: ended ? null : (after ?? null),
      rows: row.rows + lines.length,
      bytes: row.bytes,
    })
    return 'more'
  })
}

const fileName = (table: string, after: string[] | null, parts: number): string =>
  after === null ? `${table}.jsonl` : `${table}-${String(parts + 1).padStart(5, '0')}.jsonl`

async function readPart(tenancy: Tenancy, { table, columns }: ExportedTable, from: readonly string[] | undefined) {
  const most = columns.some((name) => large.has(name)) ? filesTogether : together
  const lines: string[] = []
  let [after, size] = [from, 0]
  for (;;) {
    const rows = await readRows(tenancy, { table, columns, after, most })
    for (const { line } of rows) {
      lines.push(line)
      size += line.length
    }
    after = rows.at(-1)?.key ?? after
    if (rows.length < most) return { lines, after: undefined, ended: true }
    if (size > partSize) return { lines, after: after === undefined ? undefined : [...after], ended: false }
  }
}

async function readme(tenancy: Tenancy, row: ExportRecord, all: readonly ExportedTable[]): Promise<string> {
  const { db, tenantId, now } = tenancy
  const name = (await findTenancy(db, tenantId))?.name ?? ''
  return [
    `Export of the tenancy ${name} (${tenantId}), begun ${row.asked_at.toISOString()}, ended ${now.toISOString()}.`,
    '',
    'Each file holds rows of one table, an object a line (JSON Lines, UTF-8). Bytes are written in hexadecimal after \\x; moments with their offset.',
    'A long table is in several files. The tables were read one after the other: what changed meanwhile is in the later ones as it was then.',
    `The tables of the tenancy that are not in this file: ${await leftOut(tenancy, all)}.`,
    'Not in this file: private keys, passwords, secrets, links, sessions, mail that was sent, and what is sealed with the key of the tenancy.',
    '',
    ...all.map(({ table, columns }) => `${table.name}: ${columns.join(', ')}`),
    '',
  ].join('\n')
}

async function leftOut({ db }: Tenancy, all: readonly ExportedTable[]): Promise<string> {
  const taken = new Set(namesOf(all))
  return (await tenantTables(db)).flatMap(({ name }) => (taken.has(name) ? [] : [name])).join(', ')
}

export async function giveOut({ method, viewer, house, url, facts }: EndpointRequest): Promise<EndpointAnswer> {
  if (viewer === undefined) throw commonFault('not_logged_in')
  if (viewer.via !== 'session') throw commonFault('session_needed')
  // A fetch stands in the log, and a look at the head is none.
  if (method !== 'GET') throw commonFault('missing')
  if (!holdsAll(viewer)) throw commonFault('denied')
  const { tenantId, userId } = viewer
  const id = url.searchParams.get('id') ?? ''
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw commonFault('missing')
  await house.work(tenantId, { userId, name: actorOf(viewer), address: facts.address }, async ({ tenancy, emitFor }) => {
    await requireFreshProof(house, tenancy.db, viewer, tenancy.now)
    const since = new Date(tenancy.now.getTime() - exportDays * 86_400_000)
    if (!(await mayFetch(tenancy, { id, userId, since }))) throw commonFault('missing')
    emitFor(departure)('fetched', { exportId: id }, tenantId)
  })
  return {
    headers: { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="tenancy-export.zip"' },
    body: bytesOf(house, tenantId, id),
  }
}

/** The parts stay until the export's end, because a line may break in the middle. */
async function* bytesOf(house: House, tenantId: string, id: string): AsyncGenerator<Uint8Array> {
  const entries: ZipEntry[] = []
  for (let number = 1; ; number += 1) {
    const part = await withTenancy(house, tenantId, (tenancy) => findPart(tenancy, id, number))
    if (part === undefined) break
    entries.push(part.entry)
    yield zipHead(part.entry)
    yield part.packed
  }
  yield zipEnd(entries)
  await withTenancy(house, tenantId, (tenancy) => updateExport(tenancy, id, { state: 'taken' }))
}
