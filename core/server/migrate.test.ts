// The schema's way forward: each file once, whole or not at all, and never changed afterwards.

import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { onDatabase, runStatement } from '#core/testing/cluster.ts'
import { heldUp } from '#core/testing/concurrently.ts'
import type { ConnectionSettings } from './database.ts'
import { migrate, MigrationError } from './migrate.ts'
import { migrationFolders, openHouse, version } from './open.ts'
import { readSettings } from './settings.ts'

async function emptyDatabase(): Promise<ConnectionSettings> {
  const cluster = inject('cluster')
  const name = `chancery_test_${randomUUID().replaceAll('-', '')}`
  await runStatement(cluster, `create database ${name}`)
  onTestFinished(() => runStatement(cluster, `drop database if exists ${name} with (force)`))
  return onDatabase(cluster, name)
}

function folders() {
  const root = mkdtempSync(join(tmpdir(), 'chancery-migrations-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (room: string, file: string, text: string) => {
    mkdirSync(join(root, room), { recursive: true })
    writeFileSync(join(root, room, file), text)
  }
  return { write, of: (...names: string[]) => names.map((room) => ({ room, folder: join(root, room) })) }
}

async function read<T extends object>(connection: ConnectionSettings, statement: string): Promise<T[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<T>(statement)).rows
  } finally {
    await client.end()
  }
}

describe('A migration', () => {
  test('runs once, in the order of the rooms and of the files', async () => {
    const connection = await emptyDatabase()
    const { write, of } = folders()
    write('below', '0002-b.sql', 'alter table things add b int')
    write('below', '0001-a.sql', 'create table things (a int)')
    write('above', '0001-c.sql', 'alter table things add c int')
    write('above', 'notes.txt', 'not for the database')
    expect(await migrate(connection, of('below', 'above', 'none'), { version: '0.1.0' })).toEqual([
      'below/0001-a.sql',
      'below/0002-b.sql',
      'above/0001-c.sql',
    ])
    expect(await migrate(connection, of('below', 'above', 'none'), { version: '0.1.0' })).toEqual([])
    write('below', '0003-d.sql', 'alter table things add d int')
    expect(await migrate(connection, of('below', 'above'), { version: '0.1.0' })).toEqual(['below/0003-d.sql'])
  })

  test('that was changed afterwards stops the start with a sentence that names it', async () => {
    const connection = await emptyDatabase()
    const { write, of } = folders()
    write('room', '0001-a.sql', 'create table things (a int)')
    await migrate(connection, of('room'), { version: '0.1.0' })
    write('room', '0001-a.sql', 'create table things (a bigint)')
    write('room', '0002-b.sql', 'create table more (a int)')
    const refused = migrate(connection, of('room'), { version: '0.1.0' })
    await expect(refused).rejects.toThrow(
      'The migration room/0001-a.sql has changed since it ran on this database. Restore the file as it was; put changes in a new one.',
    )
    await expect(refused).rejects.toBeInstanceOf(MigrationError)
    expect(await read(connection, `select to_regclass('more') as found`)).toEqual([{ found: null }])
  })

  test('that fails is undone whole, says why, and can be mended', async () => {
    const connection = await emptyDatabase()
    const { write, of } = folders()
    write('room', '0001-a.sql', 'create table things (a int);')
    write('room', '0002-b.sql', 'create table more (a int); insert into more values (1); alter table things add b int; select 1/0;')
    await expect(migrate(connection, of('room'), { version: '0.1.0' })).rejects.toThrow(
      /The migration room\/0002-b\.sql failed and was undone: division by zero/,
    )
    expect(await read(connection, `select to_regclass('things') as things, to_regclass('more') as more`)).toEqual([
      { things: 'things', more: null },
    ])
    write('room', '0002-b.sql', 'create table more (a int)')
    expect(await migrate(connection, of('room'), { version: '0.1.0' })).toEqual(['room/0002-b.sql'])
  })

  test('runs once although five servers bring it', async () => {
    const connection = await emptyDatabase()
    const { write, of } = folders()
    await runStatement(connection, 'create table gate (a int)')
    write('room', '0001-a.sql', 'create table things (a int); insert into things values (1); lock table gate')
    const bring = () => migrate(connection, of('room'), { version: '0.1.0' })
    const ran = await heldUp({ connection }, 'lock table gate', [bring, bring, bring, bring, bring])
    expect(ran.map((one) => (one.status === 'fulfilled' ? one.value : one.reason)).flat()).toEqual(['room/0001-a.sql'])
    expect(await read(connection, 'select a from things')).toEqual([{ a: 1 }])
  })
})

describe('A database that a later release has changed', () => {
  const upgraded = async () => {
    const connection = await emptyDatabase()
    const { write, of } = folders()
    write('room', '0001-a.sql', 'create table things (a int)')
    await migrate(connection, of('room'), { version: '0.9.0' })
    write('later', '0002-b.sql', 'alter table things add b int')
    await migrate(connection, of('room', 'later'), { version: '0.10.0' })
    return { connection, write, of }
  }

  test('is refused by an earlier one, which says which it needs, and changes nothing', async () => {
    const { connection, write, of } = await upgraded()
    write('room', '0003-c.sql', 'alter table things add c int')
    const refused = migrate(connection, of('room'), { version: '0.9.1' })
    await expect(refused).rejects.toThrow(
      'This database needs Chancery 0.10.0 or later, and this is 0.9.1: a later release has changed it. Start that release, or restore the backup that was made before the upgrade (docs/running.md, Upgrading).',
    )
    await expect(refused).rejects.toBeInstanceOf(MigrationError)
    const columns = await read<{ name: string }>(
      connection,
      `select column_name as name from information_schema.columns where table_name = 'things'`,
    )
    expect(columns.map(({ name }) => name).toSorted()).toEqual(['a', 'b'])
  })

  test('is refused also where the number of the release is the same, as between two states of one version', async () => {
    const { connection, of } = await upgraded()
    await expect(migrate(connection, of('room'), { version: '0.10.0' })).rejects.toThrow(/needs Chancery 0\.10\.0 or later/)
    await expect(migrate(connection, of('room'), { version: '0.10.0-rc.1' })).rejects.toThrow(/needs Chancery 0\.10\.0 or later/)
  })

  test('is taken by a still later one that removed a room', async () => {
    const { connection, of } = await upgraded()
    expect(await migrate(connection, of('room'), { version: '1.0.0' })).toEqual([])
  })

  test('keeps the whole server from its start', async () => {
    const connection = await emptyDatabase()
    await migrate(connection, migrationFolders(rooms), { version })
    await runStatement(connection, `insert into migrations (name, checksum, version) values ('moon/0001-moon.sql', '', '99.0.0')`)
    const folder = mkdtempSync(join(tmpdir(), 'chancery-later-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const settings = readSettings({ CHANCERY_LOG: 'silent', CHANCERY_DATA: folder })
    await expect(openHouse({ settings, connection, rooms, identify: findViewer, port: 0 })).rejects.toThrow(
      `This database needs Chancery 99.0.0 or later, and this is ${version}`,
    )
  })
})

test('two servers that start at once on an empty database both come up, and work on one schema', async () => {
  const connection = await emptyDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'chancery-two-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const settings = readSettings({ CHANCERY_LOG: 'silent', CHANCERY_DATA: folder })
  const open = () => openHouse({ settings, connection, rooms, identify: findViewer, port: 0, warn: () => {} })
  const houses = await Promise.all([open(), open()])
  try {
    for (const { doors } of houses) expect(await (await fetch(`http://localhost:${doors.port}/readyz`)).json()).toEqual({ status: 'ready' })
    const ran = await read<{ name: string }>(connection, 'select name from migrations')
    expect(new Set(ran.map(({ name }) => name)).size).toBe(ran.length)
    expect(new Set(ran.map(({ name }) => name.split('/')[0]))).toContain('users')
    const sealed = houses[0]?.house.installationKey.seal(Buffer.from('x'), 'a') ?? Buffer.alloc(0)
    expect(houses[1]?.house.installationKey.unseal(sealed, 'a').toString()).toBe('x')
    expect(await migrate(connection, migrationFolders(rooms), { version })).toEqual([])
  } finally {
    await Promise.all(houses.map((house) => house.close()))
  }
})
