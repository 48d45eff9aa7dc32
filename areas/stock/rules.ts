// What both sides know of cards in stock. Pure.

export const stockStates = ['blank', 'issued', 'returned', 'destroyed'] as const
export type StockState = (typeof stockStates)[number]
export const stateLabels: Readonly<Record<StockState, { label: string; kind: string }>> = {
  blank: { label: 'Blank', kind: 'active' },
  issued: { label: 'With a person', kind: 'done' },
  returned: { label: 'Returned', kind: 'pending' },
  destroyed: { label: 'Destroyed', kind: 'disabled' },
}
/** What lies in a place, and is counted there. */
export const lyingStates: readonly StockState[] = ['blank', 'returned']
/** What a clerk can make of cards. */
export const movedStates = ['blank', 'returned', 'destroyed'] as const

export const surplusKinds = ['elsewhere', 'issued', 'destroyed', 'unknown'] as const
export const surplusLabels: Readonly<Record<(typeof surplusKinds)[number], string>> = {
  elsewhere: 'Lies in another place',
  issued: 'Is with a person',
  destroyed: 'Counts as destroyed',
  unknown: 'Not in stock',
}

export const mostAtOnce = 10_000
/** So many of a count are named; of more the number is told. */
export const mostNamed = 200

/** No spaces, and digits at the end, so many that they are a safe number. */
const serial = /^([\x21-\x7e]*?)(\d{1,15})$/

export type SerialParts = { prefix: string; number: number; digits: number }

export function partsOf(text: string): SerialParts | undefined {
  const [, prefix, digits] = serial.exec(text) ?? []
  return prefix === undefined || digits === undefined ? undefined : { prefix, number: Number(digits), digits: digits.length }
}

export const serialOf = ({ prefix, number, digits }: SerialParts): string => prefix + String(number).padStart(digits, '0')

/** The numbers from the first to the last; undefined where they are not of one kind, are backwards, or are too many. */
export function rangeOf(first: string, last: string): (SerialParts & { serial: string })[] | undefined {
  const [from, to] = [partsOf(first), partsOf(last)]
  if (from === undefined || to === undefined || from.prefix !== to.prefix || from.digits !== to.digits) return undefined
  const count = to.number - from.number + 1
  if (count < 1 || count > mostAtOnce) return undefined
  return Array.from({ length: count }, (_, more) => {
    const parts = { ...from, number: from.number + more }
    return { ...parts, serial: serialOf(parts) }
  })
}
