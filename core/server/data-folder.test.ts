import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { processName } from '#core/database/process.ts'
import { holdDataFolder } from './data-folder.ts'

/** Fails where it warns of something. */
const quiet = (sentence: string): void => expect(sentence).toBe('nothing to warn of')

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Of another process, that lives or has ended. */
async function leftBy(folder: string, { ended }: { ended: boolean }): Promise<number> {
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const name = processName(other.pid ?? 0)
  const end = async () => {
    const gone = once(other, 'exit')
    if (other.exitCode === null) other.kill() && (await gone)
  }
  onTestFinished(end)
  if (ended) await end()
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ ...name, origin: 'http://localhost:8080' }))
  return name.pid
}

test('a second server on a data folder is refused before it touches anything, and told who holds it and where', async () => {
  const folder = newFolder()
  const pid = await leftBy(folder, { ended: false })
  writeFileSync(join(folder, 'address.json'), '{"origin":"http://localhost:8080","pkiUrl":"http://localhost:8080"}\n')
  const before = readdirSync(folder)
  const main = fileURLToPath(new URL('../../apps/server/main.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8', env: { PATH: process.env['PATH'], CHANCERY_DATA: folder, CHANCERY_PORT: '48911' } })
  expect([status, stderr.trim()]).toEqual([1, `A Chancery runs on the data folder ${folder} already: process ${pid}, at http://localhost:8080. Nothing was changed. Stop that one, or set CHANCERY_DATA to another folder.`])
  expect(readdirSync(folder)).toEqual(before)
  expect(readFileSync(join(folder, 'address.json'), 'utf8')).toContain('localhost:8080')
})

test('the folder of a server that was killed is taken over, and given back at the end', async () => {
  const folder = newFolder()
  await leftBy(folder, { ended: true })
  const held = holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9000', warn: quiet })
  expect(() => holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9001', warn: quiet })).toThrow(`process ${process.pid}, at http://localhost:9000.`)
  expect(readdirSync(folder)).toEqual(['running.json'])
  await held.stop()
  expect(readdirSync(folder)).toEqual([])
})

test('half a file, as a crash leaves it, holds nobody up, and a new folder is made', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'running.json'), '{"pid":1')
  const fresh = join(folder, 'new')
  for (const dataDirectory of [folder, fresh]) await holdDataFolder({ dataDirectory, origin: 'http://localhost:9000', warn: quiet }).stop()
  expect(existsSync(fresh)).toBe(true)
})

test('where a folder cannot be held, as on a file system without hard links, the server starts and says that nothing keeps a second one off', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, `running.json.${process.pid}`))
  const warned: string[] = []
  await holdDataFolder({ dataDirectory: folder, origin: 'http://localhost:9000', warn: (sentence) => warned.push(sentence) }).stop()
  expect(warned).toEqual([expect.stringMatching(/^Nothing keeps a second Chancery off the data folder .*: E[A-Z]+: .*\. See to it that only one is started on it\.$/)])
})
