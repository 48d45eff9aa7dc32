// Backup and restore as a person at the terminal does them, on a real house whose life goes on between the two.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { dump, type Counts } from '#core/server/backup/dump.ts'
import { inTenant, type ConnectionSettings } from '#core/server/database.ts'
import { installationTenant, writeEvents } from '#core/server/events.ts'
import { openHouse } from '#core/server/open.ts'
import { caller, type Caller } from '#core/testing/caller.ts'
import { onDatabase, runStatement } from '#core/testing/cluster.ts'
import { useHouse } from '#core/testing/house.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { rooms } from './rooms.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'chancery-backup-'))
const tools = openSsl()
const restoredFolder = join(folder, 'restored')
const restoredName = `chancery_restored_${process.pid}`

let restored: ConnectionSettings

const house = await useHouse({ background: true })
const pki = await openIssuing(house, tools, 'Acme')
const administrator = pki.tenancy.administrator
const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
beforeAll(async () => {
  restored = onDatabase(inject('cluster'), restoredName)
  await runStatement(inject('cluster'), `create database ${restoredName}`)
})
afterAll(async () => {
  await runStatement(inject('cluster'), `drop database if exists ${restoredName} with (force)`)
  tools.close()
  rmSync(folder, { recursive: true, force: true })
})

const addressOf = (settings: ConnectionSettings): string =>
  'connectionString' in settings
    ? settings.connectionString
    : `postgres://${settings.user}@localhost/${settings.database}?host=${encodeURIComponent(settings.host)}`

type Ended = { code: number; said: string }

async function run(
  program: string,
  connection: ConnectionSettings,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const env = {
    ...process.env,
    CHANCERY_LOG: 'error',
    DATABASE_URL: addressOf(connection),
    CHANCERY_DATA: restoredFolder,
    CHANCERY_KEY_FILE: join(house.house.settings.dataDirectory, 'installation.key'),
    ...environment,
  }
  try {
    const { stdout, stderr } = await execute('node', [program, ...args], { env })
    return { code: 0, said: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, said: stdout + stderr }
  }
}
const backUp = (...args: string[]) => run('apps/server/backup.ts', house.connection, args)
const restore = (args: string[], environment?: Record<string, string>) => run('apps/server/restore.ts', restored, args, environment)

let requests = 0
async function issue(by: Caller = administrator): Promise<{ certificateId: string; serialNumber: string }> {
  const { csr } = tools.csr({
    subject: `/CN=host${(requests += 1)}.example.org`,
    extensions: [`subjectAltName=DNS:host${requests}.example.org`],
  })
  const { certificateId = '', serialNumber = '' } = await by.call(certificates.calls.request, {
    entity: 'device',
    templateId,
    csr,
    friendlyName: 'a name with a line separator \u2028 in it',
  })
  return { certificateId, serialNumber }
}

/** Leaves an event that belongs to no tenancy. */
const refuseStranger = () =>
  expect(house.signedOut.call(sessions.calls.login, { username: 'nobody', password: 'not the password' })).rejects.toThrow()

/** Writes an event of each outcome, of a tenancy and of none. */
async function writeEventsOfEveryKind(): Promise<void> {
  await refuseStranger()
  for (const tenantId of [pki.tenancy.id, installationTenant])
    for (const outcome of ['done', 'refused', 'failed'] as const)
      await inTenant(house.house.database, tenantId, (db) =>
        writeEvents(db, tenantId, [
          {
            at: new Date(),
            actor_id: null,
            actor: 'kind',
            address: '',
            area: 'keys',
            name: 'made',
            outcome,
            about: '',
            body: '{}',
            request_id: '',
          },
        ]),
      )
}

/** The number of the first list that has the serial on it. */
async function numberOfListWith(origin: string, serial: string): Promise<bigint> {
  const { lists } = await administrator.call(revocation.calls.lists, {})
  const address = new URL(lists.find(({ caId }) => caId === pki.caId)?.crlUrl ?? '').pathname
  const read = async () => parseCrl(new Uint8Array(await (await fetch(origin + address)).arrayBuffer()))
  await expect.poll(async () => (await read()).find(Buffer.from(serial, 'hex')) !== undefined).toBe(true)
  return (await read()).crlNumber ?? 0n
}

async function allRows(connection: ConnectionSettings): Promise<Record<string, string[]>> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('set row_security = off').catch(() => {})
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and obj_description(oid) is distinct from 'backup: left out' and relname <> 'migrations'`,
    )
    const all: Record<string, string[]> = {}
    for (const { name } of rows)
      all[name] = (await client.query<{ line: string }>(`select row_to_json(this)::text as line from "${name}" this order by 1`)).rows.map(
        ({ line }) => line,
      )
    return all
  } finally {
    await client.end()
  }
}

test('A backup onto a file that is there says so in a sentence and leaves it as it was', async () => {
  const file = join(folder, 'there.backup')
  writeFileSync(file, 'of yesterday')
  const { code, said } = await run('apps/server/backup.ts', house.connection, ['--to', file])
  expect([code, said.trim()]).toEqual([
    1,
    `${file} is there already. A backup takes the place of none: name another file, or move that one away.`,
  ])
  expect(readFileSync(file, 'utf8')).toBe('of yesterday')
})

test('Where no installation is, a backup says so and makes none', async () => {
  const [none, file] = [join(folder, 'none'), join(folder, 'none.backup')]
  expect(await run('apps/server/backup.ts', house.connection, ['--to', file], { DATABASE_URL: '', CHANCERY_DATA: none })).toEqual({
    code: 1,
    said: expect.stringContaining(`There is no installation in ${none}.`),
  })
  expect([none, file].filter((path) => existsSync(path))).toEqual([])
})

test('A restored older backup is whole, tells of itself, and never uses a serial or a list number twice', async () => {
  const file = join(folder, 'first.backup')
  const before = [await issue(), await issue()]
  await administrator.call(revocation.calls.revoke, { certId: before[0]?.certificateId ?? '', reason: 'superseded' })

  await refuseStranger()
  const written = await backUp('--to', file)
  expect(written).toEqual({ code: 0, said: expect.stringContaining('2 certificates') })
  expect(await backUp('--to', file)).toEqual({ code: 1, said: expect.stringContaining('is there already') })

  // Life goes on, and is lost.
  const lost = [await issue(), await issue()]
  await administrator.call(revocation.calls.revoke, { certId: lost[0]?.certificateId ?? '', reason: 'superseded' })
  const lastNumber = await numberOfListWith(house.origin, lost[0]?.serialNumber ?? '')
  // A checkpoint that covers what is going to be lost.
  const covered = async () => {
    const [newest] = (await administrator.call(audit.calls.search, {})).rows
    const size = (await administrator.call(audit.calls.status, {})).checkpoint?.size ?? 0
    return newest?.sequence !== undefined && newest.sequence < size
  }
  await expect.poll(covered).toBe(true)
  const { checkpoint } = await administrator.call(audit.calls.status, {})

  const done = await restore(['--from', file])
  expect(done.said).toContain('Restored the backup of')
  expect(done.said).toContain('The audit log is intact')
  expect(done.code).toBe(0)
  expect(await restore(['--from', file])).toEqual({ code: 1, said: expect.stringContaining('There is an installation here already') })
  expect(await restore(['--from', file, '--replace', 'Globex'])).toEqual({
    code: 1,
    said: expect.stringContaining('not called "Globex"'),
  })
  expect((await restore(['--from', file, '--replace', 'Acme'])).code).toBe(0)

  const again = await openHouse({
    settings: {
      ...house.house.settings,
      dataDirectory: restoredFolder,
      keyFile: join(house.house.settings.dataDirectory, 'installation.key'),
    },
    connection: restored,
    rooms,
    identify: findViewer,
    port: 0,
    migrated: true,
    warn: () => {},
  })
  try {
    const origin = `http://localhost:${again.doors.port}`
    const there = caller(origin, { authorization: `Bearer ${pki.tenancy.administrator.token}` })
    const { rows } = await there.call(certificates.calls.search, {})
    expect(rows.map(({ serialNumber }) => serialNumber).toSorted()).toEqual(before.map(({ serialNumber }) => serialNumber).toSorted())
    const after = [await issue(there), await issue(there)]
    const serials = [...before, ...lost, ...after].map(({ serialNumber }) => serialNumber)
    expect(new Set(serials).size).toBe(6)
    await there.call(revocation.calls.revoke, { certId: after[0]?.certificateId ?? '', reason: 'superseded' })
    expect(await numberOfListWith(origin, after[0]?.serialNumber ?? '')).toBeGreaterThan(lastNumber)
    expect((await there.call(audit.calls.search, { area: 'setup', name: 'restored' })).total).toBe(1)
  } finally {
    await again.close()
  }

  // The log is intact by itself; against a checkpoint that was kept elsewhere, what was lost shows.
  expect((await run('tools/audit-verify.ts', restored, [])).said).toContain('Intact')
  const kept = join(folder, 'checkpoint.txt')
  writeFileSync(kept, checkpoint?.note ?? '')
  expect((await run('tools/audit-verify.ts', restored, ['--checkpoint', kept])).code).toBe(1)
})

test('A backup of a later release is refused before anything is removed, and says which release restores it', async () => {
  const file = join(folder, 'later.backup')
  await runStatement(house.connection, `insert into migrations (name, checksum, version) values ('moon/0001-moon.sql', '', '99.0.0')`)
  try {
    expect((await backUp('--to', file)).code).toBe(0)
  } finally {
    await runStatement(house.connection, `delete from migrations where name = 'moon/0001-moon.sql'`)
  }
  const before = await allRows(restored)
  expect(await restore(['--from', file, '--replace', 'Acme'])).toEqual({
    code: 1,
    said: expect.stringMatching(/needs 99\.0\.0 or later; this is .*\. Nothing was changed/),
  })
  expect(await allRows(restored)).toEqual(before)
})

test('Every row comes back as it was', async () => {
  const file = join(folder, 'second.backup')
  await writeEventsOfEveryKind()
  const kept = await allRows(house.connection)
  expect((await backUp('--to', file)).code).toBe(0)
  expect((await restore(['--from', file, '--replace', 'Acme'])).code).toBe(0)
  const now = await allRows(restored)
  const restoredEvent = (line: string) => line.includes('"name":"restored"')
  expect(Object.keys(now).toSorted()).toEqual(Object.keys(kept).toSorted())
  // The house that was backed up goes on numbering its events meanwhile, and the restored one has one event more.
  const own = new Set(['events', 'audit_tree', 'audit_checkpoints', 'event_positions'])
  const settled = (all: typeof now) => Object.fromEntries(Object.entries(all).filter(([table]) => !own.has(table)))
  expect(settled(now)).toEqual(settled(kept))
  const withoutNumber = (lines: string[] | undefined) => (lines ?? []).map((line) => ({ ...JSON.parse(line), sequence: null }))
  expect(withoutNumber(now['events']?.filter((line) => !restoredEvent(line)))).toEqual(
    expect.arrayContaining(withoutNumber(kept['events'])),
  )
})

test('A role that row security holds backs up the same rows, those of no tenancy included', async () => {
  const role = `chancery_owner_${process.pid}`
  const count = async (user?: string) => {
    let counts: Counts = {}
    const connection = user === undefined ? restored : ({ ...restored, user } as ConnectionSettings)
    for await (const _ of dump(connection, 'test', new Date(), (counted) => void (counts = counted)));
    return counts
  }
  await runStatement(
    restored,
    `create role ${role} login; grant chancery_app, chancery_auditor to ${role}; alter schema public owner to ${role};
     do $$ declare one text; begin
       for one in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop execute format('alter table %I owner to ${role}', one); end loop;
     end $$`,
  )
  try {
    expect(await count(role)).toEqual(await count())
  } finally {
    await runStatement(restored, `reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`)
  }
})

test('A restore without the right key, with a damaged file or beside a running server changes nothing', async () => {
  const file = join(folder, 'second.backup')
  const before = await allRows(restored)
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere)
  expect(await restore(['--from', file, '--replace', 'Acme'], { CHANCERY_KEY_FILE: join(elsewhere, 'none.key') })).toEqual({
    code: 1,
    said: expect.stringContaining('none.key is missing'),
  })
  writeFileSync(join(elsewhere, 'other.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  expect(await restore(['--from', file, '--replace', 'Acme'], { CHANCERY_KEY_FILE: join(elsewhere, 'other.key') })).toEqual({
    code: 1,
    said: expect.stringContaining('another installation key'),
  })
  expect(await restore(['--from', join(folder, 'nothing')])).toEqual({ code: 1, said: expect.stringContaining('There is no file') })
  const running = new pg.Client({ ...restored, application_name: 'chancery' })
  await running.connect()
  expect(await restore(['--from', file, '--replace', 'Acme'])).toEqual({ code: 1, said: expect.stringContaining('Stop it first') })
  await running.end()
  expect(await allRows(restored)).toEqual(before)
})
