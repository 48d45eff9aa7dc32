import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { afterAll, expect, test } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'chancery-areas-'))
const folder = join(root, 'areas')
afterAll(() => rmSync(root, { recursive: true }))

const newArea = (name: string) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'new-area.ts'), name, folder], { encoding: 'utf8' })

test.each([
  ['probe', 'probe', 'probes'],
  ['groupPolicies', 'group policy', 'group policies'],
])('a new room %s has every file of a room, in its own words', (name, one, many) => {
  expect(newArea(name)).toMatchObject({ status: 0 })
  const files = globSync('**/*.*', { cwd: join(folder, name) })
  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'contract.ts', 'rules.ts', 'service.ts', 'server/index.ts', 'server/store.ts']),
  )
  const read = (file: string): string => readFileSync(join(folder, name, file), 'utf8')
  expect(files.filter((file) => /__\w+__/.test(`${file} ${read(file)}`))).toEqual([])
  expect(files.filter((file) => /\.tsx?$/.test(file) && parseSync(file, read(file)).errors.length > 0)).toEqual([])
  const contract = read('contract.ts')
  expect(contract).toContain(`title: 'New ${one}'`)
  expect(contract).toContain(`does: 'Lists the ${many} of the tenancy.'`)
})

test('a name that is no room, or one that is there, is refused', () => {
  expect(newArea('Probe')).toMatchObject({ status: 2 })
  expect(newArea('probe')).toMatchObject({ status: 1 })
  expect(existsSync(join(folder, 'Probe'))).toBe(false)
})
