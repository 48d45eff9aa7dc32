// DER written from its end to its beginning. By the time that a header is due the length of its content is known, so that nothing is measured
// beforehand and no piece is copied twice: for what is written thousands of times a second. writer.ts is the plain way to write everything else.
import { TAG } from './reader.ts'
import { oid, time } from './writer.ts'
import type { Oid } from './values.ts'

export const SEQUENCE = TAG.sequence | 0x20
export const SET = TAG.set | 0x20

/** Holds what is written so far at its end: the bytes from `at` on. */
export interface Page {
  bytes: Buffer
  at: number
}

export const newPage = (size = 16 * 1024): Page => ({ bytes: Buffer.allocUnsafeSlow(size), at: size })

/** Empties the page, which may then be written again. */
export function clear(page: Page): void {
  page.at = page.bytes.length
}

/** How much is written: the place to give to putHeader as `since`. */
export const written = (page: Page): number => page.bytes.length - page.at

/** A copy of what is written. Small ones share their memory's block, as Buffers do: a block of its own costs four times as much. */
export function copyOf(page: Page): Uint8Array {
  const length = written(page)
  if (length > block.byteLength - used) {
    if (length > blockBytes / 8) return new Uint8Array(page.bytes.subarray(page.at))
    block = new ArrayBuffer(blockBytes)
    used = 0
  }
  const copy = new Uint8Array(block, used, length)
  copy.set(page.bytes.subarray(page.at))
  used += length
  return copy
}
const blockBytes = 64 * 1024
let block = new ArrayBuffer(blockBytes)
let used = 0

export function put(page: Page, piece: Uint8Array): void {
  reserve(page, piece.length)
  page.bytes.set(piece, page.at)
}

export function putByte(page: Page, byte: number): void {
  reserve(page, 1)
  page.bytes[page.at] = byte
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
  const year = date.getUTCFullYear()
  if (!(year >= 1950 && year <= 2049)) return put(page, time(date))
  reserve(page, 15)
  const { bytes, at } = page
  bytes[at] = TAG.utcTime
  bytes[at + 1] = 13
  putTwoDigits(bytes, at + 2, year % 100)
  putTwoDigits(bytes, at + 4, date.getUTCMonth() + 1)
  putTwoDigits(bytes, at + 6, date.getUTCDate())
  putTwoDigits(bytes, at + 8, date.getUTCHours())
  putTwoDigits(bytes, at + 10, date.getUTCMinutes())
  putTwoDigits(bytes, at + 12, date.getUTCSeconds())
  bytes[at + 14] = 0x5a
}

function putTwoDigits(bytes: Buffer, at: number, number: number): void {
  const tens = Math.floor(number / 10)
  bytes[at] = 0x30 + tens
  bytes[at + 1] = 0x30 + number - 10 * tens
}

function reserve(page: Page, length: number): void {
  if (length > page.at) {
    const larger = newPage(2 * (page.bytes.length + length))
    page.at = larger.bytes.length - written(page)
    larger.bytes.set(page.bytes.subarray(page.bytes.length - (larger.bytes.length - page.at)), page.at)
    page.bytes = larger.bytes
  }
  page.at -= length
}
