// Which columns there is room for, and how wide the widest may be. A list does not scroll sideways: long cells are cut first, and where that is not enough, columns
// are left out, the least wanted first; the list's own menu says which.

import { useLayoutEffect, useState, type RefObject } from 'react'
import type { Column } from './table-columns.ts'

export type Fit = {
  out: ReadonlySet<string>
  /** Pixels that a column's cells take at most; of a column that needs no limit there is none. */ most: ReadonlyMap<string, number>
}

const everything: Fit = { out: new Set(), most: new Map() }
const phone = '(max-width: 700px)'

/** Keys of the columns in the order in which they give way: by priority, the lowest first, among equals the last first. The first column and the status stay. */
export const givingWay = <Row>(columns: readonly Column<Row>[]): string[] =>
  columns
    .map((column, at) => ({ column, at }))
    .filter(({ column, at }) => at > 0 && column.aside !== true)
    .toSorted((a, b) => (a.column.priority ?? 0) - (b.column.priority ?? 0) || b.at - a.at)
    .map(({ column }) => column.key)

/**
 * What to leave out and what to cut so that `over` pixels are gained. `widths` are those of the whole cells, in the order of the columns. A column gives what it
 * has above `enough` before any is left out, but for those in which no row has anything; what is gained too much the columns get back, the first of them, which has the name, before the others.
 */
export function fitColumns(
  order: readonly string[],
  widths: ReadonlyMap<string, number>,
  over: number,
  enough: (at: number) => number,
  bare: ReadonlySet<string> = new Set(),
): Fit {
  const out = new Set<string>()
  const gives = new Map([...widths].map(([key, width], at) => [key, Math.max(0, width - Math.floor(enough(at)))]))
  const givenUp = (): number => [...widths].reduce((sum, [key, width]) => sum + (out.has(key) ? width : (gives.get(key) ?? 0)), 0)
  const taken = (): number => [...out].reduce((sum, key) => sum + (widths.get(key) ?? 0), 0)
  for (const key of order) if (bare.has(key) && taken() < over) out.add(key)
  for (const key of order) if (givenUp() < over) out.add(key)
  let spare = Math.max(0, givenUp() - over)
  const most = new Map<string, number>()
  for (const [key, width] of widths) {
    const given = gives.get(key) ?? 0
    if (out.has(key) || given === 0) continue
    const back = Math.min(spare, given)
    spare -= back
    most.set(key, width - given + back)
  }
  return { out, most }
}

/** `content` changes when the cells may have other widths: all columns are drawn once more, and measured before anything is seen. */
export function useFittingColumns<Row>(list: RefObject<HTMLElement | null>, columns: readonly Column<Row>[], content: unknown): Fit {
  const [room, setRoom] = useState(0)
  const asked = `${columns.map(({ key }) => key).join()} ${room}`
  const [measured, setMeasured] = useState<{ asked: string; content: unknown; fit: Fit }>()
  const known = measured !== undefined && measured.asked === asked && measured.content === content
  useLayoutEffect(() => {
    const at = list.current
    if (at === null || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => setRoom(at.clientWidth))
    observer.observe(at)
    return () => observer.disconnect()
  }, [list])
  useLayoutEffect(() => {
    const table = list.current?.querySelector('table')
    const frame = table?.parentElement
    if (known || table === null || table === undefined || frame === null || frame === undefined) return
    const over = table.scrollWidth - frame.clientWidth
    if (over <= 0 || matchMedia(phone).matches) return setMeasured({ asked, content, fit: everything })
    const heads = [...table.querySelectorAll<HTMLTableCellElement>('th[data-key]')]
    const bare = new Set(heads.filter((head) => isBare(table, head.cellIndex)).map((head) => head.dataset['key'] ?? ''))
    const widths = new Map(heads.map((head) => [head.dataset['key'] ?? '', head.offsetWidth]))
    // Widths are rounded to whole pixels: each column may be half a pixel off.
    setMeasured({ asked, content, fit: fitColumns(givingWay(columns), widths, over + heads.length, enoughOf(frame.clientWidth), bare) })
  }, [known, list, columns, asked, content])
  return known ? measured.fit : everything
}

/** Whether no row has anything in this column. */
const isBare = (table: HTMLTableElement, at: number): boolean =>
  [...(table.tBodies[0]?.rows ?? [])].every((row) => (row.cells[at]?.textContent ?? '') === '')

/** Pixels in which a cell says what it is about: five such stand beside each other. The name has more, before other columns have their place. */
const enoughOf =
  (frame: number) =>
  (at: number): number =>
    Math.max(160, Math.min(380, frame / (at === 0 ? 3.4 : 4.5)))
