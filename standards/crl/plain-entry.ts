// The entries that nearly all lists consist of, checked where they lie: a serial number, a UTCTime, and a reason or nothing. To take each apart as a
// tree costs a hundred times as much, and a large list has a million.
import { REASON_EXTENSION } from './entries.ts'
import { reasonFromCode } from './reasons.ts'

const [SEQUENCE, INTEGER, UTC_TIME] = [0x30, 0x02, 0x17]
const UTC_TIME_BYTES = 13
const [ZERO, NINE, Z] = [0x30, 0x39, 0x5a]
/** All of an entry's lengths are one byte. */
const SHORT_LENGTH = 0x80

/**
 * Where the entry at `at` ends, if it is a plain one: RFC 5280 5.1.2.6 with a positive serial number of at most 20 bytes, a UTCTime on the 1st to 28th of a
 * month, and no extension but a reason (5.3.1). Undefined for all else, right or wrong, which has to be read field by field.
 */
export function endOfPlainEntry(der: Uint8Array, at: number, limit: number, mayHaveExtensions: boolean): number | undefined {
  const length = der[at + 1] ?? SHORT_LENGTH
  const end = at + 2 + length
  if (der[at] !== SEQUENCE || length >= SHORT_LENGTH || end > limit) return undefined
  const time = endOfSerial(der, at + 2)
  if (time === undefined || !isPlainTime(der, time)) return undefined
  const rest = time + 2 + UTC_TIME_BYTES
  if (rest === end) return end
  return mayHaveExtensions && rest + REASON_TAIL === end && isReason(der, rest) ? end : undefined
}

function endOfSerial(der: Uint8Array, at: number): number | undefined {
  const length = der[at + 1] ?? 0
  const [first, second] = [der[at + 2] ?? 0, der[at + 3] ?? 0]
  if (der[at] !== INTEGER || length === 0) return undefined
  const isMinimal = first === 0 ? length > 1 && second >= 0x80 && length <= 21 : first < 0x80 && length <= 20
  return isMinimal ? at + 2 + length : undefined
}

function isPlainTime(der: Uint8Array, at: number): boolean {
  if (der[at] !== UTC_TIME || der[at + 1] !== UTC_TIME_BYTES || der[at + 14] !== Z) return false
  for (let digit = at + 2; digit < at + 14; digit += 1) if (!((der[digit] ?? 0) >= ZERO && (der[digit] ?? 0) <= NINE)) return false
  const [month, day] = [twoDigits(der, at + 4), twoDigits(der, at + 6)]
  return month >= 1 && month <= 12 && day >= 1 && day <= 28 && twoDigits(der, at + 8) <= 23 && twoDigits(der, at + 10) <= 59 && twoDigits(der, at + 12) <= 59
}

const twoDigits = (der: Uint8Array, at: number): number => ((der[at] ?? 0) - ZERO) * 10 + (der[at + 1] ?? 0) - ZERO

/** The list of extensions with one in it, and the number of the reason behind it. */
const REASON_HEAD = [SEQUENCE, REASON_EXTENSION.length + 1, ...REASON_EXTENSION]
const REASON_TAIL = REASON_HEAD.length + 1

function isReason(der: Uint8Array, at: number): boolean {
  for (let index = 0; index < REASON_HEAD.length; index += 1) if (der[at + index] !== REASON_HEAD[index]) return false
  return reasonFromCode(der[at + REASON_HEAD.length] ?? -1) !== undefined
}
