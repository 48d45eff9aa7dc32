// Everything that must hold. A step that fails does not keep the next from running, and the last line counts all of it: each test of vitest and
// each other step as one. A test that is left out counts as failed.
//
// In a whole run the checks, the journeys and all other tests go side by side, so that both cores of a small machine have work to the end.
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildConsole, markBuilt } from './console.mjs'
import { clusterSeconds, keepCosts, overBudget, overWhole, readCosts, tellCosts, tellSlowest } from './costs.mjs'
import { lastGreen } from './long-record.mjs'
import { ensurePackages } from './packages.mjs'
import { findPostgres, withPostgres } from './postgres.mjs'
import { treeSeconds } from './processor-time.mjs'
import { node, root, run, tool, withTools } from './programs.mjs'
import { touchedSince } from './touched.mjs'

/** What a run leaves behind: reports, costs, the statements that were sent. */
const records = join(root, 'node_modules', '.cache', 'tests')
const costFile = join(records, 'costs.jsonl')
const statements = join(records, 'statements')

/** With one checker, because each of several checks anew what it shares with the others: half of the processor time, and the other core has tests to run. */
const tsc = [tool('tsc'), '--checkers', '1', '-p']

const checks = [
  oneProgram('types: shared', ...tsc, 'tsconfig.shared.json'),
  oneProgram('types: server', ...tsc, 'tsconfig.server.json'),
  oneProgram('types: console', ...tsc, 'tsconfig.console.json'),
  oneProgram('types: console tests', ...tsc, 'tsconfig.console-tests.json'),
  oneProgram('lint', tool('oxlint')),
  oneProgram('format', tool('oxfmt'), '--check'),
  oneProgram('room order', node, 'tools/rooms.ts'),
  oneProgram('deployment', node, 'tools/deploy.ts'),
]

const build = oneProgram('console build', tool('vite'), 'build', '--logLevel', 'warn')

export async function runChecks() {
  return tellOutcome(together(await oneAfterAnother(checks, runStep)))
}

/**
 * Arguments go to vitest: `npm test -- areas/tickets` runs the checks and the tests of one room; `--changed [COMMIT]` runs the rooms touched
 * since then (else since main) and those above them, `--every-engine` everything on the second PostgreSQL as well, `--every-pair` each id of
 * another tenancy at each call.
 */
export async function runTests(given) {
  const missing = await ensurePackages()
  if (missing) {
    console.error(missing)
    console.log('0 passed, 1 failed')
    return 1
  }
  const { everyEngine, args } = readArguments(given)
  clearRecords()
  const factor = speedFactor()
  const used = treeSeconds()
  tellWhenStopped(factor)
  const named = namesTests(args)
  const results = named ? await someTests(args, everyEngine) : await allTests(args, everyEngine)
  const reported = results.flatMap(({ tests = [] }) => tests)
  if (named && args !== nothingTouched && reported.length === 0) results.push(oneFailure(`No test is named ${args.join(' ')}.`))
  const costs = readCosts(costFile)
  const total = treeSeconds() - used + clusterSeconds(costFile)
  keepCosts(costs)
  tellCosts(costs, factor)
  tellSlowest(reported)
  console.log(`\nThe run took ${total.toFixed(0)} s of processor time, with its checks, builds and databases.`)
  console.log(lastGreen())
  const { failures, warnings } = overBudget(costs, factor)
  for (const warning of warnings) console.log(`WARNING: ${warning}`)
  results.push({ passed: 0, failures: [...failures, ...(named || everyEngine ? [] : overWhole(total, factor))] })
  return tellOutcome(together(results))
}

export function clearRecords() {
  rmSync(records, { recursive: true, force: true })
  mkdirSync(statements, { recursive: true })
}

/** Prints what was spent until then: a run that took too long is the one whose costs are asked for. */
function tellWhenStopped(factor) {
  process.once('SIGTERM', () => tellCosts(readCosts(costFile), factor))
  process.once('SIGINT', () => {
    tellCosts(readCosts(costFile), factor)
    process.exit(130)
  })
}

/** Times the reference by the Node that runs the tests. */
function speedFactor() {
  const { stdout, status } = spawnSync(node, [join(root, 'tools/setup/reference.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error('The reference of the budgets does not run')
  return Number(stdout)
}

const nothingTouched = ['nothing-touched']

function readArguments(given) {
  const everyEngine = given.includes('--every-engine')
  if (given.includes('--every-pair')) process.env.CHANCERY_TEST_EVERY_PAIR = '1'
  const args = given.filter((one) => one !== '--every-engine' && one !== '--every-pair')
  const at = args.findIndex((one) => /^--changed(=|$)/.test(one))
  if (at < 0) return { everyEngine, args }
  const [, inline] = args[at].split('=')
  const following = inline === undefined && args[at + 1] !== undefined && !args[at + 1].startsWith('-') ? args[at + 1] : undefined
  const touched = touchedSince(inline ?? following ?? 'main')
  const rest = args.filter((_one, place) => place !== at && (following === undefined || place !== at + 1))
  if (touched === undefined) return { everyEngine, args: ['standards/', 'core/', 'areas/', 'apps/', 'tools/', ...rest] }
  return { everyEngine, args: touched.length === 0 ? nothingTouched : [...touched, ...rest] }
}

const namesTests = (args) => args.some((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--project')

async function allTests(args, everyEngine) {
  const checking = lane('checks', (options) => oneAfterAnother(checks, (check) => runStep(check, options)))
  // A server reads the built console when it starts.
  const built = await lane('console build', consoleBuild)
  const journeys = lane('journeys', (options) => vitest('journeys', [...projects('e2e'), ...args], options))
  const tests = await runStep({
    name: 'tests',
    run: () => vitest('tests', [...projects('unit', 'server', 'console', 'programs'), ...args]),
  })
  const second = await lane("second engine: the distribution's PostgreSQL", (options) => onSecondEngine(args, everyEngine, options))
  return [...(await checking), built, tests, second, await journeys]
}

/** Runs beside other steps, and tells what it printed when it ends, so that the lines of two are not mixed. */
async function lane(name, work) {
  const begin = Date.now()
  const { result, tell } = await quietly(name, work)
  const failed = together([result].flat()).failures.length > 0
  tell()
  console.log(`\n> ${name}: ${failed ? 'FAILED' : 'passed'} in ${((Date.now() - begin) / 1000).toFixed(1)} s`)
  return result
}

/** A room while it is worked on: the checks go beside its tests and tell afterwards, nothing is built that no journey opens. */
async function someTests(args, everyEngine) {
  if (args.some((arg) => arg.startsWith('e2e'))) await buildConsole()
  const checking = quietly('checks', (options) => oneAfterAnother(checks, (check) => runStep(check, options)))
  const tests =
    args === nothingTouched ? [] : [await vitest('tests', [...projects('unit', 'server', 'console', 'programs', 'e2e'), ...args])]
  const second = everyEngine && tests.length > 0 ? [await onSecondEngine(args, true)] : []
  const { result, tell } = await checking
  if (together(result).failures.length > 0) tell()
  return [...result, ...tests, ...second]
}

async function oneAfterAnother(steps, work) {
  const results = []
  for (const step of steps) results.push(await work(step))
  return results
}

async function runStep({ name, run: runOne }, options) {
  const begin = Date.now()
  const result = await runOne(options)
  const failed = together([result].flat()).failures.length > 0
  console.log(`> ${name}: ${failed ? 'FAILED' : 'passed'} in ${((Date.now() - begin) / 1000).toFixed(1)} s`)
  return result
}

/** The last line counts all of it: whoever looks at the end of a long log finds there what failed, too. */
export function tellOutcome({ passed, failures }) {
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((one) => `- ${one}`).join('\n')}`)
  console.log(`\n${passed} passed, ${failures.length} failed`)
  return failures.length === 0 ? 0 : 1
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

function oneProgram(name, program, ...args) {
  return {
    name,
    run: async (options) => ((await run(program, args, options)) === 0 ? { passed: 1, failures: [] } : oneFailure(name)),
  }
}

const oneFailure = (told) => ({ passed: 0, failures: [told] })

async function consoleBuild(options) {
  const result = await build.run(options)
  if (result.failures.length === 0) markBuilt()
  return result
}

/** Does something beside something else: its output is kept, to be told afterwards. */
async function quietly(name, work) {
  const log = join(records, `${name.replaceAll(/\W+/g, '-')}.log`)
  const output = openSync(log, 'w')
  try {
    return { result: await work({ stdio: ['ignore', output, output] }), tell: () => process.stdout.write(readFileSync(log)) }
  } finally {
    closeSync(output)
  }
}

export const together = (results) => ({
  passed: sum(results.map(({ passed }) => passed)),
  failures: results.flatMap(({ failures }) => failures),
})

/** What may differ on one's own PostgreSQL: migrations, row security, every statement that was just sent to the embedded one, and the main job. */
async function onSecondEngine(args, everything, options = {}) {
  const postgres = findPostgres()
  if (postgres === undefined) return oneFailure('No PostgreSQL is installed below /usr/lib/postgresql.')
  return withPostgres(postgres, (address) =>
    vitest(`postgres-${postgres.major}`, [...projects('engine', ...(everything ? ['server'] : [])), ...args], {
      ...options,
      env: { ...testEnvironment(), DATABASE_URL: address, CHANCERY_TEST_COSTS: '' },
    }),
  )
}

const projects = (...names) => names.flatMap((name) => ['--project', name])
const testEnvironment = () => ({ ...withTools(), CHANCERY_TEST_COSTS: costFile, CHANCERY_TEST_STATEMENTS: statements })

/** Where tests are asked for by name, they need not be of every kind. */
export async function vitest(name, args, options = {}) {
  const report = join(records, `vitest-${name.replaceAll(/\W+/g, '-')}.json`)
  const code = await run(
    tool('vitest'),
    [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(namesTests(args) ? ['--passWithNoTests'] : []),
      ...args,
    ],
    { env: testEnvironment(), ...options },
  )
  if (!existsSync(report)) return oneFailure(`${name}: vitest ended without a report`)
  return outcome(name, JSON.parse(readFileSync(report, 'utf8')), code)
}

function outcome(name, { testResults }, code) {
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })))
  const passed = tests.filter(({ status }) => status === 'passed').length
  // A file that does not load has no tests that could fail.
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  )
  const failures = [
    ...tests.filter(({ status }) => status === 'failed').map(({ file, fullName }) => `${name}: ${fullName} (${relative(root, file)})`),
    ...tests
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ file, fullName }) => `${name}: left out, which counts as failed: ${fullName} (${relative(root, file)})`),
    ...brokenFiles.map((file) => `${name}: ${relative(root, file.name)} could not be read, or fails outside its tests`),
  ]
  const told = tests.map(({ file, fullName, duration }) => ({
    name: fullName,
    file: relative(root, file),
    seconds: (duration ?? 0) / 1000,
  }))
  return { passed, tests: told, failures: failures.length === 0 && code !== 0 ? [`${name}: vitest ended with ${code}`] : failures }
}
