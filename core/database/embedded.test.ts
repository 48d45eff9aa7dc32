import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { until } from '#core/testing/until.ts'
import { databaseAccount } from './account.ts'
import { isAlive } from './process.ts'
import { afterwards, folder, isRoot, query, start, supervise } from './scratch.fixture.ts'
import { readPostmaster } from './server.ts'

const postmaster = (directory: string) => readPostmaster(join(directory, 'cluster'))?.pid ?? 0
const identity = () => {
  const account = databaseAccount()
  return account ? { uid: account.uid, gid: account.gid } : {}
}

describe('the embedded database', () => {
  test('is made at the first start: UTF-8, C locale, checksums, durable writes, no network', async () => {
    const database = await start({ dataDirectory: join(folder(), 'data') })
    const names = [
      'server_encoding',
      'data_checksums',
      'fsync',
      'full_page_writes',
      'synchronous_commit',
      'listen_addresses',
      'jit',
      'max_connections',
      'wal_init_zero',
      'log_min_messages',
      'TimeZone',
    ]
    const rows = await query(
      database.connection.host,
      `select name, setting from pg_settings where name in (${names.map((name) => `'${name}'`).join()})`,
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      server_encoding: 'UTF8',
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      listen_addresses: '',
      jit: 'off',
      max_connections: '240',
      wal_init_zero: 'off',
      log_min_messages: 'warning',
      TimeZone: 'UTC',
    })
    const [{ megabytes } = {}] = await query(
      database.connection.host,
      `select setting::int / 128 as megabytes from pg_settings where name = 'shared_buffers'`,
    )
    expect(megabytes).toBeGreaterThanOrEqual(128)
    expect(megabytes).toBeLessThanOrEqual(512)
    expect(
      await query(database.connection.host, 'select datcollate, datctype from pg_database where datname = current_database()'),
    ).toEqual([{ datcollate: 'C', datctype: 'C' }])
    expect(database).toMatchObject({ major: 18, adopted: false, connection: { user: 'chancery', database: 'chancery' } })
    const [version] = await query(database.connection.host, `select current_setting('server_version_num')::int / 10000 as major`)
    expect(version).toEqual({ major: 18 })
  })

  test('lets in only whoever may enter a folder that is closed to other accounts', async () => {
    const database = await start({ dataDirectory: join(folder(), 'data') })
    expect(statSync(join(database.directory, 'cluster')).mode & 0o777).toBe(0o700)
    expect(statSync(database.connection.host).mode & 0o777).toBe(0o700)
    const rules = await query(database.connection.host, 'select distinct type, auth_method from pg_hba_file_rules order by type')
    expect(rules).toEqual([
      { type: 'host', auth_method: 'reject' },
      { type: 'local', auth_method: 'trust' },
    ])
  })

  test('starts again with everything that was saved', async () => {
    const dataDirectory = join(folder(), 'data')
    const first = await start({ dataDirectory })
    await query(first.connection.host, 'create table kept as select generate_series(1, 1000) as number')
    await first.stop()
    expect(first.fault()).toBeUndefined()
    const second = await start({ dataDirectory })
    expect(second.adopted).toBe(false)
    expect(await query(second.connection.host, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }])
  })

  test('is gone after a stop', async () => {
    const database = await start({ dataDirectory: join(folder(), 'data') })
    const pid = postmaster(database.directory)
    expect(isAlive(pid)).toBe(true)
    await database.stop()
    expect(isAlive(pid)).toBe(false)
    await expect(query(database.connection.host, 'select 1')).rejects.toThrow('ENOENT')
  })

  test('that was left running by a killed Chancery is adopted by the next, which may stop it', async () => {
    const dataDirectory = join(folder(), 'data')
    const killed = supervise(dataDirectory)
    const { host, directory } = await killed.answer
    await query(host, 'create table kept as select 42 as answer')
    const pid = postmaster(directory)
    await killed.end('SIGKILL')
    expect(isAlive(pid)).toBe(true)
    const database = await start({ dataDirectory })
    expect(database.adopted).toBe(true)
    expect(postmaster(directory)).toBe(pid)
    expect(await query(database.connection.host, 'select answer from kept')).toEqual([{ answer: 42 }])
    await database.stop()
    expect(isAlive(pid)).toBe(false)
  })

  test('serves two supervisors that start at once on a new folder; only the starter stops it', async () => {
    const dataDirectory = join(folder(), 'data')
    const both = [supervise(dataDirectory), supervise(dataDirectory)]
    const answers = await Promise.all(both.map(({ answer }) => answer))
    expect(answers.map(({ adopted }) => adopted).toSorted()).toEqual([false, true])
    const starter = both[answers.findIndex(({ adopted }) => !adopted)]
    const adopter = both[answers.findIndex(({ adopted }) => adopted)]
    const { host, directory } = answers[0] ?? { host: '', directory: '' }
    const pid = postmaster(directory)
    await adopter?.end('SIGTERM')
    expect(await query(host, 'select 1 as one')).toEqual([{ one: 1 }])
    await starter?.end('SIGTERM')
    expect(isAlive(pid)).toBe(false)
  })

  test('that is killed is started again under the same address', async () => {
    const said: string[] = []
    const database = await start({ dataDirectory: join(folder(), 'data'), log: (sentence) => said.push(sentence) })
    await query(database.connection.host, 'create table kept as select 42 as answer')
    const pool = new pg.Pool({ ...database.connection, max: 2 })
    pool.on('error', () => {})
    afterwards(() => pool.end())
    const pid = postmaster(database.directory)
    process.kill(pid, 'SIGKILL')
    const rows = await until('the database to answer anew', () =>
      pool.query('select answer from kept').then(
        (result) => (postmaster(database.directory) === pid ? undefined : result.rows),
        () => undefined,
      ),
    )
    expect(rows).toEqual([{ answer: 42 }])
    expect(said).toContain('The database ended unexpectedly and is started again.')
  })

  test('that cannot be started again is tried until it can, and says why it is not there', async () => {
    const said: string[] = []
    const database = await start({ dataDirectory: join(folder(), 'data'), log: (sentence) => said.push(sentence) })
    await query(database.connection.host, 'create table kept as select 42 as answer')
    const file = join(database.directory, 'cluster', 'global', 'pg_control')
    renameSync(file, `${file}.away`)
    process.kill(postmaster(database.directory), 'SIGKILL')
    const fault = await until('the fault of a database that cannot start', () => database.fault(), { state: () => said })
    expect(said.at(-1)).toBe(
      `The database could not be started again: ${fault.message} Until it runs nothing can be answered. It is tried again in 1 s.`,
    )
    renameSync(`${file}.away`, file)
    const found = () => query(database.connection.host, 'select answer from kept').catch(() => undefined)
    expect(await until('the database to answer anew', found, { state: () => said })).toEqual([{ answer: 42 }])
    await until('the end of its fault', () => database.fault() === undefined, { state: () => [database.fault(), said] })
    expect(said.at(-1)).toBe('The database runs again.')
  })

  test('is stopped without delay while it is tried again', async () => {
    const said: string[] = []
    const stopped = Promise.withResolvers<void>()
    const log = (sentence: string) => {
      said.push(sentence)
      // With the first failure, so that the stop comes while the next try is waited for, however slow this machine is.
      if (sentence.includes('tried again in')) stopped.resolve(database.stop())
    }
    const database = await start({ dataDirectory: join(folder(), 'data'), log })
    const file = join(database.directory, 'cluster', 'global', 'pg_control')
    renameSync(file, `${file}.away`)
    process.kill(postmaster(database.directory), 'SIGKILL')
    await stopped.promise
    // Who waited for the next try would hear of it.
    expect([said[0], said.at(-1)]).toEqual([
      'The database ended unexpectedly and is started again.',
      expect.stringContaining('It is tried again in 1 s.'),
    ])
  })

  test('that refuses to start because a part of the killed server lingers is tried again', async () => {
    const dataDirectory = join(folder(), 'data')
    const killed = supervise(dataDirectory)
    const { host, directory } = await killed.answer
    const client = new pg.Client({ host, user: 'chancery', database: 'chancery' })
    client.on('error', () => {})
    await client.connect()
    afterwards(() => client.end().catch(() => {}))
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const backend = rows[0]?.pid ?? 0
    await killed.end('SIGKILL')
    process.kill(backend, 'SIGSTOP')
    const dead = postmaster(directory)
    process.kill(dead, 'SIGKILL')
    await until('the end of the killed server', () => !isAlive(dead))
    const said: string[] = []
    const log = (sentence: string) => {
      said.push(sentence)
      process.kill(backend, 'SIGKILL')
    }
    const database = await start({ dataDirectory, log })
    expect(said[0]).toMatch(/^The database did not start \(.*(shared memory block|lock file).*\); trying again in 100 ms\.$/)
    expect(database.adopted).toBe(false)
    expect(await query(database.connection.host, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test.each([
    ['belongs to another process', 'echo $$; exec sleep 60'],
    ['is kept by an ended process that nobody has taken notice of', 'true & echo $!; exec sleep 60'],
  ])('starts although the number of the dead server %s', async (_case, script) => {
    const dataDirectory = join(folder(), 'data')
    const first = await start({ dataDirectory })
    const file = join(first.directory, 'cluster', 'postmaster.pid')
    const left = readFileSync(file, 'utf8')
    await first.stop()
    const stranger = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'], ...identity() })
    afterwards(() => stranger.kill())
    const pid = Number(await new Promise((resolve) => stranger.stdout.once('data', resolve)))
    writeFileSync(file, left.replace(/^\d+/, String(pid)))
    const database = await start({ dataDirectory })
    expect(database.adopted).toBe(false)
    expect(postmaster(database.directory)).not.toBe(pid)
  })

  test('keeps its socket elsewhere when the path of the data folder is too long for one', async () => {
    const dataDirectory = join(folder(), 'long-'.repeat(20), 'data')
    const first = await start({ dataDirectory })
    expect(Buffer.byteLength(join(first.directory, 'socket', '.s.PGSQL.5432'))).toBeGreaterThan(107)
    expect(first.connection.host).toContain(createHash('sha256').update(first.directory).digest('hex').slice(0, 12))
    expect(statSync(first.connection.host).mode & 0o777).toBe(0o700)
    const second = await start({ dataDirectory })
    expect(second).toMatchObject({ adopted: true, connection: first.connection })
    expect(await query(second.connection.host, 'select 1 as one')).toEqual([{ one: 1 }])
    await first.stop()
    expect(existsSync(first.connection.host)).toBe(false)
  })

  test('runs under an account without rights when Chancery is root, and as the same user otherwise', async () => {
    const database = await start({ dataDirectory: join(folder(), 'data') })
    const status = readFileSync(`/proc/${postmaster(database.directory)}/status`, 'utf8')
    const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
    expect(uid).toBe(isRoot ? databaseAccount()?.uid : process.getuid?.())
    expect(uid).not.toBe(0)
    expect(statSync(join(database.directory, 'cluster')).uid).toBe(uid)
  })
})
