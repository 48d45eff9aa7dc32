// Everything that must hold, one step after the other. A step that fails does not keep the next from running, and the last
// line counts all of it: each test of vitest and each other step as one. A test that is left out counts as failed.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { markBuilt } from './console.mjs'
import { ensurePackages } from './packages.mjs'
import { findPostgres, withPostgres } from './postgres.mjs'
import { node, root, run, tool, withTools } from './programs.mjs'

const cache = join(root, 'node_modules', '.cache')

const checks = [
  oneProgram('types: shared', tool('tsc'), '-p', 'tsconfig.shared.json'),
  oneProgram('types: server', tool('tsc'), '-p', 'tsconfig.server.json'),
  oneProgram('types: console', tool('tsc'), '-p', 'tsconfig.console.json'),
  oneProgram('types: console tests', tool('tsc'), '-p', 'tsconfig.console-tests.json'),
  oneProgram('lint', tool('oxlint')),
  oneProgram('format', tool('oxfmt'), '--check'),
  oneProgram('room order', node, 'tools/rooms.ts'),
]

const build = oneProgram('console build', tool('vite'), 'build', '--logLevel', 'warn')

const everything = [
  ...checks,
  { ...build, run: consoleBuild },
  { name: "tests, the server's also on the distribution's PostgreSQL, and the journeys", run: testsBesideJourneys },
]

export async function runChecks() {
  return runSteps(checks)
}

/** Arguments go to vitest: `npm test -- areas/tickets` runs the checks and the tests of one room. */
export async function runTests(args) {
  const missing = await ensurePackages()
  if (missing) {
    console.error(missing)
    console.log('0 passed, 1 failed')
    return 1
  }
  return runSteps(everything, args)
}

async function runSteps(steps, args = []) {
  const results = []
  for (const { name, run: runStep } of steps) {
    console.log(`\n> ${name}`)
    const begin = Date.now()
    const result = await runStep(args)
    results.push(result)
    console.log(`> ${name}: ${result.failures.length === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - begin) / 1000).toFixed(1)} s`)
  }
  const { passed, failures } = together(results)
  const unfound = args.length > 0 && results.slice(checks.length + 1).every((result) => result.passed + result.failures.length === 0)
  if (unfound) console.error(`No test is named ${args.join(' ')}.`)
  const failed = failures.length + (unfound ? 1 : 0)
  // Said once more where whoever looks at the end of a long log finds it.
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((one) => `- ${one}`).join('\n')}`)
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

function oneProgram(name, program, ...args) {
  return { name, run: async () => ((await run(program, args)) === 0 ? { passed: 1, failures: [] } : oneFailure(name)) }
}

const oneFailure = (told) => ({ passed: 0, failures: [told] })

async function consoleBuild() {
  const result = await build.run()
  if (result.failures.length === 0) markBuilt()
  return result
}

/** The journeys go one after another and mostly wait for their browser: from first to last the other tests have the cores meanwhile, and the journeys tell theirs afterwards. */
async function testsBesideJourneys(args) {
  mkdirSync(cache, { recursive: true })
  const told = join(cache, 'journeys.log')
  const output = openSync(told, 'w')
  try {
    const [results, journeys] = await Promise.all([
      onEachEngine(args),
      vitest('journeys', ['--project', 'e2e', ...args], { stdio: ['ignore', output, output] }),
    ])
    process.stdout.write(readFileSync(told))
    return together([...results, journeys])
  } finally {
    closeSync(output)
  }
}

const together = (results) => ({ passed: sum(results.map(({ passed }) => passed)), failures: results.flatMap(({ failures }) => failures) })

/** What holds on the embedded database holds on one's own. */
async function onEachEngine(args) {
  const embedded = await vitest('tests', ['--project', 'unit', '--project', 'server', '--project', 'console', ...args])
  const postgres = findPostgres()
  if (postgres === undefined) return [embedded, oneFailure('No PostgreSQL is installed below /usr/lib/postgresql.')]
  return [
    embedded,
    await withPostgres(postgres, (address) =>
      vitest(`postgres-${postgres.major}`, ['--project', 'server', ...args], { env: { ...withTools(), DATABASE_URL: address } }),
    ),
  ]
}

/** Where tests are asked for by name, they need not be of every kind. */
async function vitest(name, args, options = {}) {
  const report = join(cache, `vitest-${name}.json`)
  mkdirSync(dirname(report), { recursive: true })
  rmSync(report, { force: true })
  const named = args.some((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--project')
  const code = await run(
    tool('vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...(named ? ['--passWithNoTests'] : []), ...args],
    options,
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
  return { passed, failures: failures.length === 0 && code !== 0 ? [`${name}: vitest ended with ${code}`] : failures }
}
