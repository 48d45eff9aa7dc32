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
import { zipEnd, zipHead, type ZipEntry } from '#core/server/zip-writer.ts'
import { departure } from '../contract.ts'
import { exportDays, exportedColumns } from '../rules.ts'
import {
  countParts,
  deleteExports,
  deleteParts,
  findPacked,
  findRunningExport,
  insertPart,
  listEntries,
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
      await insertPart(tenancy, row.id, 'tenancy.json', Buffer.from(`${JSON.stringify(settings, undefined, 2)}\n`))
      await insertPart(tenancy, row.id, 'README.txt', text)
      await insertPart(tenancy, row.id, 'SHA256SUMS', Buffer.from(sumsOf(await listEntries(tenancy, row.id))))
      await updateExport(tenancy, row.id, { state: 'ready' })
      emitFor(departure)('exported', { exportId: row.id, tables: row.tables, rows: row.rows, bytes: row.bytes }, tenantId)
      return 'done'
    }
    const { lines, after, ended } = await readPart(tenancy, next, row.after ?? undefined)
    if (lines.length > 0) {
      const name = fileName(next.table.name, row.after, await countParts(tenancy, row.id))
      row.bytes += (await insertPart(tenancy, row.id, name, Buffer.from(`${lines.join('\n')}\n`))).packedSize
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

/** As `sha256sum --check` reads it. */
const sumsOf = (entries: readonly { name: string; digest: Buffer | null }[]): string =>
  entries.map(({ name, digest }) => `${digest?.toString('hex')}  ${name}\n`).join('')

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
    'SHA256SUMS is the last file and says the SHA-256 of each other one: sha256sum --check SHA256SUMS.',
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
  const entries = await house.work(tenantId, { userId, name: actorOf(viewer), address: facts.address }, async ({ tenancy, emitFor }) => {
    await requireFreshProof(house, tenancy.db, viewer, tenancy.now)
    const since = new Date(tenancy.now.getTime() - exportDays * 86_400_000)
    if (!(await mayFetch(tenancy, { id, userId, since }))) throw commonFault('missing')
    emitFor(departure)('fetched', { exportId: id }, tenantId)
    return listEntries(tenancy, id)
  })
  const end = zipEnd(entries)
  return {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="tenancy-export.zip"',
      // By it a browser knows a file that was broken off.
      'content-length': String(entries.reduce((sum, entry) => sum + zipHead(entry).length + entry.packedSize, end.length)),
    },
    body: bytesOf({ house, tenantId, id }, entries, end),
  }
}

/** The parts stay until the export's end, because a line may break in the middle. Where they go meanwhile, the download breaks off. */
async function* bytesOf(
  { house, tenantId, id }: { house: House; tenantId: string; id: string },
  entries: readonly ZipEntry[],
  end: Buffer,
): AsyncGenerator<Uint8Array> {
  for (const [at, entry] of entries.entries()) {
    const packed = await withTenancy(house, tenantId, (tenancy) => findPacked(tenancy, id, at + 1))
    if (packed?.length !== entry.packedSize) throw new Error('A part of the export is gone')
    yield zipHead(entry)
    yield packed
  }
  yield end
  await withTenancy(house, tenantId, (tenancy) => updateExport(tenancy, id, { state: 'taken' }))
}
