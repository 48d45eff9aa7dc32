// Where the database lies: in `postgres` below the product's data folder, unless the account that runs it cannot get there.
// Then it lies in a folder that the account can reach, and a small file in the data folder names it, so that the same data
// folder always leads to the same database, and a new data folder never finds the remains of an old one.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Account } from './account.ts'
import { reaches } from './account.ts'
import { isOurs, makeFolder, makeReachable } from './binaries.ts'
import { DatabaseError, fileFault, systemCode } from './error.ts'

export type Place = {
  /** The folder of everything below. */
  readonly home: string
  /** PostgreSQL's own data folder. */
  readonly cluster: string
  /** The 0700 folder of the unix socket. */
  readonly socket: string
}

const pointerName = 'postgres.location'

/** Finds or makes the folders of the database that belongs to `dataDirectory`. */
export function databasePlace(dataDirectory: string, account: Account | undefined, log: (sentence: string) => void): Place {
  try {
    if (account) makeReachable(dataDirectory)
    else makeFolder(dataDirectory, 0o700)
    const data = realpathSync(dataDirectory)
    const home = databaseHome(data, account, log)
    makeHome(home, account)
    return { home, cluster: join(home, 'cluster'), socket: socketDirectory(home, account) }
  } catch (error) {
    throw fileFault(error, dataDirectory)
  }
}

function databaseHome(data: string, account: Account | undefined, log: (sentence: string) => void): string {
  const pointed = readPointer(data)
  if (pointed) {
    if (existsSync(pointed)) return pointed
    throw new DatabaseError(
      'data-missing',
      `The database of ${data} should be in ${pointed}, as ${join(data, pointerName)} says, but that folder is gone. Restore it, or remove that file to start with an empty database.`,
    )
  }
  const inside = join(data, 'postgres')
  if (reaches(account, data)) return inside
  if (existsSync(join(inside, 'cluster', 'PG_VERSION'))) {
    throw new DatabaseError(
      'not-reachable',
      `The account ${account?.name} cannot enter ${data}, where the database lies. Make each folder above it enterable (chmod o+x), or start Chancery as the folder's owner.`,
    )
  }
  const home = reachableHome(data, account)
  writePointer(data, home)
  const settled = readPointer(data) ?? home
  log(`The account ${account?.name}, which runs the database, cannot enter ${data}, so the database is kept in ${settled}.`)
  return settled
}

function reachableHome(data: string, account: Account | undefined): string {
  const parent = '/var/lib/chancery'
  if (!reaches(account, parent))
    throw new DatabaseError(
      'not-reachable',
      `The account ${account?.name} can enter neither ${data} nor ${parent}. Choose another data folder with CHANCERY_DATA.`,
    )
  makeReachable(parent)
  const name = createHash('sha256').update(data).digest('hex').slice(0, 16)
  for (let copy = 1; ; copy++) {
    const home = join(parent, copy === 1 ? name : `${name}-${copy}`)
    try {
      mkdirSync(home)
      return home
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
}

function readPointer(data: string): string | undefined {
  const file = join(data, pointerName)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** The first of two starters wins: a link, unlike a write, appears whole and only once. */
function writePointer(data: string, home: string): void {
  const draft = join(data, `${pointerName}.${process.pid}`)
  writeFileSync(draft, `${home}\n`)
  try {
    linkSync(draft, join(data, pointerName))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    rmSync(home, { recursive: true })
  } finally {
    rmSync(draft)
  }
}

/** With an account of its own the folder stays root's, so that a captured database cannot swap what lies in it for links. */
function makeHome(home: string, account: Account | undefined): void {
  makeFolder(home, 0o700)
  chmodSync(home, account ? 0o711 : 0o700)
}

/** A 0700 folder of the account that runs the database. */
export function makePrivate(folder: string, account: Account | undefined): void {
  makeFolder(folder, 0o700)
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
}

/** Hands everything below `path` to the account; needed when another account ran the database before. */
export function giveTo(account: Account, path: string): void {
  lchownSync(path, account.uid, account.gid)
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(account, join(path, name))
}

/** The operating system's limit for a socket's path, less the name PostgreSQL gives it. */
const longestDirectory = (process.platform === 'darwin' ? 103 : 107) - '/.s.PGSQL.5432'.length

function socketDirectory(home: string, account: Account | undefined): string {
  const inside = join(home, 'socket')
  if (Buffer.byteLength(inside) <= longestDirectory) {
    makePrivate(inside, account)
    return inside
  }
  const name = `chancery-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`
  const short = [tmpdir(), '/tmp']
    .map((parent) => join(parent, name))
    .find((path) => Buffer.byteLength(path) <= longestDirectory && reaches(account, dirname(path)))
  if (!short)
    throw new DatabaseError(
      'not-reachable',
      `The path ${inside} is too long for a socket, and so is the folder for temporary files. Choose a shorter data folder with CHANCERY_DATA.`,
    )
  if (existsSync(short) && !isOurs(short) && lstatSync(short).uid !== account?.uid) {
    throw new DatabaseError(
      'not-writable',
      `The folder ${short} belongs to somebody else. Remove it, or choose a data folder with a shorter path with CHANCERY_DATA.`,
    )
  }
  makePrivate(short, account)
  return short
}
