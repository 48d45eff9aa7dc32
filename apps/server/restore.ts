// `npm run restore -- --from FILE`: brings a backup into an empty installation. The file is read to its end before anything is written, and
// what is written is one transaction. Sessions are not in a backup, so everybody signs in again.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { forgetStoredCheckpoint, verifyOnceNumbered } from '#areas/audit/service.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { recordRestore } from '#areas/setup/service.ts'
import { BackupError, readBackup, readBackupHeader, type BackupHeader } from '#core/server/backup/container.ts'
import { inspect, load } from '#core/server/backup/load.ts'
import type { ConnectionSettings } from '#core/server/database.ts'
import { installationKeyFile, openInstallationKey } from '#core/server/installation-key.ts'
import { listMigrations, migrate, neededVersion } from '#core/server/migrate.ts'
import { migrationFolders, openHouse, version } from '#core/server/open.ts'
import { readSettings, type Settings } from '#core/server/settings.ts'
import { startDatabase } from '#core/server/start-database.ts'
import type { LogVerdict } from '#standards/audit-log/verify-log.ts'
import { rooms } from './rooms.ts'

const help = `npm run restore -- --from FILE [--replace NAME]

Brings a backup into this installation, which must be empty and not running. Its installation key must lie where the settings say
(CHANCERY_KEY_FILE, or installation.key in the data folder), or in the backup, under the passphrase in CHANCERY_BACKUP_PASSPHRASE.

  --replace NAME   removes what is there first: NAME is the name of its management tenancy, to show that you mean it`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { from: { type: 'string' }, replace: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help === true || values.from === undefined) {
    console.log(help)
    process.exitCode = values.help === true ? 0 : 2
    return
  }
  const file = values.from
  if (!existsSync(file)) throw new BackupError(`There is no file ${file}.`)
  const settings = readSettings({ ...process.env, CHANCERY_LOG: process.env['CHANCERY_LOG'] ?? 'error' })
  const header = await readBackupHeader(file)
  await bringKey(settings, header)
  const key = await openInstallationKey({ ...settings, mayMake: false, warn: () => {} })
  if (!header.opensWith(key))
    throw new BackupError(
      `The backup was made with another installation key than ${installationKeyFile(settings)}. Put the key of that installation there.`,
    )
  const { manifest, counts } = await inspect(readBackup(file, key))
  const folders = migrationFolders(rooms)
  const ran = manifest.migrations.map(({ name, version: by = '0.1.0' }) => ({ name, version: by }))
  const needed = neededVersion(ran, await listMigrations(folders), version)
  if (needed !== undefined)
    throw new BackupError(
      `The backup was made by Chancery ${manifest.version} and needs ${needed} or later; this is ${version}. Nothing was changed. Restore it with that release.`,
    )

  let verdict: LogVerdict
  const database = await startDatabase(settings, () => {})
  try {
    await makeRoom(database.connection, values.replace)
    // The restored log may rightly be a shorter one than this folder has last seen signed.
    forgetStoredCheckpoint(settings.dataDirectory)
    const known = new Set(manifest.migrations.map(({ name }) => name))
    await migrate(database.connection, folders, { version, only: known })
    await load(database.connection, readBackup(file, key))
    const opened = await openHouse({
      settings: { ...settings, host: '127.0.0.1', tls: undefined },
      connection: database.connection,
      rooms,
      identify: findViewer,
      port: 0,
      background: false,
      warn: () => {},
    })
    try {
      await recordRestore(opened.house, { backupMadeAt: manifest.madeAt, checkpoint: manifest.checkpoint })
      verdict = await verifyOnceNumbered(opened.house, manifest.checkpoint)
    } finally {
      await opened.close()
    }
  } finally {
    await database.stop()
  }
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  console.log(`Restored the backup of ${manifest.madeAt}: ${rows} rows of ${Object.keys(counts).length} tables.
What happened after that moment is not in it: certificates issued since then are unknown here, revocations made since then are undone, and API
tokens ended since then work again. docs/backup.md says what to do about each.`)
  if (!verdict.ok)
    throw new BackupError(`The restored audit log is NOT INTACT (${verdict.fault}): ${verdict.message}. It came so out of the backup.`)
  console.log(
    `Every table has the rows that the backup counted. The audit log is intact: ${verdict.rows} events, ${verdict.checkpoints} checkpoints.`,
  )
}

/** Writes the key out of the backup where the settings expect one and there is none. */
async function bringKey(settings: Settings, header: BackupHeader): Promise<void> {
  const keyFile = installationKeyFile(settings)
  if (existsSync(keyFile)) return
  const passphrase = process.env['CHANCERY_BACKUP_PASSPHRASE']
  if (!header.hasKey)
    throw new BackupError(
      `${keyFile} is missing. Put the installation key of the backed-up installation there: this backup was made without it.`,
    )
  if (passphrase === undefined)
    throw new BackupError('The installation key is in the backup under a passphrase: set CHANCERY_BACKUP_PASSPHRASE.')
  const key = await header.keyIn(passphrase)
  mkdirSync(dirname(keyFile), { recursive: true })
  writeFileSync(keyFile, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
}

/** Refuses a database that is in use or holds an installation; with its name, empties it. */
async function makeRoom(connection: ConnectionSettings, replace: string | undefined): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows: others } = await client.query(
      `select from pg_stat_activity where datname = current_database() and application_name like 'chancery%' and pid <> pg_backend_pid()`,
    )
    if (others.length > 0) throw new BackupError('Chancery is running on this database. Stop it first.')
    const { rows: there } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    if (there.length === 0) return
    const name = there.some((table) => table.name === 'tenancies')
      ? (await client.query<{ name: string }>(`select name from tenancies where kind = 'management'`)).rows[0]?.name
      : undefined
    if (name !== undefined && replace !== name)
      throw new BackupError(
        `There is an installation here already${replace === undefined ? '' : `, and its management tenancy is not called "${replace}"`}. A restore wants an empty one; see --replace in --help.`,
      )
    await client.query('begin')
    await client.query('drop schema if exists pgboss cascade')
    for (const { name: table } of there) await client.query(`drop table "${table.replaceAll('"', '""')}" cascade`)
    await client.query(`do $$ declare one regprocedure; begin
      for one in select p.oid::regprocedure from pg_proc p where pronamespace = 'public'::regnamespace and not exists (select from pg_depend where objid = p.oid and deptype = 'e') loop execute format('drop function %s cascade', one); end loop;
    end $$`)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  },
)
