// Which tabs of a row there is room for. The others stand behind "More"; the open one is always in the row.

import { useLayoutEffect, useState, type RefObject } from 'react'

type Measures = { row: number; more: number; tabs: ReadonlyMap<string, number> }

/** The keys that stay in the row, in their order. */
export function fittingTabs(keys: readonly string[], open: string | undefined, { row, more, tabs }: Measures): readonly string[] {
  const width = (key: string): number => tabs.get(key) ?? 0
  if (keys.reduce((sum, key) => sum + width(key), 0) <= row) return keys
  let left = row - more - (open === undefined ? 0 : width(open))
  const others = keys.filter((key) => key !== open)
  const full = others.findIndex((key) => (left -= width(key)) < 0)
  const out = new Set(full === -1 ? [] : others.slice(full))
  return keys.filter((key) => !out.has(key))
}

/** All tabs and "More" are drawn once, and measured before anything is seen. `words` are what their widths come from. */
export function useFittingTabs(
  row: RefObject<HTMLElement | null>,
  keys: readonly string[],
  open: string | undefined,
  words: string,
): { measuring: boolean; shown: readonly string[] } {
  const [room, setRoom] = useState(0)
  const [measured, setMeasured] = useState<Measures & { words: string }>()
  const known = measured?.words === words
  useLayoutEffect(() => {
    const at = row.current
    if (at === null) return
    const observer = new ResizeObserver(() => setRoom(at.clientWidth))
    observer.observe(at)
    return () => observer.disconnect()
  }, [row])
  useLayoutEffect(() => {
    const at = row.current
    if (known || at === null) return
    const tabs = [...at.querySelectorAll<HTMLElement>('[data-tab]')]
    const widths = new Map(tabs.map((tab) => [tab.dataset['tab'] ?? '', tab.offsetWidth]))
    const more = at.querySelector<HTMLElement>('[data-more]')?.offsetWidth ?? 0
    setRoom(at.clientWidth)
    setMeasured({ words, row: 0, more, tabs: widths })
  }, [known, row, words])
  return { measuring: !known, shown: known ? fittingTabs(keys, open, { ...measured, row: room }) : keys }
}
