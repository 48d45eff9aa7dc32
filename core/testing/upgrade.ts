// A database before an upgrade, of an owner without further rights: row-level security holds such an owner, and not the superuser of all other tests.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { listMigrations, migrate } from '#core/server/migrate.ts'
import { migrationFolders, version } from '#core/server/open.ts'
import { onDatabase, runStatement } from './cluster.ts'

/** `ask` runs a statement over all tenancies; `upgrade` runs the migrations that were left out. */
export type BeforeUpgrade = { ask<T extends object>(statement: string): Promise<T[]>; upgrade(): Promise<string[]> }

/** All migrations have run but these. */
export async function beforeUpgrade(left: readonly string[]): Promise<BeforeUpgrade> {
  const cluster = inject('cluster')
  const name = `chancery_upgrade_${randomUUID().replaceAll('-', '')}`
  await runStatement(cluster, `create role ${name}`)
  for (const role of ['chancery_app', 'chancery_auditor', 'chancery_jobs']) await runStatement(cluster, `grant ${role} to ${name}`)
  await runStatement(cluster, `create database ${name} owner ${name}`)
  const connection = onDatabase(cluster, name)
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await runStatement(cluster, `drop database ${name} with (force)`)
    await runStatement(cluster, `drop role ${name}`)
  })
  const [owner, folders] = [{ ...connection, options: `-c role=${name}` }, migrationFolders(rooms)]
  const names = (await listMigrations(folders)).map((file) => file.name)
  await migrate(owner, folders, { version, only: new Set(names.filter((file) => !left.includes(file))) })
  return {
    ask: async <T extends object>(statement: string) => (await client.query<T>(statement)).rows,
    upgrade: () => migrate(owner, folders, { version }),
  }
}
