// Keeps with the sources when the long run was last green, and for which commit, so that everybody sees how old that answer is.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './programs.mjs'

const file = join(root, 'docs', 'long-run.json')

export function lastGreen() {
  if (!existsSync(file)) return 'The long run (npm run test:long) was never green.'
  const { commit, at, passed } = JSON.parse(readFileSync(file, 'utf8'))
  return `The long run (npm run test:long) was last green on ${at.slice(0, 10)}, for commit ${commit.slice(0, 12)}: ${passed} passed.`
}

export function keepGreen(passed) {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  writeFileSync(file, `${JSON.stringify({ commit, at: new Date().toISOString(), passed }, undefined, 2)}\n`)
}
