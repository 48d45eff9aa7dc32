// Where each row of a file of organisations stands: below one that is there, or below another row of the same file. Pure.

import { say } from '#standards/say/say.ts'
import { importWords } from '../import-words.ts'
import { mostLevels } from '../rules.ts'

export type PlannedRow = {
  number: number
  name: string
  above: readonly string[]
  /** The names above one that is found by its id: it stays where it is. */
  stands?: readonly string[] | undefined
}
type Placed = { names: readonly string[] } | { says: string }

/** Names in capitals or not are one. No name has a line break in it. */
export const keyOf = (names: readonly string[]): string => names.map((name) => name.toLowerCase()).join('\n')

const lastOf = (names: readonly string[]): string => (names.at(-1) ?? '').toLowerCase()

/** Answers for each row by its number the names from the root down to itself, or what is wrong with what it says of the one above. `tree`: the same names of all that are there. */
export function placesOf(rows: readonly PlannedRow[], tree: readonly (readonly string[])[]): Map<number, Placed> {
  const there = new Set(tree.map(keyOf))
  const treeNamed = Map.groupBy(tree, lastOf)
  const rowsNamed = Map.groupBy(rows, ({ name }) => name.toLowerCase())
  const placed = new Map<number, Placed>()

  function place(row: PlannedRow, trail: readonly PlannedRow[]): Placed {
    const known = placed.get(row.number)
    if (known !== undefined) return known
    const found = row.stands === undefined ? below(row, [...trail, row]) : { names: [...row.stands, row.name] }
    placed.set(row.number, found)
    return found
  }

  function below({ name, above }: PlannedRow, trail: readonly PlannedRow[]): Placed {
    if (above.length >= mostLevels || trail.length > 2 * mostLevels) return { says: say`The tree has at most ${mostLevels} levels` }
    if (above.length === 0 || there.has(keyOf(above))) return { names: [...above, name] }
    const last = lastOf(above)
    const found = new Map<string, readonly string[]>()
    let fault: { says: string } | undefined
    for (const other of rowsNamed.get(last) ?? []) {
      const at = trail.indexOf(other)
      if (at !== -1) {
        const loop = trail.slice(at).map((one) => one.name)
        fault = { says: loop.length === 1 ? importWords.aboveItself.says : say`These stand above one another: ${loop.join(', ')}` }
        continue
      }
      const one = place(other, trail)
      if ('says' in one) fault ??= one
      else found.set(keyOf(one.names), one.names)
    }
    const exact = found.get(keyOf(above))
    if (exact !== undefined) return { names: [...exact, name] }
    // A name alone means whichever is the only one called so.
    if (above.length === 1) for (const names of treeNamed.get(last) ?? []) found.set(keyOf(names), names)
    const [only] = above.length === 1 ? [...found.values()] : []
    if (only !== undefined && found.size === 1)
      return only.length >= mostLevels ? { says: say`The tree has at most ${mostLevels} levels` } : { names: [...only, name] }
    if (only !== undefined)
      return { says: say`Several are called ${above.join('')}. Write the names above it, too, as in ${only.join(' › ')}` }
    return fault ?? { says: say`There is no organisation ${above.join(' › ')}, here or in this file` }
  }

  for (const row of rows) place(row, [])
  return placed
}
