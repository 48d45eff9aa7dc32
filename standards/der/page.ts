// DER written from its end to its beginning. By the time that a header is due the length of its content is known, so that nothing is measured
// beforehand and no piece is copied twice: for what is written thousands of times a second. writer.ts is the plain way to write everything else.
import { TAG } from './reader.ts'
import type { Oid } from './values.ts'
import { generalizedTime, oid, time } from './writer.ts'

export const SEQUENCE = TAG.sequence | 0x20
export const SET = TAG.set | 0x20

/** A block of memory that is filled from its end: what is being written are the bytes from `at` to `end`, behind them lie pieces that were torn off. */
export interface Page {
  bytes: Buffer
  /** that of `bytes`, from its beginning: to ask a Buffer for it is a call out of the engine's own code */
  memory: ArrayBufferLike
  at: number
  end: number
}

const blockBytes = 64 * 1024

// Not of the pool, and zeroed: whoever sees the memory behind a torn-off piece finds its neighbours there and nothing else.
export function newPage(size = blockBytes): Page {
  const bytes = Buffer.alloc(size)
  return { bytes, memory: bytes.buffer, at: size, end: size }
}

/** Forgets what is being written. */
export function clear(page: Page): void {
  page.at = page.end
}

/** How much is written: the place to give to putHeader as `since`. */
export const written = (page: Page): number => page.end - page.at

/** What is written, as it lies there; the next writing begins below it. Small pieces share their block, as Buffers do: a block of its own costs four times as much. */
export function tearOff(page: Page): Uint8Array {
  const { bytes, memory, at, end } = page
  if (end - at > blockBytes / 8) {
    page.at = end
    return new Uint8Array(bytes.subarray(at, end))
  }
  page.end = at
  return new Uint8Array(memory, at, end - at)
}

/** What is written, as it lies there until the page is cleared: for who copies it before that. */
export const look = ({ memory, at, end }: Page): Uint8Array => new Uint8Array(memory, at, end - at)

/** Shorter ones are quicker to copy byte by byte than to hand over. */
const quickerByBytes = 24

export function put(page: Page, piece: Uint8Array): void {
  const { length } = piece
  reserve(page, length)
  const { bytes, at } = page
  if (length > quickerByBytes) bytes.set(piece, at)
  else for (let index = 0; index < length; index += 1) bytes[at + index] = piece[index] ?? 0
}

/** The bytes of a longer piece from one place to another. */
export function putRange(page: Page, piece: Uint8Array, from: number, to: number): void {
  reserve(page, to - from)
  const { bytes, at } = page
  for (let index = from; index < to; index += 1) bytes[at + index - from] = piece[index] ?? 0
}

export function putByte(page: Page, byte: number): void {
  reserve(page, 1)
  page.bytes[page.at] = byte
}

/** The first bytes of a text of which each character is a byte ('binary', 'latin1'). */
export function putBinary(page: Page, text: string, length: number): void {
  reserve(page, length)
  const { bytes, at } = page
  for (let index = 0; index < length; index += 1) bytes[at + index] = text.charCodeAt(index)
}

/** The header of everything that was written since `written` said `since`. */
export function putHeader(page: Page, identifier: number, since: number): void {
  let rest = written(page) - since
  reserve(page, 6)
  const { bytes } = page
  let at = page.at + 6
  if (rest < 0x80) bytes[(at -= 1)] = rest
  else {
    let count = 0
    for (; rest > 0; rest >>>= 8, count += 1) bytes[(at -= 1)] = rest & 0xff
    bytes[(at -= 1)] = 0x80 | count
  }
  bytes[(at -= 1)] = identifier
  page.at = at
}

export function putOid(page: Page, dotted: Oid): void {
  put(page, oid(dotted))
}

/** The text under this identifier. False, and nothing written, where a character is not ASCII. */
export function putAscii(page: Page, identifier: number, text: string): boolean {
  const since = written(page)
  reserve(page, text.length)
  const { bytes, at } = page
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= 0x80) {
      page.at += text.length
      return false
    }
    bytes[at + index] = code
  }
  putHeader(page, identifier, since)
  return true
}

/** UTCTime through 2049, GeneralizedTime from 2050 (RFC 5280 4.1.2.5). Throws RangeError outside the years 0 to 9999. */
export function putTime(page: Page, date: Date): void {
  const seconds = Math.floor(date.getTime() / 1000)
  if (!(seconds >= year1950 && seconds < year2050)) return put(page, time(date))
  putDigits(page, TAG.utcTime, seconds, dayDigits(date, seconds), 2)
}

/** GeneralizedTime of whole seconds. Throws RangeError outside the years 0 to 9999. */
export function putGeneralizedTime(page: Page, date: Date): void {
  const seconds = Math.floor(date.getTime() / 1000)
  if (!(seconds >= year1950 && seconds < year2050)) return put(page, generalizedTime(date))
  putDigits(page, TAG.generalizedTime, seconds, dayDigits(date, seconds), 0)
}
const year1950 = Date.UTC(1950) / 1000
const year2050 = Date.UTC(2050) / 1000

/** The day's digits from `from` on, then hours, minutes, seconds and Z. */
function putDigits(page: Page, identifier: number, seconds: number, day: string, from: number): void {
  const second = seconds - Math.floor(seconds / 86_400) * 86_400
  const minute = Math.floor(second / 60)
  const hour = Math.floor(minute / 60)
  const length = day.length - from + 7
  reserve(page, length + 2)
  const { bytes, at } = page
  bytes[at] = identifier
  bytes[at + 1] = length
  for (let index = from; index < day.length; index += 1) bytes[at + 2 + index - from] = day.charCodeAt(index)
  const ofTime = at + length - 5
  putTwoDigits(bytes, ofTime, hour)
  putTwoDigits(bytes, ofTime + 2, minute - hour * 60)
  putTwoDigits(bytes, ofTime + 4, second - minute * 60)
  bytes[ofTime + 6] = 0x5a
}

/** YYYYMMDD. What is issued today begins and ends on few days, so that the calendar is seldom asked. */
function dayDigits(date: Date, seconds: number): string {
  const day = Math.floor(seconds / 86_400)
  const slot = day & 15
  if (daysKnown[slot] !== day) {
    digitsKnown[slot] = date.toISOString().slice(0, 10).replaceAll('-', '')
    daysKnown[slot] = day
  }
  return digitsKnown[slot] ?? ''
}
const daysKnown: number[] = Array.from({ length: 16 }, () => Number.NaN)
const digitsKnown: string[] = Array.from({ length: 16 }, () => '')

function putTwoDigits(bytes: Buffer, at: number, number: number): void {
  const tens = (number * 205) >> 11
  bytes[at] = 0x30 + tens
  bytes[at + 1] = 0x30 + number - 10 * tens
}

function reserve(page: Page, length: number): void {
  if (length > page.at) {
    const used = written(page)
    const bytes = Buffer.alloc(Math.max(blockBytes, 2 * (used + length)))
    page.bytes.copy(bytes, bytes.length - used, page.at, page.end)
    page.bytes = bytes
    page.memory = bytes.buffer
    page.end = bytes.length
    page.at = bytes.length - used
  }
  page.at -= length
}
