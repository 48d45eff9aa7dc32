// Which columns there is room for. A list does not scroll sideways: what does not fit is left out, the least wanted first, and the list's own menu says which.

import { useLayoutEffect, useState, type RefObject } from 'react'
import type { Column } from './table-columns.ts'

const everything: ReadonlySet<string> = new Set()
const phone = '(max-width: 700px)'

/** Keys of the columns in the order in which they give way: by priority, the lowest first, among equals the last first. The first column and the status stay. */
export const givingWay = <Row>(columns: readonly Column<Row>[]): string[] =>
  columns
    .map((column, at) => ({ column, at }))
    .filter(({ column, at }) => at > 0 && column.aside !== true)
    .toSorted((a, b) => (a.column.priority ?? 0) - (b.column.priority ?? 0) || b.at - a.at)
    .map(({ column }) => column.key)

/** Those to leave out so that `over` pixels are gained. */
export function leftOut(order: readonly string[], widths: ReadonlyMap<string, number>, over: number): ReadonlySet<string> {
  const out = new Set<string>()
  let gained = 0
  for (const key of order) {
    if (gained >= over) break
    out.add(key)
    gained += widths.get(key) ?? 0
  }
  return out
}

/** `content` changes when the cells may have other widths: all columns are drawn once more, and measured before anything is seen. */
export function useFittingColumns<Row>(
  list: RefObject<HTMLElement | null>,
  columns: readonly Column<Row>[],
  content: unknown,
): ReadonlySet<string> {
  const [room, setRoom] = useState(0)
  const asked = `${columns.map(({ key }) => key).join()} ${room}`
  const [measured, setMeasured] = useState<{ asked: string; content: unknown; out: ReadonlySet<string> }>()
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
    if (over <= 0 || matchMedia(phone).matches) return setMeasured({ asked, content, out: everything })
    const heads = [...table.querySelectorAll<HTMLElement>('th[data-key]')]
    const widths = new Map(heads.map((head) => [head.dataset['key'] ?? '', head.offsetWidth]))
    setMeasured({ asked, content, out: leftOut(givingWay(columns), widths, over) })
  }, [known, list, columns, asked, content])
  return known ? measured.out : everything
}
