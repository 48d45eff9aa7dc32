import type { Preferences } from '#core/console/preferences.ts'
import type { HomePanel } from '#core/console/slots.ts'

type Card = Pick<HomePanel, 'key' | 'order'>

/** The cards in the person's order; one that came since then stands where its room puts it, before the first that would follow it there. */
export function arranged<C extends Card>(cards: readonly C[], { order }: Pick<Preferences['home'], 'order'>): C[] {
  const usual = cards.toSorted((a, b) => (a.order ?? 100) - (b.order ?? 100))
  const chosen = order.flatMap((key) => usual.filter((card) => card.key === key))
  return usual.reduce((all, card) => {
    if (all.includes(card)) return all
    const next = usual.slice(usual.indexOf(card)).find((other) => all.includes(other))
    return next === undefined ? [...all, card] : all.toSpliced(all.indexOf(next), 0, card)
  }, chosen)
}

/** The keys with one of them moved by a place. */
export function moved(keys: readonly string[], key: string, by: -1 | 1): string[] {
  const at = keys.indexOf(key)
  const other = keys[at + by]
  return at < 0 || other === undefined ? [...keys] : keys.with(at, other).with(at + by, key)
}
