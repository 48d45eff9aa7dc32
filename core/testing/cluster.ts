// The database of a test run: started once, migrated once into a template, cloned for each test file. With DATABASE_URL the same tests
// run on that server instead.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { rooms } from '#apps/server/rooms.ts'
import { startDatabase } from '#core/server/start-database.ts'
import { migrate } from '#core/server/migrate.ts'
import { migrationFolders } from '#core/server/open.ts'
import type { ConnectionSettings } from '#core/server/database.ts'

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

/** What a test commits need not outlive a power cut. */
async function waitForNoDisk(settings: ConnectionSettings): Promise<void> {
  await runStatement(settings, 'alter system set synchronous_commit = off')
  await runStatement(settings, 'select pg_reload_conf()')
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-test-'))
  // The database's own user must be able to enter it.
  chmodSync(folder, 0o755)
  const database = await startDatabase({ databaseUrl: process.env['DATABASE_URL'], dataDirectory: folder }, () => {})
  // A server of others is left as it is.
  if (process.env['DATABASE_URL'] === undefined) await waitForNoDisk(database.connection)
  const template = `chancery_template_${process.pid}`
  await runStatement(database.connection, `create database ${template}`)
  await migrate(onDatabase(database.connection, template), migrationFolders(rooms))
  project.provide('cluster', database.connection)
  project.provide('template', template)
  return async () => {
    await runStatement(database.connection, `drop database if exists ${template} with (force)`)
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
