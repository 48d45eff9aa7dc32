// Which settings a text finds: each of its words stands in the page's name, in that of its subject, or in what people call it besides.

import type { Screen } from '#core/contract/contract.ts'
import type { MenuItem } from './navigation.ts'

export function foundSettings(
  items: readonly MenuItem[],
  text: string,
  screenOf: (key: string) => Pick<Screen, 'title' | 'also' | 'jumps'> | undefined,
  translate: (text: string) => string,
): MenuItem[] {
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (asked.length === 0) return [...items]
  const names = (item: MenuItem, { label, of }: MenuItem['tabs'][number]): string => {
    const { title = '', also = '', jumps = [] } = screenOf(of) ?? {}
    return [item.label, label, title, also, ...jumps.flatMap((jump) => [jump.title, jump.also ?? ''])]
      .map((name) => (name === '' ? '' : translate(name)))
      .join(' ')
      .toLowerCase()
  }
  return items.flatMap((item) => {
    const tabs = item.tabs.filter((tab) => asked.every((word) => names(item, tab).includes(word)))
    return tabs.length === 0 ? [] : [{ ...item, tabs }]
  })
}
