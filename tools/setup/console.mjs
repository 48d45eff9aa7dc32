// The console is built when something it is built from has changed. Names, sizes and times of the files tell that in
// milliseconds; contents would tell it better and ten times slower, and a build too many costs only seconds.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run, SetupError, tool } from './programs.mjs'

const sources = ['areas', 'core', 'apps', 'standards', 'vite.config.ts', 'package-lock.json']
const withoutInfluence = /(^|\/)(server|agent|testing|database|migrations)\/|\.(test|fixture)\.tsx?$|(^|\/)README\.md$|\.sql$/
const built = join(root, 'dist')
const stampFile = join(built, '.stamp')

export async function buildConsole() {
  const stamp = sourcesStamp()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  console.error('Building the console.')
  if ((await run(tool('vite'), ['build', '--logLevel', 'warn'], { stdio: ['ignore', 2, 2] })) !== 0)
    throw new SetupError('The console could not be built; vite says why above.')
  writeFileSync(stampFile, stamp)
}

/** After a build that was not ours, so that the next start does not build once more. */
export function markBuilt() {
  if (existsSync(built)) writeFileSync(stampFile, sourcesStamp())
}

function sourcesStamp() {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesBelow(source))) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return `${hash.digest('hex')}\n`
}

function filesBelow(path) {
  const absolute = join(root, path)
  if (!existsSync(absolute) || withoutInfluence.test(path)) return []
  if (!statSync(absolute).isDirectory()) return [path]
  return readdirSync(absolute)
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`))
}
