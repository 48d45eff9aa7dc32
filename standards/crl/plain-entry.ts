// The entries that nearly all lists consist of, checked where they lie: a serial number, a time, and at most a reason and the date since when the key is
// not to be trusted. To take each apart as a tree costs a hundred times as much, and a large list has a million.
import { INVALIDITY_EXTENSION, REASON_EXTENSION } from './entries.ts'
import { reasonFromCode } from './reasons.ts'

const [SEQUENCE, INTEGER, UTC_TIME, GENERALIZED_TIME] = [0x30, 0x02, 0x17, 0x18]
const [ZERO, NINE, Z] = [0x30, 0x39, 0x5a]
/** Below it a length is one byte. */
const LONG_LENGTH = 0x80
/** Of the year, by the tag of the time (RFC 5280 4.1.2.5). */
const yearDigits = (tag: number | undefined): number | undefined => (tag === UTC_TIME ? 2 : tag === GENERALIZED_TIME ? 4 : undefined)
/** The 29th of February is left to who can count years. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * Where the entry at `at` ends, if it is a plain one: RFC 5280 5.1.2.6 with a positive serial number of at most 20 bytes, a time, and no extensions but a
 * reason (5.3.1) and an invalidity date (5.3.2), in this order. Undefined for all else, right or wrong, which has to be read field by field.
 */
export function endOfPlainEntry(der: Uint8Array, at: number, limit: number, mayHaveExtensions: boolean): number | undefined {
  const length = der[at + 1] ?? LONG_LENGTH
  const end = at + 2 + length
  if (der[at] !== SEQUENCE || length >= LONG_LENGTH || end > limit) return undefined
  const rest = endOfTime(der, endOfSerial(der, at + 2))
  if (rest === undefined || rest === end) return rest
  return mayHaveExtensions && endOfExtensions(der, rest, end) === end ? end : undefined
}

type Place = number | undefined

function endOfSerial(der: Uint8Array, at: number): Place {
  const length = der[at + 1] ?? 0
  const [first, second] = [der[at + 2] ?? 0, der[at + 3] ?? 0]
  if (der[at] !== INTEGER || length === 0) return undefined
  const isMinimal = first === 0 ? length > 1 && second >= 0x80 && length <= 21 : first < 0x80 && length <= 20
  return isMinimal ? at + 2 + length : undefined
}

function endOfTime(der: Uint8Array, at: Place): Place {
  const digits = at === undefined ? undefined : yearDigits(der[at])
  if (at === undefined || digits === undefined) return undefined
  const [month, end] = [at + 2 + digits, at + 13 + digits]
  if (der[at + 1] !== end - at - 2 || der[end - 1] !== Z) return undefined
  for (let digit = at + 2; digit < end - 1; digit += 1) if (!((der[digit] ?? 0) >= ZERO && (der[digit] ?? 0) <= NINE)) return undefined
  const [day, lastDay] = [twoDigits(der, month + 2), DAYS[twoDigits(der, month) - 1] ?? 0]
  return day >= 1 && day <= lastDay && twoDigits(der, month + 4) <= 23 && twoDigits(der, month + 6) <= 59 && twoDigits(der, month + 8) <= 59
    ? end
    : undefined
}

const twoDigits = (der: Uint8Array, at: number): number => ((der[at] ?? 0) - ZERO) * 10 + (der[at + 1] ?? 0) - ZERO

function endOfExtensions(der: Uint8Array, list: number, end: number): Place {
  if (der[list] !== SEQUENCE || der[list + 1] !== end - list - 2) return undefined
  const first = list + 2
  const behind = standsAt(der, first, REASON_EXTENSION) ? endOfReason(der, first + REASON_EXTENSION.length) : first
  if (behind === undefined || behind === end) return behind === first ? undefined : behind
  return standsAt(der, behind, INVALIDITY_EXTENSION) && der[behind + INVALIDITY_EXTENSION.length] === GENERALIZED_TIME
    ? endOfTime(der, behind + INVALIDITY_EXTENSION.length)
    : undefined
}

const endOfReason = (der: Uint8Array, at: number): Place => (reasonFromCode(der[at] ?? -1) === undefined ? undefined : at + 1)

/** Compared where it lies: a piece of its own for each comparison would be a million pieces. */
export function standsAt(der: Uint8Array, at: number, wanted: ArrayLike<number>): boolean {
  for (let index = 0; index < wanted.length; index += 1) if (der[at + index] !== wanted[index]) return false
  return true
}
