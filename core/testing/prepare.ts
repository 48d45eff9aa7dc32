// Makes the database that tests copy (prepared.ts) in the folder that its argument names, which must not exist yet.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rooms } from '#apps/server/rooms.ts'
import { databaseAccount } from '#core/database/account.ts'
import { ensureDatabase } from '#core/database/admin.ts'
import { databasePrograms } from '#core/database/binaries.ts'
import { prepareCluster, user } from '#core/database/cluster.ts'
import { databasePlace } from '#core/database/place.ts'
import { migrate } from '#core/server/migrate.ts'
import { migrationFolders, version } from '#core/server/open.ts'
import { copyCluster } from './prepared.ts'
import { startThrowAway } from './throw-away.ts'

/** Keeps no file of the log for later: each copy would have it. */
const slim = ['wal_recycle=off', 'min_wal_size=32MB', 'logging_collector=off']

const target = process.argv[2]
if (target === undefined) throw new Error('Say where the database shall be made')
// Not in the target's place: the database's own account may not enter that.
const folder = mkdtempSync(join(tmpdir(), 'chancery-prepared-'))
try {
  chmodSync(folder, 0o755)
  const account = databaseAccount()
  const place = databasePlace(folder, account, () => {})
  await prepareCluster(
    place,
    databasePrograms(account, () => {}),
    account,
  )
  const server = await startThrowAway(place, slim)
  try {
    const connection = { ...server.connection, database: user }
    await ensureDatabase(connection)
    await migrate(connection, migrationFolders(rooms), { version })
  } finally {
    await server.stop()
  }
  rmSync(join(place.cluster, 'start.log'), { force: true })
  await copyCluster(place.cluster, target)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
