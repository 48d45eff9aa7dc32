// What the npm scripts call. It runs on whatever Node (18 or later) the machine has and without a single dependency, because
// bringing both is its work: it installs what is missing, builds what has changed, and hands over to Node 24 out of
// node_modules. When there is nothing to install or build it costs a fraction of a second.
import { spawn } from 'node:child_process'
import { buildConsole } from './setup/console.mjs'
import { ensureDependencies } from './setup/dependencies.mjs'
import { runLong } from './setup/long.mjs'
import { ensurePackages, protocolPackages } from './setup/packages.mjs'
import { node, root, withTools } from './setup/programs.mjs'
import { runChecks, runTests } from './setup/tests.mjs'

const commands = {
  start: { build: true, run: (args) => handOver(['apps/server/main.ts', ...args]) },
  demo: { build: true, run: (args) => handOver(['apps/server/main.ts', '--demo', ...args]) },
  dev: { build: false, run: (args) => handOver(['apps/server/main.ts', '--dev', ...args]) },
  agent: { build: false, run: (args) => handOver(['apps/agent/main.ts', ...args]) },
  bootstrap: { build: false, run: (args) => handOver(['apps/server/bootstrap.ts', ...args]) },
  routes: { build: false, run: (args) => handOver(['tools/routes.ts', ...args]) },
  texts: { build: false, run: (args) => handOver(['core/console/build/extract-text.ts', ...args]) },
  'bootstrap-schema': { build: false, run: (args) => handOver(['tools/bootstrap-schema.ts', ...args]) },
  'bad-input': { build: false, run: (args) => handOver(['e2e/bad-input/matrix.ts', ...args]) },
  bench: { build: false, run: (args) => handOver(['bench/run.ts', ...args]) },
  'new-area': { build: false, run: (args) => handOver(['tools/new-area.ts', ...args]) },
  'audit-verify': { build: false, run: (args) => handOver(['tools/audit-verify.ts', ...args]) },
  backup: { build: false, run: (args) => handOver(['apps/server/backup.ts', ...args]) },
  restore: { build: false, run: (args) => handOver(['apps/server/restore.ts', ...args]) },
  'e2e-protocols': { build: true, run: runProtocols },
  test: { build: false, run: runTests },
  'test-long': { build: false, run: runLong },
  check: { build: false, run: runChecks },
}

/** The clients of enrolment protocols, in every combination: minutes, and packages that nothing else needs. */
async function runProtocols(args) {
  const missing = await ensurePackages(protocolPackages)
  if (missing === undefined) return handOver(['node_modules/vitest/vitest.mjs', 'run', '--project', 'protocols', ...args])
  console.error(missing)
  return 1
}

/** Runs a program on Node 24 in our place: its input, output, signals and exit code are ours. */
function handOver(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: 'inherit', env: withTools() })
    // On a terminal Ctrl+C reaches the program by itself; sent on, it would arrive twice.
    const forwarded = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT']
    for (const signal of forwarded) process.on(signal, () => child.kill(signal))
    if (process.stdin.isTTY) process.on('SIGINT', () => {})
    whenAbandoned(() => child.kill('SIGTERM'))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ? signalCode(signal) : code))
  })
}

/** npm hands a signal to the shell between it and us, which dies of it without a word to us; that our parent changes is all we see. */
function whenAbandoned(act) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    act()
  }, 100)
  watch.unref()
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function signalCode(signal) {
  return 128 + (signalNumbers[signal] ?? 0)
}

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
if (!command) {
  console.error(`Usage: node tools/setup.mjs ${Object.keys(commands).join('|')} [arguments]`)
  process.exit(2)
}

try {
  await ensureDependencies()
  if (command.build) await buildConsole()
  process.exitCode = await command.run(args)
} catch (error) {
  if (!error?.sentence) throw error
  console.error(error.sentence)
  process.exitCode = 1
}
