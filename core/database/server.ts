// A running PostgreSQL server of one cluster. It lives in a session of its own and outlives a parent that is killed, so the
// first question is always whether one is there already; only if not is one launched. Both questions are asked of the
// server itself, because its pid file may be a dead server's.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Account } from './account.ts'
import { databaseFault, environment, lastLine, user } from './cluster.ts'
import { DatabaseError, systemCode } from './error.ts'
import type { Place } from './place.ts'
import type { ProcessName } from './process.ts'
import { anyWorksIn, isAlive, isStillThere, processName, worksIn } from './process.ts'

export type Server = {
  readonly process: ProcessName
  readonly socket: string
  readonly adopted: boolean
  /** Settles when the process is gone. */
  readonly gone: Promise<void>
}

/** What must hold whatever postgresql.conf says. */
function imposed(place: Place): readonly string[] {
  const settings = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: place.socket,
    unix_socket_permissions: '0700',
    fsync: 'on',
    full_page_writes: 'on',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

const patience = [100, 200, 400, 800, 1600]
const pollInterval = 15
const slowStart = 10_000
const silence = 30_000

/** Finds the cluster's server or launches one. A refusal that may pass, as after a kill, is tried again with growing pauses. */
export async function bringUp(
  place: Place,
  programs: string,
  account: Account | undefined,
  log: (sentence: string) => void,
): Promise<Server> {
  for (let attempt = 0; ; attempt++) {
    const running = await adopt(place)
    if (running) return running
    const launched = await launch(place, programs, account, log)
    if (typeof launched !== 'string') return launched
    const fault = databaseFault(launched, place.home)
    if (fault) throw fault
    const pause = patience[attempt]
    if (pause === undefined)
      throw new DatabaseError('start-failed', `The database in ${place.home} does not start: ${lastLine(launched) || 'it gave no reason'}`)
    log(`The database did not start (${lastLine(launched) || 'it gave no reason'}); trying again in ${pause} ms.`)
    await wait(pause)
  }
}

type Postmaster = { readonly pid: number; readonly socket: string; readonly ready: boolean }

/** The lines of postmaster.pid are fixed: 1 process, 5 socket folder, 8 state (PostgreSQL, miscadmin.h). */
export function readPostmaster(cluster: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
      .split('\n')
      .map((line) => line.trim())
    const pid = Math.abs(Number(lines[0]))
    return pid > 0 ? { pid, socket: lines[4] ?? '', ready: lines[7] === 'ready' } : undefined
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function adopt(place: Place): Promise<Server | undefined> {
  const { cluster } = place
  const directory = realpathSync(cluster)
  const since = performance.now()
  for (;;) {
    const postmaster = readPostmaster(cluster)
    if (!postmaster || !isAlive(postmaster.pid) || worksIn(postmaster.pid, directory) === false) {
      forgetDead(place, directory)
      return undefined
    }
    const found = processName(postmaster.pid)
    if (postmaster.ready && (await answers(postmaster.socket, directory))) {
      return { process: found, socket: postmaster.socket, adopted: true, gone: watch(found) }
    }
    if (performance.now() - since > silence && (postmaster.ready || worksIn(postmaster.pid, directory) === undefined)) {
      throw new DatabaseError(
        'start-failed',
        `A PostgreSQL server (process ${postmaster.pid}) seems to run in ${cluster} but does not answer. End it, or remove postmaster.pid there if that process is something else.`,
      )
    }
    await wait(pollInterval)
  }
}

/**
 * PostgreSQL takes any process of its user with the dead server's number for the server, even one that has ended, and would
 * never start. Only when no part of the old server is left, and each file as PostgreSQL itself would: read, judged, removed.
 */
function forgetDead({ cluster, socket }: Place, directory: string): void {
  if (anyWorksIn(directory) !== false) return
  for (const file of [join(cluster, 'postmaster.pid'), join(socket, '.s.PGSQL.5432.lock')]) {
    const pid = lockHolder(file)
    if (pid !== undefined && (!isAlive(pid) || worksIn(pid, directory) === false)) rmSync(file, { force: true })
  }
}

function lockHolder(file: string): number | undefined {
  return existsSync(file) ? Math.abs(Number.parseInt(readFileSync(file, 'utf8'), 10)) || undefined : undefined
}

async function watch(process: ProcessName): Promise<void> {
  while (isStillThere(process)) await wait(250, undefined, { ref: false })
}

/** Whether the server behind the socket is the one of this folder and takes statements. */
async function answers(socket: string, directory: string): Promise<boolean> {
  const client = new pg.Client({ host: socket, port: 5432, user, database: 'postgres', connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ directory: string }>(`select current_setting('data_directory') as directory`)
    return rows[0]?.directory === directory
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** A server that is ready, or the words with which it refused. */
async function launch(
  place: Place,
  programs: string,
  account: Account | undefined,
  log: (sentence: string) => void,
): Promise<Server | string> {
  const directory = realpathSync(place.cluster)
  const before = logSizes(place.cluster)
  const identity = account ? { uid: account.uid, gid: account.gid } : {}
  const child = spawn(join(programs, 'bin', 'postgres'), ['-D', directory, ...imposed(place)], {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...identity,
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-65_536)))
  let ended = false
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      words += error.message
      ended = true
      resolve()
    })
    child.once('close', () => {
      ended = true
      resolve()
    })
  })
  const started = performance.now()
  let said = false
  for (;;) {
    if (ended) return words + newLogText(place.cluster, before)
    const postmaster = readPostmaster(place.cluster)
    if (child.pid !== undefined && postmaster?.pid === child.pid && postmaster.ready && (await answers(place.socket, directory))) {
      child.unref()
      unreference(child.stderr)
      return { process: processName(child.pid), socket: place.socket, adopted: false, gone }
    }
    if (!said && performance.now() - started > slowStart) {
      said = true
      log('The database is still starting; after a crash it first replays its log.')
    }
    await Promise.race([gone, wait(pollInterval)])
  }
}

/** The pipe is only for the start; it must not keep the program alive. */
function unreference(stream: NodeJS.ReadableStream): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
}

function logFiles(cluster: string): string[] {
  const directory = join(cluster, 'log')
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : []
}

function logSizes(cluster: string): Map<string, number> {
  return new Map(logFiles(cluster).map((file) => [file, statSync(file).size]))
}

function newLogText(cluster: string, before: Map<string, number>): string {
  return logFiles(cluster)
    .map((file) => readFrom(file, before.get(file) ?? 0))
    .join('\n')
}

function readFrom(file: string, offset: number): string {
  const length = Math.min(Math.max(statSync(file).size - offset, 0), 65_536)
  const bytes = Buffer.alloc(length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, bytes, 0, length, offset)
  } finally {
    closeSync(descriptor)
  }
  return bytes.toString('utf8')
}

const fastShutdown = 60_000

/** Fast shutdown: open transactions are rolled back, a checkpoint is written. A server that hangs is stopped at once after a minute. */
export async function shutDown(server: Server): Promise<void> {
  if (!isStillThere(server.process)) return
  send(server.process, 'SIGINT')
  const atOnce = setTimeout(() => send(server.process, 'SIGQUIT'), fastShutdown)
  while (isStillThere(server.process)) await Promise.race([server.gone, wait(pollInterval)])
  clearTimeout(atOnce)
}

function send(process_: ProcessName, signal: NodeJS.Signals): void {
  if (isStillThere(process_)) process.kill(process_.pid, signal)
}
