// A database that is initialised and migrated, made once for as long as its making stays the same: to make one takes longer than many a test. Whoever
// needs one gets a copy. Nothing has run on it but the migrations: there is no tenancy, and what a first start makes (the installation key, the
// set-up link, the job queue) is made in each copy anew. Copies share the number by which PostgreSQL knows a cluster, which only replication reads.

import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databaseAccount } from '#core/database/account.ts'
import { databasePrograms } from '#core/database/binaries.ts'
import { systemCode } from '#core/database/error.ts'
import { databasePlace, type Place } from '#core/database/place.ts'

// Not `new URL('...', import.meta.url)`: in tests of the console, Vite takes that for a file of the page.
const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules', '.cache', 'prepared-database')

/** All that decides what is in it. */
const sources = [
  'package.json',
  'apps/server/rooms.ts',
  'areas/order.ts',
  'core/database/{admin,cluster}.ts',
  'core/server/{migrate,open}.ts',
  'core/testing/prepare.ts',
  '{areas/*,core}/server/migrations/*.sql',
]

/** Puts a copy where the product would make its database in this data folder. */
export async function placePrepared(dataDirectory: string): Promise<Place> {
  const prepared = await findPrepared()
  const place = databasePlace(dataDirectory, databaseAccount(), () => {})
  await copyCluster(prepared, place.cluster)
  return place
}

/** Owners stay what they were, and a file system that can shares the blocks until they are written. */
export async function copyCluster(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-Rp', from, to])
}

let found: Promise<string> | undefined

function findPrepared(): Promise<string> {
  return (found ??= makePrepared())
}

async function makePrepared(): Promise<string> {
  const target = join(cache, fingerprint())
  if (existsSync(target)) return target
  mkdirSync(cache, { recursive: true })
  forgetOld()
  // A program of its own: whoever only copies need not read all rooms.
  const draft = `${target}.${process.pid}`
  try {
    await promisify(execFile)(process.execPath, [join(root, 'core/testing/prepare.ts'), draft], { cwd: root })
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Of two that make it at once the first wins, and both are the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error
  }
  return target
}

function fingerprint(): string {
  const account = databaseAccount()
  const programs = join(
    databasePrograms(account, () => {}),
    'bin',
    'postgres',
  )
  const hash = createHash('sha256')
  hash.update([execFileSync(programs, ['--version']), process.arch, account?.uid ?? process.getuid?.()].join(' '))
  for (const path of globSync(sources, { cwd: root }).sort()) hash.update(`\n${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 20)
}

const day = 86_400_000

/** No run takes a day: nobody copies any more what was made before. */
function forgetOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name)
    if (statSync(path).mtimeMs < Date.now() - day) rmSync(path, { recursive: true, force: true })
  }
}
