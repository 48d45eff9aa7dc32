// Single keys on a list: / looks for something, j and k go from row to row, x ticks one, ? shows them all. They can be switched off, because who speaks to the
// machine, or types by accident, must not set them off (WCAG 2.1.4).

import { useEffect, type RefObject } from 'react'
import { preferencesStore } from '../preferences.ts'

/** In the order in which they are shown. */
export const listKeys = ['/', 'j', 'k', 'x', 'Enter', '?'] as const

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox]):not([type=radio])'))

const rowsOf = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('tbody tr')]

/** The row's link, or what else in it can take the focus. */
const placeIn = (row: HTMLElement | undefined): HTMLElement | null =>
  row?.querySelector<HTMLElement>('td[data-first] a') ?? row?.querySelector<HTMLElement>('a, button, input') ?? null

function step(list: HTMLElement, by: 1 | -1): void {
  const rows = rowsOf(list)
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))
  const place = placeIn(rows[next])
  place?.focus()
  place?.scrollIntoView?.({ block: 'nearest' })
}

const actions: Record<string, (list: HTMLElement) => void> = {
  '/': (list) => list.querySelector<HTMLElement>('input[type=search]')?.focus(),
  j: (list) => step(list, 1),
  k: (list) => step(list, -1),
  x: (list) =>
    rowsOf(list)
      .find((row) => row.contains(document.activeElement))
      ?.querySelector<HTMLInputElement>('input[type=checkbox]')
      ?.click(),
}

/** Of several lists on a page the first one hears them. */
export function useListKeys(list: RefObject<HTMLElement | null>, showKeys: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const at = list.current
      if (at === null || !preferencesStore.getState().shortcuts || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return
      if (isTyping(event.target) || document.querySelector('[role=dialog], [role=menu]') !== null) return
      if (document.querySelector('[data-list]') !== at) return
      const action = event.key === '?' ? showKeys : actions[event.key]
      if (action === undefined) return
      event.preventDefault()
      action(at)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [list, showKeys])
}
