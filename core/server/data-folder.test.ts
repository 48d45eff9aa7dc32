import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { holdDataFolder } from './data-folder.ts'

/** Fails where it warns of something. */
const quiet = (sentence: string): void => expect(sentence).toBe('nothing to warn of')

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Starter = { process: ChildProcess; says: string }

/** Another process that starts on the folder, and says `held` or why not; it lives until the test ends. */
async function startOn(folder: string): Promise<Starter> {
  const program = `
    import { holdDataFolder } from ${JSON.stringify(new URL('./data-folder.ts', import.meta.url).href)}
    try {
      globalThis.held = holdDataFolder({ dataDirectory: ${JSON.stringify(folder)}, origin: 'http://localhost:8080', warn: console.log })
      console.log('held')
    } catch (error) {
      console.log(error.message)
    }
    process.stdin.resume()`
  const other = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => kill(other))
  const [said] = (await once(other.stdout, 'data')) as [Buffer]
  return { process: other, says: said.toString().trim() }
}

async function kill(other: ChildProcess): Promise<void> {
  if (other.exitCode !== null || other.signalCode !== null) return
  const gone = once(other, 'exit')
  other.kill('SIGKILL')
  await gone
}

/** As a server leaves the folder that was killed. */
async function leftByKilled(folder: string): Promise<void> {
  const other = await startOn(folder)
  expect(other.says).toBe('held')
  await kill(other.process)
}

test('a second server on a data folder is refused before it touches anything, and told who holds it and where', async () => {
  const folder = newFolder()
  const { process: first } = await startOn(folder)
  writeFileSync(join(folder, 'address.json'), '{"origin":"http://localhost:8080","pkiUrl":"http://localhost:8080"}\n')
  const before = readdirSync(folder)
  const main = fileURLToPath(new URL('../../apps/server/main.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [main], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], CHANCERY_DATA: folder, CHANCERY_PORT: '48911' },
  })
  expect([status, stderr.trim()]).toEqual([
    1,
    `A Chancery runs on the data folder ${folder} already: process ${first.pid}, at http://localhost:8080. Nothing was changed. Stop that one, or set CHANCERY_DATA to another folder.`,
  ])
  expect(readdirSync(folder)).toEqual(before)
  expect(readFileSync(join(folder, 'address.json'), 'utf8')).toContain('localhost:8080')
})

test('a server in another container, whose process number means nothing here, keeps a second one off all the same', async () => {
  const folder = newFolder()
  await startOn(folder)
  const nobody = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ pid: nobody, origin: 'http://localhost:8080' }))
  expect(() => holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9000', warn: quiet })).toThrow(
    `A Chancery runs on the data folder ${folder} already: process ${nobody}, at`,
  )
})

test('of many that start at once on the folder of a server that was killed, one holds it', async () => {
  const folder = newFolder()
  await leftByKilled(folder)
  const starters = await Promise.all(Array.from({ length: 10 }, () => startOn(folder)))
  const [holder, ...more] = starters.filter(({ says }) => says === 'held')
  expect([holder?.process.pid, more]).toEqual([expect.any(Number), []])
  expect(JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8'))).toMatchObject({ pid: holder?.process.pid })
  for (const { says } of starters.filter((each) => each !== holder)) expect(says).toContain('A Chancery runs on the data folder')
})

test('the folder of a server that was killed is taken over, and given back at the end', async () => {
  const folder = newFolder()
  await leftByKilled(folder)
  const held = holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9000', warn: quiet })
  expect(() => holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9001', warn: quiet })).toThrow(
    `process ${process.pid}, at http://localhost:9000.`,
  )
  await held.stop()
  expect(readdirSync(folder)).toEqual(['running.lock'])
  await holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9001', warn: quiet }).stop()
})

test('half a file, as a crash leaves it, holds nobody up, and a new folder is made', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'running.json'), '{"pid":1')
  const fresh = join(folder, 'new')
  for (const dataDirectory of [folder, fresh]) await holdDataFolder({ dataDirectory, origin: 'http://localhost:9000', warn: quiet }).stop()
  expect(existsSync(fresh)).toBe(true)
})

test('where a folder cannot be held the server starts and says that nothing keeps a second one off', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'running.lock'))
  const warned: string[] = []
  await holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9000', warn: (sentence) => warned.push(sentence) }).stop()
  expect(warned).toEqual([
    expect.stringMatching(
      /^Nothing keeps a second Chancery off the data folder .*: running\.lock cannot be locked \(.+\)\. See to it that only one is started on it\.$/,
    ),
  ])
})

test('the lock is of this account alone, also where an earlier version left it open to all', () => {
  for (const left of [false, true]) {
    const folder = newFolder()
    const file = join(folder, 'running.lock')
    if (left) writeFileSync(file, '', { mode: 0o644 })
    const held = holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:8080', warn: quiet })
    onTestFinished(() => held.stop())
    expect(statSync(file).mode & 0o777).toBe(0o600)
  }
})
