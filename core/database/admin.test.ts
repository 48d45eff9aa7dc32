import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ensureDatabase } from './admin.ts'
import { folder, query, start } from './scratch.fixture.ts'

describe('a PostgreSQL server that somebody else runs', () => {
  test('gets the missing database in UTF-8 and a role without rights that the user may take', async () => {
    const { connection } = await start({ dataDirectory: join(folder(), 'data') })
    const { host } = connection
    await query(host, 'create role operator login createdb createrole')
    const settings = { host, user: 'operator', database: 'authority' }
    await ensureDatabase(settings, { role: 'authority_app' })
    await ensureDatabase(settings, { role: 'authority_app' })
    expect(
      await query(host, `select pg_encoding_to_char(encoding) as encoding, datcollate from pg_database where datname = 'authority'`),
    ).toEqual([{ encoding: 'UTF8', datcollate: 'C' }])
    expect(
      await query(
        host,
        `select rolcanlogin, rolsuper, rolbypassrls, pg_has_role('operator', oid, 'set') as held from pg_roles where rolname = 'authority_app'`,
      ),
    ).toEqual([{ rolcanlogin: false, rolsuper: false, rolbypassrls: false, held: true }])
  })

  test('is reached by its address as well', async () => {
    const { connection } = await start({ dataDirectory: join(folder(), 'data') })
    await ensureDatabase({ connectionString: `postgres://chancery@localhost/authority?host=${encodeURIComponent(connection.host)}` })
    expect(await query(connection.host, `select count(*)::int as found from pg_database where datname = 'authority'`)).toEqual([
      { found: 1 },
    ])
  })

  test('answers with the statement to run by hand where the user may not make the database', async () => {
    const { connection } = await start({ dataDirectory: join(folder(), 'data') })
    await query(connection.host, 'create role guest login')
    await expect(ensureDatabase({ host: connection.host, user: 'guest', database: 'authority' })).rejects.toMatchObject({
      code: 'not-allowed',
      message: expect.stringContaining(`create database "authority" template template0 encoding 'UTF8' locale 'C'`),
    })
    await expect(
      ensureDatabase({ host: connection.host, user: 'guest', database: 'chancery' }, { role: 'authority_app' }),
    ).rejects.toMatchObject({ code: 'not-allowed' })
  })

  test('is refused in another encoding', async () => {
    const { connection } = await start({ dataDirectory: join(folder(), 'data') })
    await query(connection.host, `create database narrow template template0 encoding 'LATIN1' locale 'C'`)
    await expect(ensureDatabase({ host: connection.host, user: 'chancery', database: 'narrow' })).rejects.toMatchObject({
      message: expect.stringContaining('LATIN1'),
    })
  })

  test('that does not answer is named without its password', async () => {
    const refused = ensureDatabase({ connectionString: 'postgres://chancery:secret@127.0.0.1:1/chancery' })
    await expect(refused).rejects.toMatchObject({ code: 'not-connected', message: expect.stringMatching(/127\.0\.0\.1/) })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('secret') })
  })
})
