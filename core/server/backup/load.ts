// Brings a backup's content into an empty database, in one transaction: all of it, or nothing. The schema is first brought to where it was
// when the backup was made; the migrations that came later run afterwards, over the rows, as they would have run on the old installation.

import pg from 'pg'
import type { ConnectionSettings } from '../database.ts'
import { BackupError } from './container.ts'
import type { Counts, Manifest, Section } from './dump.ts'
import { countRows, enterTenantOn, quoted, tablesToBackUp, tenantsToVisit, type BackupTable } from './tables.ts'

type Note = { manifest: Manifest } | { section: { table: string; tenantId?: string } } | { end: Counts }
export type Item = { note: Note } | { row: string }

/** The lines of a backup's content. Only a line feed ends one: readline would also break a row at U+2028. */
export async function* itemsOf(content: AsyncIterable<Buffer>): AsyncGenerator<Item> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of content) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const end = held.lastIndexOf(lineFeed)
    if (end < 0) continue
    for (const line of held.toString('utf8', 0, end).split('\n'))
      yield line.startsWith('#') ? { note: JSON.parse(line.slice(1)) as Note } : { row: line }
    held = held.subarray(end + 1)
  }
  if (held.length > 0) throw new BackupError('The backup ends in the middle of a line.')
}
const lineFeed = 0x0a

/** Reads a backup to its end, which proves that it is whole. */
export async function inspect(content: AsyncIterable<Buffer>): Promise<{ manifest: Manifest; counts: Counts }> {
  let manifest: Manifest | undefined
  let counts: Counts | undefined
  for await (const item of itemsOf(content)) {
    if ('row' in item) continue
    if ('manifest' in item.note) manifest = item.note.manifest
    if ('end' in item.note) counts = item.note.end
  }
  if (manifest === undefined || counts === undefined) throw new BackupError('The backup has no beginning or no end.')
  return { manifest, counts }
}

export async function load(connection: ConnectionSettings, content: AsyncIterable<Buffer>): Promise<Counts> {
  const client = new pg.Client({ ...connection, application_name: 'chancery-restore' })
  await client.connect()
  try {
    await client.query('begin')
    const tables = new Map((await tablesToBackUp(client)).map((table) => [table.name, table]))
    const loaded: Counts = {}
    let promised: Counts = {}
    let batch = emptyBatch(undefined)
    const flush = async () => {
      if (batch.section === undefined || batch.rows.length === 0) return
      const table = tables.get(batch.section.table)
      if (table === undefined) throw new BackupError(`The backup has a table ${batch.section.table} that this Chancery does not know.`)
      await insert(client, table, batch.section.tenantId, batch.rows)
      loaded[table.name] = (loaded[table.name] ?? 0) + batch.rows.length
      batch = emptyBatch(batch.section)
    }
    for await (const item of itemsOf(content)) {
      if ('row' in item) {
        batch.rows.push(item.row)
        batch.size += item.row.length
        if (batch.size > largestBatch && tables.get(batch.section?.table ?? '')?.pointsToItself !== true) await flush()
      } else if ('section' in item.note) {
        await flush()
        batch = emptyBatch({ table: item.note.section.table, tenantId: item.note.section.tenantId })
      } else if ('end' in item.note) promised = item.note.end
    }
    await flush()
    // Counted in the tables themselves: what a trigger adds or a rule leaves out shows as well.
    const tenants = await tenantsToVisit(client)
    for (const table of tables.values()) {
      const [expected, found] = [promised[table.name] ?? 0, await countRows(client, table, tenants)]
      if (found !== expected)
        throw new BackupError(`The table ${table.name} should have ${expected} rows and has ${found}. Nothing was restored.`)
    }
    await client.query('commit')
    return loaded
  } finally {
    await client.end()
  }
}

/** Characters of JSON in one statement. */
const largestBatch = 4_000_000

const emptyBatch = (section: Section | undefined) => ({ section, rows: [] as string[], size: 0 })

async function insert(client: pg.Client, { name }: BackupTable, tenantId: string | undefined, rows: readonly string[]): Promise<void> {
  if (tenantId !== undefined) await enterTenantOn(client, tenantId)
  await client.query(`insert into ${quoted(name)} select * from json_populate_recordset(null::${quoted(name)}, $1)`, [
    `[${rows.join(',')}]`,
  ])
}
