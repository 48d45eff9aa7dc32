import { chmodSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterwards, folder, isRoot, query, run, smallDisk, start } from './scratch.fixture.ts'

describe('the embedded database refuses in a sentence', () => {
  test('a cluster of another major version, and leaves it as it is', async () => {
    const dataDirectory = join(folder(), 'data')
    const database = await start({ dataDirectory })
    await database.stop()
    const file = join(database.directory, 'cluster', 'PG_VERSION')
    writeFileSync(file, '17\n')
    await expect(start({ dataDirectory })).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'other-version',
      message: expect.stringContaining('was made by PostgreSQL 17, and this Chancery runs PostgreSQL 18'),
    })
    expect(readFileSync(file, 'utf8')).toBe('17\n')
  })

  test('a data folder that cannot be written', async () => {
    const dataDirectory = isRoot ? smallDisk('1m', ',ro') : folder(0o555)
    afterwards(() => isRoot || chmodSync(dataDirectory, 0o755))
    await expect(start({ dataDirectory })).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'not-writable',
      message: expect.stringContaining(dataDirectory),
    })
  })

  test('a file where the data folder should be', async () => {
    const dataDirectory = join(folder(), 'data')
    writeFileSync(dataDirectory, 'not a folder')
    await expect(start({ dataDirectory })).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'not-writable',
      message: expect.stringContaining(dataDirectory),
    })
    expect(readFileSync(dataDirectory, 'utf8')).toBe('not a folder')
  })

  test('a database folder whose files are no database', async () => {
    const dataDirectory = folder()
    mkdirSync(join(dataDirectory, 'postgres', 'cluster'), { recursive: true })
    writeFileSync(join(dataDirectory, 'postgres', 'cluster', 'letter.txt'), 'Dear reader')
    await expect(start({ dataDirectory })).rejects.toMatchObject({
      code: 'data-missing',
      message: expect.stringContaining('PG_VERSION is missing'),
    })
  })

  test('settings that PostgreSQL does not know, with its own words', async () => {
    const dataDirectory = join(folder(), 'data')
    const database = await start({ dataDirectory })
    await database.stop()
    writeFileSync(join(database.directory, 'cluster', 'postgresql.auto.conf'), 'shared_bufers = 1GB\n')
    await expect(start({ dataDirectory })).rejects.toMatchObject({
      code: 'start-failed',
      message: expect.stringMatching(/shared_bufers|contains errors/),
    })
  })

  // Only root can mount a disk that is really full; as an ordinary user there is nothing to run here.
  if (isRoot) {
    test('a disk that is too small for a new database', async () => {
      const dataDirectory = smallDisk('8m')
      await expect(start({ dataDirectory })).rejects.toMatchObject({ code: 'disk-full', message: expect.stringContaining('is full') })
      const { bfree, blocks } = statfsSync(dataDirectory)
      expect(bfree / blocks).toBeGreaterThan(0.9)
    })

    test('a disk that has filled up, and starts with everything saved once there is space', async () => {
      const disk = smallDisk('120m')
      const dataDirectory = join(disk, 'data')
      const first = await start({ dataDirectory })
      await query(first.connection.host, 'create table kept as select 42 as answer')
      await first.stop()
      expect(() => run('dd', ['if=/dev/zero', `of=${join(disk, 'ballast')}`, 'bs=1M'])).toThrow('No space left on device')
      await expect(start({ dataDirectory })).rejects.toMatchObject({ code: 'disk-full', message: expect.stringContaining('is full') })
      run('rm', [join(disk, 'ballast')])
      const second = await start({ dataDirectory })
      expect(await query(second.connection.host, 'select answer from kept')).toEqual([{ answer: 42 }])
    })
  }
})
