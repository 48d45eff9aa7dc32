// The database of a test run: a copy of the prepared one, started once, whose migrated database is the template that each test file clones. With
// DATABASE_URL the same tests run on that server instead, with a template that is migrated there.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { user } from '#core/database/cluster.ts'
import type { ConnectionSettings } from '#core/server/database.ts'
import { placePrepared } from './prepared.ts'
import { startThrowAway } from './throw-away.ts'

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

type TestCluster = { connection: ConnectionSettings; template: string; stop(): Promise<void> }

async function startCopy(): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-test-'))
  // The database's own user must be able to enter it.
  chmodSync(folder, 0o755)
  const database = await startThrowAway(await placePrepared(folder))
  return {
    connection: database.connection,
    template: user,
    async stop() {
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function useServer(address: string): Promise<TestCluster> {
  // Read here: who starts on a copy needs no room for it.
  const [{ rooms }, { migrate }, { migrationFolders, version }] = await Promise.all([
    import('#apps/server/rooms.ts'),
    import('#core/server/migrate.ts'),
    import('#core/server/open.ts'),
  ])
  const connection = { connectionString: address }
  const template = `chancery_template_${process.pid}`
  await runStatement(connection, `create database ${template}`)
  await migrate(onDatabase(connection, template), migrationFolders(rooms), { version })
  return { connection, template, stop: () => runStatement(connection, `drop database if exists ${template} with (force)`) }
}

function startCluster(): Promise<TestCluster> {
  const address = process.env['DATABASE_URL']
  return address === undefined ? startCopy() : useServer(address)
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
