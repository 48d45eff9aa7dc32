// Removes what the shared houses of a run leave behind (house.ts), because a worker that ends closes nothing.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { ConnectionSettings } from '#core/server/database.ts'
import type { HousePlace } from './house.ts'

/** After the setup of the cluster, so that it is taken down before that. */
export default function setup(project: TestProject): () => Promise<void> {
  const place: HousePlace = { folder: mkdtempSync(join(tmpdir(), 'chancery-shared-')), database: `chancery_shared_${process.pid}` }
  project.provide('shared', place)
  return async () => {
    await dropDatabases(project.getProvidedContext().cluster, `${place.database}_`)
    rmSync(place.folder, { recursive: true, force: true })
  }
}

async function dropDatabases(cluster: ConnectionSettings, beginning: string): Promise<void> {
  const client = new pg.Client(cluster)
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [beginning])
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
  } finally {
    await client.end()
  }
}
