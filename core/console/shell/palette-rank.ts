// How the palette orders what fits: a whole word before the beginning of a word before any part, on the label only; then the shorter one.

export type Rank = 0 | 1 | 2 | 3

const words = (label: string) => label.toLowerCase().split(/[^\p{L}\p{N}]+/u)

/** 0 for a whole word, 1 for the beginning of one, 2 for a part; 3 where it does not fit. */
function rank(label: string, text: string): Rank {
  const asked = text.trim().toLowerCase()
  const whole = label.toLowerCase()
  if (asked === '') return 2
  if (whole === asked || words(label).includes(asked)) return 0
  if (
    whole.startsWith(asked) ||
    words(label).some((word) => word.startsWith(asked)) ||
    new RegExp(`(^|[^\\p{L}\\p{N}])${asked.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'u').test(whole)
  )
    return 1
  return whole.includes(asked) ? 2 : 3
}

export const ranked = <T extends { label: string }>(items: readonly T[], text: string): T[] =>
  items
    .map((item) => ({ item, place: rank(item.label, text) }))
    .filter(({ place }) => place < 3)
    .toSorted((a, b) => a.place - b.place || a.item.label.length - b.item.label.length || a.item.label.localeCompare(b.item.label))
    .map(({ item }) => item)

export type Recognised = { kind: 'pem' | 'serial' | 'email' | 'address' | 'ticket'; text: string }

const shapes: [Recognised['kind'], RegExp][] = [
  ['pem', /-----BEGIN [A-Z0-9 ]+-----/],
  ['email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  // Pairs all through, or no separator at all: an IPv6 address has groups of four.
  ['serial', /^(?:(?:0x)?(?:[0-9a-f]{2}){6,40}|[0-9a-f]{2}(?:[: ][0-9a-f]{2}){5,39})$/i],
  ['address', /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*:.*:)[0-9a-f:]{2,39})$/i],
  ['ticket', /^#\d+$/],
]

/** What a pasted or typed text is, where its form tells. */
export function recognise(text: string): Recognised | undefined {
  const asked = text.trim()
  const [kind] = shapes.find(([, shape]) => shape.test(asked)) ?? []
  if (kind === undefined) return undefined
  return { kind, text: kind === 'serial' ? asked.replace(/^0x/i, '').replaceAll(/[: ]/g, '').toLowerCase() : asked }
}
