// The embedded database: a real PostgreSQL on a unix socket below the data folder, for whoever sets no DATABASE_URL. It is
// kept running: if it dies it is started again. It outlives a Chancery that is killed, and the next one adopts it. It is
// stopped by the Chancery that started it or, when that one is dead, by any other that adopted it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { databaseAccount } from './account.ts'
import { ensureDatabase } from './admin.ts'
import { databasePrograms } from './binaries.ts'
import { major, prepareCluster, user } from './cluster.ts'
import { DatabaseError, fileFault } from './error.ts'
import { databasePlace } from './place.ts'
import type { ProcessName } from './process.ts'
import { isStillThere, processName } from './process.ts'
import type { Server } from './server.ts'
import { bringUp, shutDown } from './server.ts'

export type EmbeddedDatabase = {
  /** Settings for `pg`. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string }
  readonly major: number
  /** Where the database lies; not always inside the data folder (place.ts). */
  readonly directory: string
  /** Whether the server was running already. */
  readonly adopted: boolean
  stop(): Promise<void>
  /** Why the server does not run now, while it is tried again; undefined while it runs. */
  fault(): DatabaseError | undefined
}

export type EmbeddedDatabaseOptions = { readonly dataDirectory: string; readonly log?: (sentence: string) => void }

export async function startEmbeddedDatabase({ dataDirectory, log = () => {} }: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const account = databaseAccount()
  const programs = databasePrograms(account, log)
  const place = databasePlace(dataDirectory, account, log)
  await prepareCluster(place, programs, account)

  const bring = async () => {
    const server = await bringUp(place, programs, account, log)
    if (!server.adopted) writeOwner(place.home)
    return server
  }
  const first = await bring()
  const connection = { host: first.socket, user, database: user }
  await ensureDatabase(connection)

  let current: Promise<Server> = Promise.resolve(first)
  let fault: DatabaseError | undefined
  const stopping = new AbortController()

  /** Tries until the server runs or the supervisor is stopped: a disk that is full is freed one day, and a missing file comes back. */
  const bringBack = async (pause: number): Promise<Server> => {
    for (let next = pause; ; next = Math.min(Math.max(next * 2, firstRetry), longestRetry)) {
      await wait(next, undefined, { signal: stopping.signal })
      try {
        const server = await bring()
        if (fault !== undefined) log('The database runs again.')
        fault = undefined
        return server
      } catch (error) {
        fault = asDatabaseError(error)
        const seconds = Math.min(Math.max(next * 2, firstRetry), longestRetry) / 1_000
        log(
          `The database could not be started again: ${fault.message} Until it runs nothing can be answered. It is tried again in ${seconds} s.`,
        )
      }
    }
  }

  const keepRunning = async () => {
    for (let shortLives = 0; ;) {
      const server = await current
      const since = performance.now()
      await server.gone
      if (stopping.signal.aborted) return
      shortLives = performance.now() - since < shortLife ? shortLives + 1 : 0
      log('The database ended unexpectedly and is started again.')
      current = bringBack(restartPause(shortLives))
      await current
    }
  }
  // Ends with the supervisor: nothing else stops it.
  keepRunning().catch(() => {})

  const stop = async () => {
    stopping.abort()
    const server = await current.catch(() => undefined)
    if (server && ownsServer(place.home)) {
      await shutDown(server)
      if (!server.socket.startsWith(place.home)) rmSync(server.socket, { recursive: true, force: true })
    }
  }
  let stopped: Promise<void> | undefined

  return {
    connection,
    major,
    directory: place.home,
    adopted: first.adopted,
    fault: () => fault,
    stop: () => (stopped ??= stop()),
  }
}

const firstRetry = 1_000
const longestRetry = 30_000
const shortLife = 1_000

function restartPause(shortLives: number): number {
  return shortLives === 0 ? 0 : Math.min(100 * 2 ** shortLives, 1_000)
}

function asDatabaseError(error: unknown): DatabaseError {
  return error instanceof DatabaseError
    ? error
    : new DatabaseError('start-failed', `The database could not be started again: ${String(error)}`, { cause: error })
}

const ownerName = 'owner.json'

function writeOwner(home: string): void {
  try {
    writeFileSync(join(home, ownerName), JSON.stringify(processName(process.pid)))
  } catch (error) {
    throw fileFault(error, home)
  }
}

/** Whether this process started the server, or nobody is left who did. */
function ownsServer(home: string): boolean {
  const owner = readOwner(home)
  return owner === undefined || owner.pid === process.pid || !isStillThere(owner)
}

function readOwner(home: string): ProcessName | undefined {
  const file = join(home, ownerName)
  if (!existsSync(file)) return undefined
  try {
    const owner: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof owner === 'object' && owner && 'pid' in owner && 'start' in owner)
      return { pid: Number(owner.pid), start: String(owner.start) }
  } catch {
    // A crash while writing leaves half a file; its writer is dead then.
  }
  return undefined
}
