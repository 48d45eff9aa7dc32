// A data folder serves one server at a time: two would each take the folder's address for theirs, and do the work of its installation twice. Whoever starts says so
// in the folder first, and who finds another there that lives changes nothing. One that was killed has left its word behind, and nobody is held up by it.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { makeReachable } from '#core/database/binaries.ts'
import { systemCode } from '#core/database/error.ts'
import { isStillThere, processName } from '#core/database/process.ts'

const Holder = z.object({ pid: z.number().int().positive(), start: z.string(), origin: z.string() })
type Holder = z.infer<typeof Holder>

/** A folder that cannot be written to is met again, with its own words, by whatever needs it. */
const metAgain: readonly (string | undefined)[] = ['EACCES', 'EROFS', 'ENOSPC']

/** Throws a sentence where another process holds the folder; else it is this one's until `stop`. Warns where it cannot be held, on a file system without hard links for example. */
export function holdDataFolder({ dataDirectory, origin, warn }: { dataDirectory: string; origin: string; warn(sentence: string): void }): { stop(): Promise<void> } {
  const file = join(dataDirectory, 'running.json')
  const mine: Holder = { ...processName(process.pid), origin }
  try {
    // Root's folder has to stay open to the account that runs the database.
    if (process.getuid?.() === 0) makeReachable(dataDirectory)
    else mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    while (!claim(file, mine)) dropDead(file, dataDirectory)
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    if (!metAgain.includes(code)) warn(`Nothing keeps a second Chancery off the data folder ${dataDirectory}: ${(error as Error).message}. See to it that only one is started on it.`)
  }
  return {
    async stop() {
      const holder = read(file)
      if (holder?.pid === mine.pid && holder.start === mine.start) rmSync(file, { force: true })
    },
  }
}

/** Of two that start at once one wins: a link, unlike a write, appears whole and only once. */
function claim(file: string, mine: Holder): boolean {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(mine)}\n`)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function dropDead(file: string, folder: string): void {
  refuseLiving(read(file), folder)
  const taken = `${file}.${process.pid}.old`
  try {
    renameSync(file, taken)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  // Between the look and the taking another may have put its own there.
  const holder = read(taken)
  if (isLiving(holder)) {
    try {
      linkSync(taken, file)
    } catch {
      // A third has put its own there meanwhile: the next look meets that one.
    }
  }
  rmSync(taken, { force: true })
}

const isLiving = (holder: Holder | undefined): holder is Holder => holder !== undefined && isStillThere(holder)

function refuseLiving(holder: Holder | undefined, folder: string): void {
  if (isLiving(holder))
    throw new Error(`A Chancery runs on the data folder ${folder} already: process ${holder.pid}, at ${holder.origin}. Nothing was changed. Stop that one, or set CHANCERY_DATA to another folder.`)
}

/** Undefined where nobody has said anything that can be read: a crash while writing leaves half a file. */
function read(file: string): Holder | undefined {
  try {
    return Holder.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}
