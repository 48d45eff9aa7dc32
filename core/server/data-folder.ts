// A data folder serves one server at a time: two would each take the folder's address for theirs, and do the work of its installation twice. Whoever starts locks a
// file in the folder first, and who finds it locked changes nothing. The lock is the operating system's, by way of SQLite, because Node has none of its own: it goes with
// its process however that ends, one of many takes it, and containers that do not see each other's processes see it. The file is for this account alone. Nothing is ever written to it, and it
// stays where it is: to remove it would leave one server with the old file and the next with a new one.

import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { makeReachable } from '#core/database/binaries.ts'
import { systemCode } from '#core/database/error.ts'

const lockName = 'running.lock'

/** Who holds the folder, for the sentence that others get; the lock alone counts. */
const Holder = z.object({ pid: z.number().int().positive(), origin: z.string() })
type Holder = z.infer<typeof Holder>

/** Those that start at once stand in each other's way for a moment until one has it. */
const waitsMilliseconds = 1_000

/** SQLITE_BUSY (sqlite.org/rescode.html). */
const busy = 5

/** A folder that cannot be written to is met again, with its own words, by whatever needs it. */
const metAgain: readonly (string | undefined)[] = ['EACCES', 'EROFS', 'ENOSPC']

/** Throws a sentence where another process holds the folder; else it is this one's until `stop`. Warns where it cannot be held. */
export function holdDataFolder({ dataDirectory, origin, warn }: { dataDirectory: string; origin: string; warn(sentence: string): void }): {
  stop(): Promise<void>
} {
  const word = join(dataDirectory, 'running.json')
  const lock = lockFolder(dataDirectory, (why) =>
    warn(`Nothing keeps a second Chancery off the data folder ${dataDirectory}: ${why}. See to it that only one is started on it.`),
  )
  if (lock === 'taken')
    throw new Error(
      `A Chancery runs on the data folder ${dataDirectory} already${nameHolder(word)}. Nothing was changed. Stop that one, or set CHANCERY_DATA to another folder.`,
    )
  if (lock !== undefined) leaveWord(word, { pid: process.pid, origin })
  return {
    async stop() {
      if (lock === undefined) return
      rmSync(word, { force: true })
      lock.close()
    },
  }
}

/** Undefined where it cannot be locked. */
function lockFolder(folder: string, warn: (why: string) => void): DatabaseSync | 'taken' | undefined {
  try {
    makeFolder(folder)
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    if (!metAgain.includes(code)) warn((error as Error).message)
    return undefined
  }
  try {
    return takeLock(join(folder, lockName))
  } catch (error) {
    warn(`${lockName} cannot be locked (${(error as Error).message})`)
    return undefined
  }
}

function makeFolder(folder: string): void {
  // Root's folder has to stay open to the account that runs the database.
  if (process.getuid?.() === 0) makeReachable(folder)
  else mkdirSync(folder, { recursive: true, mode: 0o700 })
  accessSync(folder, constants.W_OK)
}

/** Keeps other accounts out: whoever can open the file can hold a lock on it, and a reader's is enough to stop a start. */
function makePrivate(file: string): void {
  // Never opened where it is there: to close it would drop a lock of this process.
  if (existsSync(file)) chmodSync(file, 0o600)
  else writeFileSync(file, '', { mode: 0o600 })
}

function takeLock(file: string): DatabaseSync | 'taken' {
  makePrivate(file)
  const lock = new DatabaseSync(file, { timeout: waitsMilliseconds })
  try {
    // SQLite goes on with a file that may only be read, and locks it for as many as ask.
    accessSync(file, constants.W_OK)
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return 'taken'
    throw error
  }
}

function leaveWord(word: string, holder: Holder): void {
  try {
    writeFileSync(word, `${JSON.stringify(holder)}\n`)
  } catch (error) {
    // A full disk is met again by whatever needs it.
    if (systemCode(error) === undefined) throw error
  }
}

/** Nothing where nobody has said anything that can be read: a crash while writing leaves half a file. */
function nameHolder(word: string): string {
  try {
    const { pid, origin } = Holder.parse(JSON.parse(readFileSync(word, 'utf8')))
    return `: process ${pid}, at ${origin}`
  } catch {
    return ''
  }
}
