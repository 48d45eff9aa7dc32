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

/**
 * Brings the schema up to date, or to where it was with `only` these. Returns the names of the files that ran. Refuses a database that a later
 * release has changed: what this one does not know it would write wrongly, or not at all.
 */
export async function migrate(
  settings: ConnectionSettings,
  folders: readonly MigrationFolder[],
  { version, only }: { version: string; only?: ReadonlySet<string> },
): Promise<string[]> {
  const client = new pg.Client(settings)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lease])
    await prepare(client)
    const { rows } = await client.query<MigrationRow>('select name, checksum, version from migrations')
    const files = await listMigrations(folders)
    const needed = neededVersion(rows, files, version)
    if (needed !== undefined)
      throw new MigrationError(
        `This database needs Chancery ${needed} or later, and this is ${version}: a later release has changed it. Start that release, or restore the backup that was made before the upgrade (docs/running.md, Upgrading).`,
      )
    const done = new Map(rows.map((row) => [row.name, row.checksum]))
    const ran: string[] = []
    for (const { name, path } of files) {
      if (only?.has(name) === false) continue
      const text = await readFile(path, 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      const known = done.get(name)
      if (known === checksum) continue
      if (known !== undefined)
        throw new MigrationError(
          `The migration ${name} has changed since it ran on this database. Restore the file as it was; put changes in a new one.`,
        )
      await runOne(client, { name, text, checksum, version })
      ran.push(name)
    }
    return ran
  } finally {
    await client.end()
  }
}

type MigrationRow = { name: string; checksum: string; version: string }
type MigrationFile = { name: string; path: string }

/** All files, in the order in which they run. */
export async function listMigrations(folders: readonly MigrationFolder[]): Promise<MigrationFile[]> {
  const files: MigrationFile[] = []
  for (const { room, folder } of folders)
    for (const file of await migrationFiles(folder)) files.push({ name: `${room}/${file}`, path: join(folder, file) })
  return files
}

/**
 * Answers the release that it takes for what `ran`; undefined where this one will do. A file that ran and is not here any more belongs to a room that
 * was removed since, where an earlier release brought it, and else to a later release.
 */
export function neededVersion(
  ran: readonly Pick<MigrationRow, 'name' | 'version'>[],
  files: readonly MigrationFile[],
  version: string,
): string | undefined {
  const known = new Set(files.map(({ name }) => name))
  return ran
    .filter((row) => !known.has(row.name) && !isEarlier(row.version, version))
    .map((row) => row.version)
    .reduce<string | undefined>((last, one) => (last === undefined || isEarlier(last, one) ? one : last), undefined)
}

/** Compares version numbers by their parts; a pre-release comes before its release. */
function isEarlier(left: string, right: string): boolean {
  const [a, b] = [left, right].map((version) => /^(\d+)\.(\d+)\.(\d+)(-?)/.exec(version))
  if (a == null || b == null) return false
  for (const part of [1, 2, 3]) if (a[part] !== b[part]) return Number(a[part]) < Number(b[part])
  return a[4] === '-' && b[4] === ''
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
  await prepareJobQueue(client)
  await client.query(
    `create table if not exists migrations (name text primary key, checksum text not null, ran_at timestamptz not null default now())`,
  )
  // Those that ran before their release was recorded are of the first one.
  await client.query(`alter table migrations add column if not exists version text not null default '0.1.0'`)
}

/**
 * Gives the job queue a schema and a role of its own, so that a fault in the library reaches no other table. What an earlier release made as the owner is
 * made anew: it holds nothing but the next time of each job. Where the owner of the database may make no role, the queue stays the owner's.
 */
async function prepareJobQueue(client: pg.Client): Promise<void> {
  await client.query(`do $$ begin
    if not exists (select from pg_roles where rolname = 'chancery_jobs') then create role chancery_jobs login; end if;
    if not pg_has_role(current_user, 'chancery_jobs', 'member') then execute format('grant chancery_jobs to %I', current_user); end if;
  exception when duplicate_object or unique_violation or insufficient_privilege or internal_error then null; end $$`)
  const { rows } = await client.query<{ ours: boolean; others: boolean }>(
    `select exists (select from pg_roles where rolname = 'chancery_jobs' and pg_has_role(current_user, oid, 'member')) as ours,
      exists (select from pg_namespace where nspname = 'pgboss' and nspowner::regrole::text <> 'chancery_jobs') as others`,
  )
  const { ours = false, others = false } = rows[0] ?? {}
  if (ours && others) await client.query('drop schema pgboss cascade')
  await client.query(`create schema if not exists pgboss ${ours ? 'authorization chancery_jobs' : ''}`)
}

async function migrationFiles(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter((file) => file.endsWith('.sql')).sort()
}

async function runOne(
  client: pg.Client,
  { name, text, checksum, version }: { name: string; text: string; checksum: string; version: string },
): Promise<void> {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('insert into migrations (name, checksum, version) values ($1, $2, $3)', [name, checksum, version])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new MigrationError(`The migration ${name} failed and was undone: ${error instanceof Error ? error.message : String(error)}`)
  }
}
