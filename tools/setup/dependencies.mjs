// The dependencies are exactly those of package-lock.json. A stamp in node_modules says for which lock file they were
// installed; as `npm ci` removes node_modules first, an installation that breaks off leaves no stamp.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isExecutable, node, root, run, SetupError, withoutTools } from './programs.mjs'

const lockFile = join(root, 'package-lock.json')
const stampFile = join(root, 'node_modules', '.chancery-lock')
const installedFile = join(root, 'node_modules', '.package-lock.json')

export async function ensureDependencies() {
  const stamp = lockStamp()
  if (isStamped(stamp)) return
  if (!isInstalled()) await install()
  writeFileSync(stampFile, stamp)
}

/** The machine is part of it: a node_modules brought from another one holds another one's programs. */
function lockStamp() {
  return `${createHash('sha256').update(readFileSync(lockFile)).digest('hex')} ${process.platform}-${process.arch}\n`
}

function isStamped(stamp) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && isExecutable(node)
}

/** Whether somebody's `npm install` has brought exactly what the lock file lists; then installing it again is needless. */
function isInstalled() {
  if (!existsSync(installedFile) || !isExecutable(node)) return false
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages
  const strays = Object.keys(installed).filter((path) => !Object.hasOwn(wanted, path))
  return (
    strays.length === 0 &&
    Object.entries(wanted).every(([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version)
  )
}

async function install() {
  console.error('Installing the exact dependencies of package-lock.json with npm ci; this takes a minute the first time.')
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    env: withoutTools(),
    shell: process.platform === 'win32',
  })
  if (code !== 0) throw new SetupError('The dependencies could not be installed: npm ci failed, and says why above.')
  if (!isExecutable(node))
    throw new SetupError(
      'Node 24 did not come with the dependencies: npm was told not to run install scripts. Run `npm rebuild node`, or npm ci without --ignore-scripts.',
    )
}
