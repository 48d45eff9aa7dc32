// A backup's content: everything that the tables hold at one moment, as lines. A line that begins with # says what follows; any other is a
// row in PostgreSQL's own JSON, which nobody here reads: it goes back in as it came out. The server works on meanwhile.

import pg from 'pg'
import type { ConnectionSettings } from '../database.ts'
import { enterTenantOn, quoted, tablesToBackUp, type BackupTable } from './tables.ts'

export type Manifest = {
  version: string
  madeAt: string
  /** Which migrations had run; a restore runs these, loads the rows, and then the later ones. */
  migrations: { name: string; checksum: string }[]
  /** The last signed checkpoint of the audit log, to tell a rolled-back log from a restored one. */
  checkpoint: string
}

export type Section = { table: string; tenantId: string | undefined }
export type Counts = Record<string, number>

const rowsAtOnce = 2_000

export async function* dump(
  connection: ConnectionSettings,
  version: string,
  madeAt: Date,
  counted: (counts: Counts) => void,
): AsyncGenerator<Buffer> {
  const client = new pg.Client({ ...connection, application_name: 'chancery-backup' })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const tables = await tablesToBackUp(client)
    const tenants = (await client.query<{ id: string }>('select id from tenancies order by id')).rows.map(({ id }) => id)
    yield note({ manifest: await manifestOf(client, version, madeAt) })
    const counts: Counts = {}
    for (const table of tables) {
      counts[table.name] = 0
      for (const tenantId of table.ofTenants ? tenants : [undefined]) {
        for await (const lines of rowsOf(client, table, tenantId)) {
          if (lines.first) yield note({ section: { table: table.name, ...(tenantId === undefined ? {} : { tenantId }) } })
          yield Buffer.from(lines.text)
          counts[table.name] = (counts[table.name] ?? 0) + lines.count
        }
      }
    }
    yield note({ end: counts })
    counted(counts)
  } finally {
    await client.end()
  }
}

const note = (value: object): Buffer => Buffer.from(`#${JSON.stringify(value)}\n`)

async function manifestOf(client: pg.Client, version: string, madeAt: Date): Promise<Manifest> {
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations order by name')
  const { rows: checkpoints } = await client.query<{ note: string }>('select note from audit_checkpoints order by size desc limit 1')
  return { version, madeAt: madeAt.toISOString(), migrations, checkpoint: checkpoints[0]?.note ?? '' }
}

/** The rows of one tenancy, or of the installation, by their key. A superuser is not held by row security, so the tenancy is named as well. */
async function* rowsOf(
  client: pg.Client,
  { name, primaryKey }: BackupTable,
  tenantId: string | undefined,
): AsyncGenerator<{ first: boolean; text: string; count: number }> {
  if (tenantId !== undefined) await enterTenantOn(client, tenantId)
  const where = tenantId === undefined ? '' : ' where tenant_id = $1'
  const order = primaryKey.length === 0 ? '' : ` order by ${primaryKey.map(quoted).join(', ')}`
  await client.query(
    `declare rows no scroll cursor for select row_to_json(this)::text as line from ${quoted(name)} this${where}${order}`,
    tenantId === undefined ? [] : [tenantId],
  )
  for (let first = true; ; first = false) {
    const { rows } = await client.query<{ line: string }>(`fetch ${rowsAtOnce} from rows`)
    if (rows.length > 0) yield { first, text: rows.map(({ line }) => `${line}\n`).join(''), count: rows.length }
    if (rows.length < rowsAtOnce) break
  }
  await client.query('close rows')
}
