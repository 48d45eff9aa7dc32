// Forward-only numbered SQL, each file checksummed and run once, core first and then the rooms in their order. An advisory lock is the
// lease: of two servers that start at once, one migrates and the other waits and then finds nothing to do.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { ConnectionSettings } from './database.ts'

export class MigrationError extends Error {
  override name = 'MigrationError'
}

export type MigrationFolder = { room: string; folder: string }

const lease = 0x6368616e // any number that all servers share

/** Brings the schema up to date, or to where it was with `only` these. Returns the names of the files that ran. */
export async function migrate(
  settings: ConnectionSettings,
  folders: readonly MigrationFolder[],
  { only }: { only?: ReadonlySet<string> } = {},
): Promise<string[]> {
  const client = new pg.Client(settings)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lease])
    await prepare(client)
    const done = new Map<string, string>()
    for (const row of (await client.query<{ name: string; checksum: string }>('select name, checksum from migrations')).rows)
      done.set(row.name, row.checksum)
    const ran: string[] = []
    for (const { room, folder } of folders) {
      for (const file of await migrationFiles(folder)) {
        const name = `${room}/${file}`
        if (only?.has(name) === false) continue
        const text = await readFile(join(folder, file), 'utf8')
        const checksum = createHash('sha256').update(text).digest('hex')
        const known = done.get(name)
        if (known === checksum) continue
        if (known !== undefined)
          throw new MigrationError(
            `The migration ${name} has changed since it ran on this database. Restore the file as it was; put changes in a new one.`,
          )
        await runOne(client, name, text, checksum)
        ran.push(name)
      }
    }
    return ran
  } finally {
    await client.end()
  }
}

async function prepare(client: pg.Client): Promise<void> {
  for (const role of ['chancery_app', 'chancery_auditor']) {
    // Two databases of one cluster share their roles, so a concurrent creation elsewhere is not a fault.
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login; end if;
    exception when duplicate_object or unique_violation then null; end $$`)
    await client.query(`do $$ begin
      if not pg_has_role(current_user, '${role}', 'member') then execute format('grant ${role} to %I', current_user); end if;
    end $$`)
    // Without a password nobody comes in as the role from elsewhere. Who may not alter it leaves it to whoever made it.
    await client.query(`do $$ begin
      if exists (select from pg_roles where rolname = '${role}' and not rolcanlogin) then alter role ${role} login; end if;
    exception when insufficient_privilege or internal_error then null; end $$`)
    await client.query(`grant usage on schema public to ${role}`)
  }
  await client.query('revoke create on schema public from public')
  await client.query(
    `create table if not exists migrations (name text primary key, checksum text not null, ran_at timestamptz not null default now())`,
  )
}

async function migrationFiles(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter((file) => file.endsWith('.sql')).sort()
}

async function runOne(client: pg.Client, name: string, text: string, checksum: string): Promise<void> {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new MigrationError(`The migration ${name} failed and was undone: ${error instanceof Error ? error.message : String(error)}`)
  }
}
