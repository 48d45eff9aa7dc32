// Tells what the tests of a run cost, by room, and whether each room and the whole keep to their budget.
//
// A cost is processor time: of the worker, of what a test starts (Chromium, servers, tools), and of PostgreSQL for its databases. Time that passes
// says more of what else the machine does. Budgets are seconds of one machine: `reference.mjs` tells how much slower this one is.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './programs.mjs'

/** Seconds that the tests of a room may cost where its README gives no reason for more. */
const usual = 25
/** Seconds that the whole of `npm test` may cost, from types to the second engine. */
const whole = 2800
/** A budget is exceeded at this many times its seconds: two runs on one machine differ by a tenth. Above the budget itself a run only warns. */
const tolerance = 1.5
const reason = /^Test time: (\d+) s, because \S.+$/m

export function readCosts(file) {
  return readLines(file).flatMap(({ file: path, seconds, processor }) =>
    path === undefined ? [] : [{ file: relative(root, path), part: partOf(relative(root, path)), seconds, processor }],
  )
}

/** Adds up the processor time of the databases that the tests shared: nothing that we started is their parent. */
export function clusterSeconds(file) {
  return readLines(file).reduce((total, { cluster = 0 }) => total + cluster, 0)
}

function readLines(file) {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** A room of `areas/`, or a folder of another floor. */
function partOf(path) {
  const [floor, folder] = path.split('/')
  return folder === undefined || folder.includes('.') ? floor : `${floor}/${folder}`
}

function byPart(costs) {
  const parts = new Map()
  for (const { part, seconds, processor } of costs) {
    const sum = parts.get(part) ?? { part, seconds: 0, processor: 0 }
    parts.set(part, { part, seconds: sum.seconds + seconds, processor: sum.processor + processor })
  }
  return [...parts.values()].sort((a, b) => b.processor - a.processor)
}

/** Compares each room with its budget: a sentence for each that is over it, which fails the run (`failures`) or warns (`warnings`). */
export function overBudget(costs, factor) {
  const over = byPart(costs)
    .filter(({ part }) => part.startsWith('areas/'))
    .flatMap(({ part, processor }) => {
      const declared = reason.exec(readme(part))?.[1]
      const limit = Number(declared ?? usual)
      const cost = processor / factor
      if (cost <= limit) return []
      const advice = `Make them quicker, or write into ${part}/README.md: Test time: ${Math.ceil(cost / 5) * 5} s, because ...`
      const says = `the tests of ${part} cost ${cost.toFixed(0)} s, and ${limit} s are ${declared === undefined ? 'usual' : 'declared'}. ${advice}`
      return [{ says, fails: cost > limit * tolerance }]
    })
  const told = (fails) => over.filter((one) => one.fails === fails).map(({ says }) => says)
  return { failures: told(true), warnings: told(false) }
}

/** Compares a whole run with its budget: a sentence where it is over it. */
export function overWhole(processor, factor) {
  const cost = processor / factor
  return cost <= whole
    ? []
    : [`the whole run cost ${cost.toFixed(0)} s of processor time, and ${whole} s are its budget (tools/setup/costs.mjs)`]
}

function readme(part) {
  const file = join(root, part, 'README.md')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Prints a row for each room, dearest first. It is printed also of a run that was stopped, of the files that had ended by then. */
export function tellCosts(costs, factor) {
  if (costs.length === 0) return
  const row = (...cells) => console.log(cells.map((cell, at) => (at < 2 ? String(cell).padStart(10) : `  ${cell}`)).join(''))
  console.log('\nSeconds by room: passed, and of processor time')
  row('passed', 'processor', '')
  for (const { part, seconds, processor } of byPart(costs)) row(seconds.toFixed(1), processor.toFixed(1), part)
  const sum = (name) => costs.reduce((total, one) => total + one[name], 0)
  row(sum('seconds').toFixed(1), sum('processor').toFixed(1), 'all files')
  console.log(`This machine takes ${factor.toFixed(2)} times the seconds in which budgets are said.`)
}

export function tellSlowest(tests) {
  if (tests.length === 0) return
  console.log('\nThe slowest tests')
  const slowest = tests.filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds)
  for (const { name, file, seconds } of slowest.slice(0, 10)) console.log(`${seconds.toFixed(1).padStart(10)}  ${name} (${file})`)
}

/** What the files cost when all ran last, for the order of the next run; `core/testing/longest-first.ts` reads it. */
const lastFile = join(root, 'node_modules', '.cache', 'test-costs.json')

/** Keeps the costs of a whole run; a run of some files says nothing of the others, whose costs stay. */
export function keepCosts(costs) {
  const before = existsSync(lastFile) ? JSON.parse(readFileSync(lastFile, 'utf8')) : {}
  const now = Object.fromEntries(costs.map(({ file, seconds }) => [file, Math.round(seconds * 10) / 10]))
  writeFileSync(lastFile, `${JSON.stringify({ ...before, ...now }, undefined, 1)}\n`)
}
