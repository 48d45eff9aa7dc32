// What the tests of a run cost, by room, and whether each room keeps to its budget.
//
// A test file notes the time that passed and the processor time of its worker. On a busy machine the first grows and the second hardly does: a
// file costs what passed, yet at most half as much again as its processor time, which leaves room for the database and the tools that it starts.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './programs.mjs'

/** Seconds that the tests of a room may cost where its README gives no reason for more. */
const usual = 25
/** No two machines are alike: a room is over its budget when it costs so many times more. */
const tolerance = 1.5
const reason = /^Test time: (\d+) s, because \S.+$/m

export function readCosts(file) {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ file: path, seconds, processor }) => ({
      part: partOf(relative(root, path)),
      seconds,
      processor,
      cost: Math.min(seconds, 1.5 * processor),
    }))
}

/** A room of `areas/`, or a folder of another floor. */
function partOf(path) {
  const [floor, folder] = path.split('/')
  return folder === undefined || folder.includes('.') ? floor : `${floor}/${folder}`
}

function byPart(costs) {
  const parts = new Map()
  for (const { part, seconds, processor, cost } of costs) {
    const sum = parts.get(part) ?? { part, seconds: 0, processor: 0, cost: 0 }
    parts.set(part, { part, seconds: sum.seconds + seconds, processor: sum.processor + processor, cost: sum.cost + cost })
  }
  return [...parts.values()].sort((a, b) => b.cost - a.cost)
}

/** A sentence for each room that costs more than it may. */
export function overBudget(costs) {
  return byPart(costs)
    .filter(({ part }) => part.startsWith('areas/'))
    .flatMap(({ part, cost }) => {
      const declared = reason.exec(readme(part))?.[1]
      const limit = Number(declared ?? usual)
      if (cost <= limit * tolerance) return []
      const advice = `Make them quicker, or write into ${part}/README.md: Test time: ${Math.ceil(cost / 5) * 5} s, because ...`
      return [
        `the tests of ${part} cost ${cost.toFixed(0)} s, and ${limit} s are ${declared === undefined ? 'usual' : 'declared'}. ${advice}`,
      ]
    })
}

function readme(part) {
  const file = join(root, part, 'README.md')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

export function tellCosts(costs, tests) {
  if (costs.length === 0) return
  const row = (...cells) => console.log(cells.map((cell, at) => (at < 3 ? String(cell).padStart(10) : `  ${cell}`)).join(''))
  console.log('\nSeconds by room')
  row('passed', 'processor', 'cost', '')
  for (const { part, seconds, processor, cost } of byPart(costs)) row(seconds.toFixed(1), processor.toFixed(1), cost.toFixed(1), part)
  console.log('\nThe slowest tests')
  const slowest = tests.filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds)
  for (const { name, file, seconds } of slowest.slice(0, 10)) console.log(`${seconds.toFixed(1).padStart(10)}  ${name} (${file})`)
}
