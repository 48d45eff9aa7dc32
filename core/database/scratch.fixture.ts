// Real folders, processes and file systems for the tests of the embedded database, all gone after each test.
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach } from 'vitest'
import type { EmbeddedDatabase, EmbeddedDatabaseOptions } from './embedded.ts'
import { startEmbeddedDatabase } from './embedded.ts'

export const isRoot = process.getuid?.() === 0

const undo: (() => Promise<unknown> | unknown)[] = []

export function afterwards(step: () => Promise<unknown> | unknown): void {
  undo.push(step)
}

afterEach(async () => {
  while (undo.length) await undo.pop()?.()
})

/** An empty folder that every account may enter. */
export function folder(mode = 0o755): string {
  const path = mkdtempSync(join(tmpdir(), 'chancery-test-'))
  chmodSync(path, mode)
  afterwards(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export async function start(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase(options)
  afterwards(() => database.stop())
  return database
}

export async function query(host: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host, user: 'chancery', database: 'chancery' })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

export type Said = { host: string; directory: string; adopted: boolean; said: string[]; code?: string; message?: string }

export type Supervised = { readonly process: ChildProcess; readonly answer: Promise<Said>; end(signal: NodeJS.Signals): Promise<void> }

/** The fixture program as a process of its own; `program` is another copy of it. */
export function supervise(dataDirectory: string, program = fileURLToPath(new URL('supervised.fixture.ts', import.meta.url))): Supervised {
  const child = spawn(process.execPath, [program, dataDirectory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const answer = new Promise<Said>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      if (text.includes('\n')) resolve(JSON.parse(text) as Said)
    })
    child.once('close', () => reject(new Error(`the program ended without an answer: ${text}`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await gone
  }
  afterwards(() => end('SIGKILL'))
  return { process: child, answer, end }
}

/** A file system of the given size, really mounted; only root can. */
export function smallDisk(size: string, options = ''): string {
  const path = folder()
  run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755${options}`, 'tmpfs', path])
  afterwards(() => run('umount', ['-l', path]))
  return path
}

export function run(command: string, options: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, options, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${options.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}
