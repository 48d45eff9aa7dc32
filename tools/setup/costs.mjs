// What the tests of a run cost, by room.
//
// A test file notes the time that passed and the processor time of its worker. On a busy machine the first grows and the second hardly does: a
// file costs what passed, yet at most twice its processor time, which leaves as much again for the database and for the tools that it starts.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './programs.mjs'

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
      cost: Math.min(seconds, 2 * processor),
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
