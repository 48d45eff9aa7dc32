// The database of a test run: started once, migrated once into a template, cloned for each test file. With DATABASE_URL the same tests
// run on that server instead.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { rooms } from '#apps/server/rooms.ts'
import { databaseAccount } from '#core/database/account.ts'
import { databasePrograms } from '#core/database/binaries.ts'
import { environment, prepareCluster, user } from '#core/database/cluster.ts'
import { databasePlace } from '#core/database/place.ts'
import type { ConnectionSettings } from '#core/server/database.ts'
import { migrate } from '#core/server/migrate.ts'
import { migrationFolders, version } from '#core/server/open.ts'
import type { StartedDatabase } from '#core/server/start-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    cluster: ConnectionSettings
    template: string
  }
}

/** The same server, another database. */
export function onDatabase(settings: ConnectionSettings, database: string): ConnectionSettings {
  if (!('connectionString' in settings)) return { ...settings, database }
  const url = new URL(settings.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}

export async function runStatement(settings: ConnectionSettings, statement: string): Promise<void> {
  const client = new pg.Client(settings)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Ends the server when its own input ends, as it does with the process that started it, however that one ends. */
const keeper =
  '"$0" -D "$1" -o "$2" -l "$1/start.log" -w start >/dev/null && echo started && read -r _; "$0" -D "$1" -m fast -w stop >/dev/null'

/** PostgreSQL as the product brings it and sets it up, on a folder that nobody needs after a power cut: nothing waits for the disk. */
async function startThrowAway(folder: string): Promise<Omit<StartedDatabase, 'fault'>> {
  const account = databaseAccount()
  const programs = databasePrograms(account, () => {})
  const place = databasePlace(folder, account, () => {})
  await prepareCluster(place, programs, account)
  const hurried = ['fsync', 'full_page_writes', 'synchronous_commit'].map((name) => `-c ${name}=off`).join(' ')
  const options = `-k '${place.socket}' -p 5432 -c listen_addresses='' ${hurried}`
  const identity = account ? { uid: account.uid, gid: account.gid } : {}
  const child = spawn('sh', ['-c', keeper, join(programs, 'bin', 'pg_ctl'), place.cluster, options], {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...identity,
  })
  const ended = once(child, 'exit')
  const [words] = (await Promise.race([once(child.stdout, 'data'), ended])) as unknown[]
  if (!Buffer.isBuffer(words)) throw new Error(`The database of the tests does not start in ${place.cluster}`)
  return {
    connection: { host: place.socket, user, database: 'postgres' },
    async stop() {
      child.stdin.end()
      await ended
      // Where the folder's path is long it lies elsewhere.
      rmSync(place.socket, { recursive: true, force: true })
    },
  }
}

type TestCluster = { connection: ConnectionSettings; template: string; stop(): Promise<void> }

async function startCluster(): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-test-'))
  // The database's own user must be able to enter it.
  chmodSync(folder, 0o755)
  const address = process.env['DATABASE_URL']
  const database =
    address === undefined ? await startThrowAway(folder) : { connection: { connectionString: address }, stop: async () => {} }
  const template = `chancery_template_${process.pid}`
  await runStatement(database.connection, `create database ${template}`)
  await migrate(onDatabase(database.connection, template), migrationFolders(rooms), { version })
  return {
    connection: database.connection,
    template,
    async stop() {
      await runStatement(database.connection, `drop database if exists ${template} with (force)`)
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Each project of a run reads this module for itself, and all of them use one cluster, until the last has ended. */
const run = globalThis as { chanceryCluster?: { started: Promise<TestCluster>; users: number } }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (run.chanceryCluster ??= { started: startCluster(), users: 0 })
  shared.users += 1
  const cluster = await shared.started
  project.provide('cluster', cluster.connection)
  project.provide('template', cluster.template)
  return async () => {
    shared.users -= 1
    if (shared.users === 0) await cluster.stop()
  }
}
