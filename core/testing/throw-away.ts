// PostgreSQL as the product brings it, on a cluster that nobody needs after a power cut: nothing waits for the disk.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { databaseAccount } from '#core/database/account.ts'
import { databasePrograms } from '#core/database/binaries.ts'
import { environment, user } from '#core/database/cluster.ts'
import type { Place } from '#core/database/place.ts'
import { noteClusterTime } from './database-time.ts'

/** Ends the server when its own input ends, as it does with the process that started it, however that one ends. */
const keeper =
  '"$0" -D "$1" -o "$2" -l "$1/start.log" -w start >/dev/null && echo started && read -r _; "$0" -D "$1" -m fast -w stop >/dev/null'

/** `more`: settings beside those that hurry it. */
export async function startThrowAway(
  place: Place,
  more: readonly string[] = [],
): Promise<{ connection: { host: string; user: string; database: string }; stop(): Promise<void> }> {
  const account = databaseAccount()
  const programs = databasePrograms(account, () => {})
  const hurried = ['fsync', 'full_page_writes', 'synchronous_commit'].map((name) => `${name}=off`)
  const settings = [...hurried, ...more].map((setting) => `-c ${setting}`).join(' ')
  const options = `-k '${place.socket}' -p 5432 -c listen_addresses='' ${settings}`
  const identity = account ? { uid: account.uid, gid: account.gid } : {}
  const child = spawn('sh', ['-c', keeper, join(programs, 'bin', 'pg_ctl'), place.cluster, options], {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...identity,
  })
  const ended = once(child, 'exit')
  const [words] = (await Promise.race([once(child.stdout, 'data'), ended])) as unknown[]
  if (!Buffer.isBuffer(words)) throw new Error(`The database of the tests does not start in ${place.cluster}`)
  return {
    connection: { host: place.socket, user, database: 'postgres' },
    async stop() {
      noteClusterTime(place.cluster)
      child.stdin.end()
      await ended
      // Where the folder's path is long it lies elsewhere.
      rmSync(place.socket, { recursive: true, force: true })
    },
  }
}
