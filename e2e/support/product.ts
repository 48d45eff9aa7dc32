// The product as people start it: the real server as a process of its own, with its embedded database, on a data folder made for it. What it
// prints for the person at the terminal, the set-up link, is all that it gives away. Its database is there and migrated already (core/testing/prepared.ts),
// because how one is made is tested where that is the matter (core/database).

import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#core/testing/free-port.ts'
import { placePrepared } from '#core/testing/prepared.ts'

export type Product = {
  origin: string
  /** Of the server, which starts its other processes. */
  pid: number
  setupLink: string
  /** All that it printed so far, its log among it. */
  printed(): string
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Guards against hanging alone. */
const startsWithin = 300_000

/** `settings` are variables of the environment, beside those that give it a place of its own. */
export async function startProduct(settings: Record<string, string> = {}): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-journey-'))
  // The database's own account must be able to enter it.
  chmodSync(folder, 0o755)
  await placePrepared(folder)
  const port = await freePort()
  // A place of its own, whatever the developer's shell says.
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('CHANCERY_')),
  )
  const environment = {
    ...inherited,
    CHANCERY_DATA: folder,
    CHANCERY_PORT: String(port),
    CHANCERY_AGENT_PORT: '0',
    CHANCERY_LOG: 'error',
    ...settings,
  }
  const child = spawn(process.execPath, ['apps/server/main.ts'], { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  // Where a test run ends early, nothing of it goes on.
  const endWithUs = () => void child.kill('SIGTERM')
  process.once('exit', endWithUs)
  const stop = async () => {
    process.off('exit', endWithUs)
    await ended(child)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  try {
    let all = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => void (all += part.toString()))
    const setupLink = await printedLink(child)
    return { origin: `http://localhost:${port}`, pid: child.pid ?? 0, setupLink, printed: () => all, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function printedLink(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const late = setTimeout(() => reject(new Error(`The product was not ready within ${startsWithin / 1000} s:\n${printed}`)), startsWithin)
    const listen = (part: Buffer) => {
      printed += part.toString()
      const link = /https?:\S+\/bootstrapmode\S+/.exec(printed)?.[0]
      if (link === undefined || !printed.endsWith('\n')) return
      clearTimeout(late)
      resolve(link)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(late)
      reject(new Error(`The product ended with ${code}:\n${printed}`))
    })
  })
}

/** As Ctrl+C does; the server stops its database, too. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await gone
  clearTimeout(late)
}
