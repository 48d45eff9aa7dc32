// One PostgreSQL data folder: making it, and refusing what is not ours to run. A new one is made under another name and
// gets its own name last, so that a crash half-way leaves nothing that looks like a database, and of two starters one wins.
import { execFile } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Account } from './account.ts'
import { DatabaseError, fileFault, systemCode } from './error.ts'
import type { Place } from './place.ts'
import { giveTo, makePrivate } from './place.ts'
import { isAlive } from './process.ts'

export const major = 18
export const user = 'chancery'

/** Written into postgresql.conf once, where an operator may change them; what must hold is given at each start (server.ts). */
const settings: Readonly<Record<string, string>> = {
  max_connections: '240',
  shared_buffers: `${Math.min(512, Math.max(128, Math.floor(totalmem() / 8 / 2 ** 20)))}MB`,
  // A new file of the log is 16 MB; filled with zeros first, it keeps everybody waiting who commits meanwhile: once a second when much is issued.
  wal_init_zero: 'off',
  synchronous_commit: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
}

/** Messages in English, and nothing of the caller's environment, which may hold secrets or libpq settings. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Makes the cluster if there is none; afterwards it is one that this version can run, owned by the account. */
export async function prepareCluster(place: Place, programs: string, account: Account | undefined): Promise<void> {
  try {
    removeDrafts(place)
    if (!existsSync(join(place.cluster, 'PG_VERSION'))) await makeCluster(place, programs, account)
    refuseOtherVersion(place.cluster)
    if (account && lstatSync(place.cluster).uid !== account.uid) giveTo(account, place.cluster)
  } catch (error) {
    throw fileFault(error, place.home)
  }
}

const draftName = /^new-(\d+)$/

function removeDrafts({ home }: Place): void {
  for (const name of readdirSync(home)) {
    const maker = Number(draftName.exec(name)?.[1])
    if (maker && (maker === process.pid || !isAlive(maker))) rmSync(join(home, name), { recursive: true })
  }
}

async function makeCluster({ home, cluster }: Place, programs: string, account: Account | undefined): Promise<void> {
  if (existsSync(cluster) && readdirSync(cluster).length > 0) {
    throw new DatabaseError(
      'data-missing',
      `The folder ${cluster} holds files but no database (PG_VERSION is missing). Restore it from a backup, or move it away to start with an empty database.`,
    )
  }
  const draft = join(home, `new-${process.pid}`)
  mkdirSync(draft)
  try {
    makePrivate(draft, account)
    await initialise(draft, programs, account)
    renameSync(draft, cluster)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    const anotherWasFaster = ['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')
    if (!anotherWasFaster) throw error
  }
}

function initialise(directory: string, programs: string, account: Account | undefined): Promise<void> {
  const options = [
    '--pgdata',
    directory,
    '--username',
    user,
    '--auth-local',
    'trust',
    '--auth-host',
    'reject',
    '--locale',
    'C',
    '--encoding',
    'UTF8',
    '--data-checksums',
    '--no-instructions',
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ]
  const identity = account ? { uid: account.uid, gid: account.gid } : {}
  return new Promise((resolve, reject) => {
    execFile(join(programs, 'bin', 'initdb'), options, { cwd: '/', env: environment, ...identity }, (error, output, complaints) => {
      if (!error) resolve()
      else
        reject(
          databaseFault(`${complaints}\n${output}`, directory) ??
            new DatabaseError(
              'start-failed',
              `A new database could not be made in ${directory}: ${lastLine(complaints) || error.message}`,
              { cause: error },
            ),
        )
    })
  })
}

function refuseOtherVersion(cluster: string): void {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (found === String(major)) return
  throw new DatabaseError(
    'other-version',
    `The database in ${cluster} was made by PostgreSQL ${found}, and this Chancery runs PostgreSQL ${major}, which cannot read it. Nothing was changed. Start the Chancery that made it, or dump it with PostgreSQL ${found} and restore it into an empty data folder.`,
  )
}

const leastFreeBytes = 64 * 1024

/** What PostgreSQL's own words mean for the person who starts Chancery; undefined for what may pass by itself. */
export function databaseFault(words: string, directory: string): DatabaseError | undefined {
  if (/No space left on device|Disk quota exceeded/.test(words) || isFull(directory)) {
    return new DatabaseError(
      'disk-full',
      `The disk that holds ${directory} is full. Free some space and start again; nothing that was saved is lost.`,
    )
  }
  if (/Permission denied|Read-only file system/.test(words)) {
    return new DatabaseError('not-writable', `The database cannot write to ${directory}: ${lastLine(words)}`)
  }
  if (/unrecognized configuration parameter|contains errors|invalid value for parameter|incompatible/.test(words)) {
    return new DatabaseError('start-failed', `The database in ${directory} does not start: ${lastLine(words)}`)
  }
  return undefined
}

/** A full disk often keeps PostgreSQL from saying that it is full, because its log lies there too. */
function isFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize < leastFreeBytes
  } catch {
    return false
  }
}

export function lastLine(words: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return lines.findLast((line) => /FATAL|PANIC|ERROR|error:/.test(line)) ?? lines.at(-1) ?? ''
}
