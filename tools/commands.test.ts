import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(root + file, 'utf8')
const pages = globSync(['*.md', 'docs/**/*.md', 'areas/*/README.md', 'core/**/README.md'], { cwd: root })

test('each command that the documents name is a script of the package', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name = '']) => ({ page, name })),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ name }) => !(name in scripts))).toEqual([])
})

test('no document tells to run a source file with the Node of the machine, which may be older than ours', () => {
  expect(pages.filter((page) => /\bnode [\w./-]+\.ts\b/.test(read(page)))).toEqual([])
})

test('the version is the newest of the changelog, or on the way to the next', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: Record<string, { version: string }> }
  expect([lock.version, lock.packages['']?.version]).toEqual([version, version])
  const [newest = '', released = newest] = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  expect(version.endsWith('-next') ? newest : 'Next').toBe('Next')
  expect(version.endsWith('-next') ? version > released : newest === version).toBe(true)
})

test('what is new is told above the first release, which stays as it was', () => {
  const [, first = ''] = read('CHANGELOG.md').split('\n## 0.1.0\n')
  expect(first).toContain('The house, and its main job')
  expect(first.split('\n').filter((line) => /^(- |## )/.test(line))).toEqual([])
})
