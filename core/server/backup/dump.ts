// A backup's content: everything that the tables hold at one moment, as lines. A line that begins with # says what follows; any other is a
// row in PostgreSQL's own JSON, which nobody here reads: it goes back in as it came out. The server works on meanwhile.

import pg from 'pg'
import type { ConnectionSettings } from '../database.ts'
import { BackupError } from './container.ts'
import { enterTenantOn, quoted, tablesToBackUp, tenantsToVisit, type BackupTable } from './tables.ts'

export type Manifest = {
  version: string
  madeAt: string
  /** Which migrations had run; a restore runs these, loads the rows, and then the later ones. */
  migrations: { name: string; checksum: string; version?: string }[]
  /** The last signed checkpoint of the audit log, to tell a rolled-back log from a restored one. */
  checkpoint: string
}

export type Section = { table: string; tenantId: string | undefined }
export type Counts = Record<string, number>

const batchSize = 2_000

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
    const tenants = await tenantsToVisit(client)
    yield note({ manifest: await manifestOf(client, version, madeAt) })
    const counts: Counts = {}
    for (const table of tables) {
      counts[table.name] = 0
      for (const tenantId of table.ofTenants ? tenants : [undefined]) {
        let section: Section | undefined
        for await (const { row, count } of rowsOf(client, table, tenantId)) {
          if (section?.tenantId !== row.tenantId || section === undefined) {
            section = { table: table.name, tenantId: row.tenantId }
            yield note({ section })
          }
          yield Buffer.from(row.text)
          counts[table.name] = (counts[table.name] ?? 0) + count
        }
      }
    }
    await requireEveryEvent(client, counts['events'] ?? 0)
    yield note({ end: counts })
    counted(counts)
  } finally {
    await client.end()
  }
}

const note = (value: object): Buffer => Buffer.from(`#${JSON.stringify(value)}\n`)

async function manifestOf(client: pg.Client, version: string, madeAt: Date): Promise<Manifest> {
  // Of a database that was not brought up to date yet: there the column is missing.
  const { rows: migrations } = await client.query<Manifest['migrations'][number]>(
    `select name, checksum, coalesce(to_jsonb(migrations) ->> 'version', '0.1.0') as version from migrations order by name`,
  )
  const { rows: checkpoints } = await client.query<{ note: string }>('select note from audit_checkpoints order by size desc limit 1')
  return { version, madeAt: madeAt.toISOString(), migrations, checkpoint: checkpoints[0]?.note ?? '' }
}

/**
 * Rows of one table by their key, those of each tenancy together: of all tenancies in one pass, or of the one that is named, where row security
 * holds this role.
 */
async function* rowsOf(
  client: pg.Client,
  { name, ofTenants, primaryKey }: BackupTable,
  tenantId: string | undefined,
): AsyncGenerator<{ row: { tenantId: string | undefined; text: string }; count: number }> {
  if (tenantId !== undefined) await enterTenantOn(client, tenantId)
  const tenant = ofTenants ? 'tenant_id::text' : 'null'
  // The auditor's policy shows the owner the events of every tenancy, so the tenancy is named as well.
  const where = tenantId === undefined ? '' : ' where tenant_id = $1'
  const order = primaryKey.length === 0 ? '' : ` order by ${primaryKey.map(quoted).join(', ')}`
  await client.query(
    `declare rows no scroll cursor for select ${tenant} as tenant, row_to_json(this)::text as line from ${quoted(name)} this${where}${order}`,
    tenantId === undefined ? [] : [tenantId],
  )
  for (;;) {
    const { rows } = await client.query<{ tenant: string | null; line: string }>(`fetch ${batchSize} from rows`)
    for (let from = 0; from < rows.length;) {
      const owner = rows[from]?.tenant
      const next = rows.findIndex(({ tenant: other }, at) => at > from && other !== owner)
      const together = rows.slice(from, next < 0 ? rows.length : next)
      yield { row: { tenantId: owner ?? undefined, text: together.map(({ line }) => `${line}\n`).join('') }, count: together.length }
      from += together.length
    }
    if (rows.length < batchSize) break
  }
  await client.query('close rows')
}

/** Says that events were missed: under row security only tenancies that are known can be visited. The auditor sees the events of all. */
async function requireEveryEvent(client: pg.Client, dumped: number): Promise<void> {
  await client.query('set local role chancery_auditor')
  const { rows } = await client.query<{ count: number | string }>('select count(*) as count from events')
  await client.query('reset role')
  if (Number(rows[0]?.count) !== dumped)
    throw new BackupError(`The log has ${rows[0]?.count ?? 0} events and ${dumped} of them could be read. No backup was made.`)
}
