// `npm run backup -- --to FILE`: everything of this installation in one sealed file, while the server works on.

import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BackupError, writeBackup } from '#core/server/backup/container.ts'
import { dump, type Counts } from '#core/server/backup/dump.ts'
import { installationKeyFile, openInstallationKey } from '#core/server/installation-key.ts'
import { version } from '#core/server/open.ts'
import { readSettings } from '#core/server/settings.ts'
import { startDatabase } from '#core/server/start-database.ts'

const help = `npm run backup -- --to FILE [--with-key]

Writes a backup of the database to FILE: tenancies, people, keys (sealed), certificates, the audit log. It is encrypted and
authenticated with the installation key, which is not in it: keep that file apart, or the backup cannot be opened.

  --with-key   puts the installation key in, sealed by the passphrase in CHANCERY_BACKUP_PASSPHRASE`

const shortestPassphrase = 16

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { to: { type: 'string' }, 'with-key': { type: 'boolean' }, help: { type: 'boolean' } } })
  if (values.help === true || values.to === undefined) {
    console.log(help)
    process.exitCode = values.help === true ? 0 : 2
    return
  }
  if (existsSync(values.to))
    throw new BackupError(`${values.to} is there already. A backup takes the place of none: name another file, or move that one away.`)
  const passphrase = values['with-key'] === true ? wantedPassphrase() : undefined
  const settings = readSettings(process.env)
  // Looked for before the database is: where there is neither, one would be made for nothing, and its key be missed.
  if (settings.databaseUrl === undefined && !existsSync(settings.dataDirectory))
    throw new BackupError(`There is no installation in ${settings.dataDirectory}. CHANCERY_DATA names the folder of another.`)
  const database = await startDatabase(settings, () => {})
  try {
    const keyFile = installationKeyFile(settings)
    const key = await openInstallationKey({ ...settings, mayMake: false, warn: () => {} })
    const madeAt = new Date()
    let counts: Counts = {}
    const content = dump(database.connection, version, madeAt, (counted) => void (counts = counted))
    await writeBackup(
      values.to,
      key,
      madeAt,
      content,
      passphrase === undefined ? undefined : { passphrase, key: Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'base64') },
    )
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    console.log(
      `Backup written to ${values.to}: ${rows} rows of ${Object.keys(counts).length} tables, ${counts['certificates'] ?? 0} certificates.`,
    )
    if (passphrase === undefined)
      console.log(`It opens only with the installation key, ${keyFile}. Keep a copy of that file in another place.`)
  } finally {
    await database.stop()
  }
}

function wantedPassphrase(): string {
  const passphrase = process.env['CHANCERY_BACKUP_PASSPHRASE'] ?? ''
  if (passphrase.length < shortestPassphrase)
    throw new BackupError(`Set CHANCERY_BACKUP_PASSPHRASE to at least ${shortestPassphrase} characters: it seals the installation key.`)
  return passphrase
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  },
)
