// What a release must pass beside `npm test`, and what takes too long for each change: every client of every protocol, a whole Windows domain by
// Samba, each id of another tenancy at each call, a card pulled out at each command, and many more crashes.
import { buildConsole } from './console.mjs'
import { keepGreen, lastGreen } from './long-record.mjs'
import { ensurePackages, packages, protocolPackages } from './packages.mjs'
import { clearRecords, tellOutcome, together, vitest } from './tests.mjs'

/** Settings of the tests of which `npm test` takes a part, and the files that have them. */
const whole = { CHANCERY_TEST_EVERY_PAIR: '1', CHANCERY_ALL_CUTS: '1', CHANCERY_CRASH_ROUNDS: '24' }
const inPart = ['areas/isolation.test.ts', 'areas/smartcards/server/cuts.test.ts', 'e2e/crash.test.ts']

export async function runLong(args) {
  console.log(lastGreen())
  const missing = await ensurePackages([...packages, ...protocolPackages])
  if (missing) {
    console.error(missing)
    console.log('0 passed, 1 failed')
    return 1
  }
  await buildConsole()
  clearRecords()
  Object.assign(process.env, whole)
  const result = together([
    await vitest('protocols', ['--project', 'protocols', ...args]),
    ...(args.length > 0 ? [] : [await vitest('in full', ['--project', 'server', '--project', 'programs', ...inPart])]),
  ])
  if (result.failures.length === 0 && args.length === 0) {
    keepGreen(result.passed)
    console.log('docs/long-run.json says so from now on: commit it.')
  }
  return tellOutcome(result)
}
