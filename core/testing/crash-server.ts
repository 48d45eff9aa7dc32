// The real server as a process of its own, on a data folder of its own with the embedded database, to be killed and started again. The
// database's processes are found by the folder that they work in, so that a database that outlived its server is found as well.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseAccount } from '#core/database/account.ts'
import { user } from '#core/database/cluster.ts'
import { databasePlace } from '#core/database/place.ts'
import { worksIn } from '#core/database/process.ts'
import type { ConnectionSettings } from '#core/server/database.ts'
import { freePort } from './free-port.ts'
import { placePrepared } from './prepared.ts'
import { until } from './until.ts'

export const victims = ['server', 'database', 'both'] as const
export type Victim = (typeof victims)[number]

export type CrashServer = {
  origin: string
  folder: string
  connection: ConnectionSettings
  /** Starts the server where it does not run, and returns when it is ready. */
  start(): Promise<void>
  /** Fills the disk of the data folder to the last byte, until the answer is called. Undefined where the folder is on no disk of its own. */
  fillDisk: (() => () => void) | undefined
  /** Sets the server's clock to this many seconds beside the right time, while it runs and for later starts. Undefined without libfaketime. */
  setClock: ((seconds: number) => void) | undefined
  /** SIGKILL: nobody gets to tidy up. */
  kill(victim: Victim): Promise<void>
  /** The numbers of the processes that run now: the server's first, its workers, and those of the database. */
  processes(): { server: number[]; workers: number[]; database: number[] }
  /** Runs another program of the product on the same data folder and returns what it printed. The server must not run. */
  run(program: string, args: readonly string[]): Promise<string>
  /** Ends everything and removes the data folder. */
  remove(): Promise<void>
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A disk of its own in memory, small enough to be filled at once and large enough for the rounds. Only root may have one. */
const diskMiB = 3_072
const faketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib64/faketime/libfaketime.so.1',
].find((path) => existsSync(path))

/** A `folder` that is given is the data folder, and stays when everything ends. `workers` answer, where there are more than one. */
export async function openCrashServer({
  hostile = false,
  folder: kept,
  workers,
}: { hostile?: boolean; folder?: string | undefined; workers?: number } = {}): Promise<CrashServer> {
  if (process.platform !== 'linux') throw new Error('Killing the database needs /proc, which only Linux has')
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'chancery-crash-'))
  // The database's own account must be able to enter it.
  chmodSync(folder, 0o755)
  const hasDisk = hostile && process.getuid?.() === 0
  if (hasDisk) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m,mode=755`, 'tmpfs', folder])
  }
  const place = kept === undefined ? await placePrepared(folder) : databasePlace(folder, databaseAccount(), () => {})
  // The same over all starts, as the addresses in certificates are.
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const logFile = join(folder, 'server.log')
  const { DATABASE_URL: _own, ...inherited } = process.env
  const clockFile = join(folder, 'clock')
  // Only the product's own processes live by it: the supervisor hands the database nothing of its environment.
  const clock =
    hostile && faketime !== undefined
      ? {
          LD_PRELOAD: faketime,
          FAKETIME_TIMESTAMP_FILE: clockFile,
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
          DONT_FAKE_MONOTONIC: '1',
        }
      : {}
  const setClock = (seconds: number) => writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  if ('LD_PRELOAD' in clock) setClock(0)
  const environment = {
    ...inherited,
    ...clock,
    CHANCERY_DATA: folder,
    CHANCERY_PORT: String(port),
    CHANCERY_LOG: 'error',
    ...(workers === undefined ? {} : { CHANCERY_PROCESSES: String(workers) }),
  }
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    // A server that gave up, as on a full disk, is started again by whoever watches over it.
    if (child === undefined || child.exitCode !== null) {
      const log = openSync(logFile, 'a')
      child = spawn(process.execPath, ['apps/server/main.ts'], { cwd: root, env: environment, stdio: ['ignore', log, log] })
      closeSync(log)
    }
    const started = child
    const said = () => readFileSync(logFile, 'utf8').slice(-2000)
    const ready = async () => {
      if (started.exitCode !== null) throw new Error(`The server did not start:\n${said()}`)
      return isReady(origin)
    }
    await until('the server to be ready', ready, { every: 20, state: said, patient: 300 })
  }

  async function killServer(): Promise<void> {
    const dying = child
    child = undefined
    if (dying === undefined || dying.exitCode !== null || dying.signalCode !== null) return
    const gone = new Promise((resolve) => dying.once('exit', resolve))
    dying.kill('SIGKILL')
    await gone
  }

  function databaseProcesses(): number[] {
    const cluster = realpathSync(place.cluster)
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && worksIn(pid, cluster) === true)
  }

  function killDatabase(): void {
    for (const pid of databaseProcesses()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone already: the postmaster's death ends its children.
      }
    }
  }

  return {
    origin,
    folder,
    connection: { host: place.socket, user, database: user },
    start,
    processes: () => ({
      server: child?.pid === undefined ? [] : [child.pid],
      workers: child?.pid === undefined ? [] : workersOf(child.pid),
      database: databaseProcesses(),
    }),
    fillDisk: hasDisk
      ? () => {
          const ballast = join(folder, 'ballast')
          const { bavail, bsize } = statfsSync(folder)
          try {
            writeFileSync(ballast, Buffer.alloc(bavail * bsize))
          } catch {
            // The others write as well: full is full.
          }
          return () => rmSync(ballast, { force: true })
        }
      : undefined,
    setClock: 'LD_PRELOAD' in clock ? setClock : undefined,
    async kill(victim) {
      if (victim !== 'server') killDatabase()
      if (victim !== 'database') await killServer()
    },
    run: (program, args) =>
      new Promise((resolve, reject) => {
        const running = spawn(process.execPath, [program, ...args], { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
        const printed = { stdout: '', stderr: '' }
        running.stdout.on('data', (part: Buffer) => (printed.stdout += part.toString()))
        running.stderr.on('data', (part: Buffer) => (printed.stderr += part.toString()))
        running.once('error', reject)
        running.once('close', (code) =>
          code === 0 ? resolve(printed.stdout) : reject(new Error(`${program} ended with ${code}: ${printed.stderr}`)),
        )
      }),
    async remove() {
      await killServer()
      killDatabase()
      if (hasDisk) execFileSync('umount', ['--lazy', folder])
      // The socket's folder lies elsewhere where the path would have been too long.
      for (const path of kept === undefined ? [place.socket, place.home, folder] : [])
        rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

const workersOf = (server: number): number[] =>
  readFileSync(`/proc/${server}/task/${server}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '')
    .map(Number)
    .filter((pid) => commandOf(pid).includes('apps/server/worker.ts'))

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}
