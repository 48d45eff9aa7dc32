// Which tests to run for what was changed: those of the rooms that were touched and of the rooms above them, which may use them.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, SetupError } from './programs.mjs'

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Parts of paths for vitest; undefined for all of them. */
export function touchedSince(ref) {
  return testsFor(changedFiles(ref), roomOrder(), genericTests())
}

export function testsFor(files, order, generic) {
  const all = files.filter((file) => !/\.md$|^docs\//.test(file))
  const rooms = all.map((file) => /^areas\/([^/]+)\//.exec(file)?.[1]).filter((room) => room !== undefined)
  const elsewhere = all.filter((file) => !/^areas\/[^/]+\//.test(file))
  // A test stands for itself; everything else outside of the rooms may be used by all of them.
  if (elsewhere.some((file) => !/\.test\.tsx?$/.test(file))) return undefined
  const lowest = Math.min(...rooms.map((room) => order.indexOf(room)).filter((at) => at >= 0))
  const upwards = Number.isFinite(lowest) ? order.slice(lowest).map((room) => `areas/${room}/`) : []
  return [...upwards, ...(rooms.length > 0 ? generic : []), ...elsewhere]
}

function changedFiles(ref) {
  try {
    const base = git('merge-base', 'HEAD', ref).trim()
    const tracked = git('diff', '--name-only', '--no-renames', base)
    const fresh = git('ls-files', '--others', '--exclude-standard')
    return [...new Set(`${tracked}${fresh}`.split('\n').filter((name) => name !== ''))]
  } catch {
    throw new SetupError(
      `What was changed since ${ref} cannot be told: there is no such commit here. Name one: npm test -- --changed COMMIT`,
    )
  }
}

const roomOrder = () => [...readFileSync(join(root, 'areas/order.ts'), 'utf8').matchAll(/^\s+'([^']+)',$/gm)].map(([, name]) => name)

/** Those that go over all rooms. */
const genericTests = () =>
  existsSync(join(root, 'areas'))
    ? readdirSync(join(root, 'areas'))
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `areas/${name}`)
    : []
