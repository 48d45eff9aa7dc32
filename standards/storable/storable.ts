// What a row can hold of what somebody else has written: PostgreSQL stores no NUL, a lone surrogate is no character, and a moment before the year 1 or behind
// the year 9999 is written in a way that nobody reads back. One rule for all that comes from outside.

export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** The text as a row can hold it, of `most` characters at most: what is cut may lose half of its last one. */
export const storable = (text: string, most = text.length): string => text.slice(0, most).toWellFormed().replaceAll('\u0000', '\ufffd')

const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** From the year 1 to the year 9999. */
export const isStorableMoment = (moment: Date): boolean => moment.getTime() >= first && moment.getTime() <= last

/** Reads a moment that somebody else has written. Undefined where it is none, or none that a row can hold. */
export function readMoment(text: unknown): Date | undefined {
  const moment = typeof text === 'string' ? new Date(text) : undefined
  return moment !== undefined && isStorableMoment(moment) ? moment : undefined
}

/** A value of JSON with all its texts and names as a row can hold them. */
export function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return isStorable(value) ? value : storable(value)
  if (Array.isArray(value)) return value.map(storableValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), storableValue(inner)]))
}
