// How the palette orders what fits: a whole word before the beginning of a word before any part, on the label; then what people call it besides; then the
// shorter one.

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

type Ranked = { label: string; also?: string }

/** The other names of a thing count a step less than its label, from the beginning of a word on. */
const rankOf = ({ label, also = '' }: Ranked, text: string): number => {
  const others = also.split(',').map((name) => rank(name.trim(), text))
  return Math.min(rank(label, text), ...others.filter((place) => place < 2).map((place) => place + 1.1))
}

export const ranked = <T extends Ranked>(items: readonly T[], text: string): T[] =>
  items
    .map((item) => ({ item, place: rankOf(item, text) }))
    .filter(({ place }) => place < 3)
    .toSorted((a, b) => a.place - b.place || a.item.label.length - b.item.label.length || a.item.label.localeCompare(b.item.label))
    .map(({ item }) => item)

export type Recognised = { kind: 'pem' | 'serial' | 'email' | 'address' | 'ticket'; text: string }

const shapes: [Recognised['kind'], RegExp][] = [
  ['pem', /-----BEGIN [A-Z0-9 ]+-----/],
  ['email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  // Pairs all through, or no separator at all: an IPv6 address has groups of four.
  ['serial', /^(?:(?:0x)?(?:[0-9a-f]{2}){6,40}|[0-9a-f]{2}(?:[: -][0-9a-f]{2}){5,39})$/i],
  // Groups of four as the console shows them, the last of which may be shorter; a list shows the first two. Words have no digits.
  ['serial', /^(?=.*\d)[0-9a-f]{4}(?: [0-9a-f]{4}){0,19} [0-9a-f]{1,4}$/i],
  ['address', /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?|(?=.*:.*:)[0-9a-f:]{2,39}(?:\/\d{1,3})?)$/i],
  ['ticket', /^#\d+$/],
]

/** What the console shows of a number may be copied with the sign that it goes on. */
const goesOn = /\s*(?:…|\.\.\.)$/

/** What a pasted or typed text is, where its form tells. */
export function recognise(text: string): Recognised | undefined {
  const asked = text.trim()
  const number = asked.replace(goesOn, '')
  const [kind] = shapes.find(([name, shape]) => shape.test(name === 'serial' ? number : asked)) ?? []
  if (kind === undefined) return undefined
  return { kind, text: kind === 'serial' ? number.replace(/^0x/i, '').replaceAll(/[: -]/g, '').toLowerCase() : asked }
}

/** What is asked for where records are found: a number without what stands between its digits. */
export const soughtText = (text: string): string => {
  const recognised = recognise(text)
  return recognised?.kind === 'serial' ? recognised.text : text.trim()
}

/** Whether a record is what was typed, and not only like it: its name, its number or its beginning, its address. */
export function isExact({ label, detail }: { label: string; detail: string }, text: string): boolean {
  const asked = soughtText(text).toLowerCase()
  const details = detail.toLowerCase().split(' · ')
  if (label.toLowerCase() === asked || details.includes(asked)) return true
  return recognise(text)?.kind === 'serial' && details.some((one) => one.startsWith(asked))
}
