// Lists as PostgreSQL reads them in binary (array_recv): it takes the elements as they are, where of a text it must find each and read it. For rows that are
// written thousands of times a second that is a third of the database's work.

/** Writes a value at a place that has room for `most(value)` bytes, and returns how many it wrote. */
type Element = { oid: number; most(value: unknown): number; write(into: Buffer, at: number, value: unknown): number }

const text = {
  most: (value: unknown) => 3 * String(value).length,
  write: (into: Buffer, at: number, value: unknown) => into.write(String(value), at),
}

/** By the type's name in the database; numbers are those of its catalogue (pg_type). */
const elements = {
  uuid: { oid: 2950, most: () => 16, write: writeUuid },
  text: { oid: 25, ...text },
  jsonb: {
    oid: 3802,
    most: (value) => 1 + text.most(value),
    // The version of its form goes first.
    write: (into, at, value) => into.writeUInt8(1, at) - at + text.write(into, at + 1, value),
  },
  bytea: { oid: 17, most: (value) => bytesOf(value).length, write: (into, at, value) => bytesOf(value).copy(into, at) },
  smallint: { oid: 21, most: () => 2, write: (into, at, value) => into.writeInt16BE(wholeNumber(value), at) - at },
  integer: { oid: 23, most: () => 4, write: (into, at, value) => into.writeInt32BE(wholeNumber(value), at) - at },
  bigint: { oid: 20, most: () => 8, write: (into, at, value) => into.writeBigInt64BE(BigInt(wholeNumber(value)), at) - at },
  boolean: { oid: 16, most: () => 1, write: (into, at, value) => into.writeUInt8(isTrue(value) ? 1 : 0, at) - at },
  timestamptz: { oid: 1184, most: () => 8, write: (into, at, value) => into.writeBigInt64BE(microsecondsOf(value), at) - at },
} as const satisfies Record<string, Element>

export type ElementType = keyof typeof elements

export const isElementType = (type: string): type is ElementType => Object.hasOwn(elements, type)

/** A list of one dimension. JSON comes as its text; null and undefined are nothing. Throws a TypeError for a value of another type, a RangeError for a number too large. */
export function binaryList(type: ElementType, values: readonly unknown[]): Buffer {
  const { oid, most, write }: Element = elements[type]
  let room = headLength
  for (const value of values) room += 4 + (isNothing(value) ? 0 : most(value))
  const list = Buffer.allocUnsafe(room)
  list.writeInt32BE(1, 0)
  list.writeInt32BE(values.some(isNothing) ? 1 : 0, 4)
  list.writeInt32BE(oid, 8)
  list.writeInt32BE(values.length, 12)
  list.writeInt32BE(1, 16)
  let at = headLength
  for (const value of values) {
    const length = isNothing(value) ? -1 : write(list, at + 4, value)
    list.writeInt32BE(length, at)
    at += 4 + Math.max(0, length)
  }
  return list.subarray(0, at)
}

/** Dimensions, whether there are nulls, the elements' type; of the one dimension its length and where it begins. */
const headLength = 20

const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined

function bytesOf(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw new TypeError('These are no bytes')
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** The database would refuse the text of what is no number; in binary anything would become one. */
function wholeNumber(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('This is no whole number')
  return value as number
}

function isTrue(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError('This is neither true nor false')
  return value
}

/** Since the year 2000, where the database's time begins. */
function microsecondsOf(value: unknown): bigint {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw new TypeError('This is no time')
  return BigInt(value.getTime() - year2000) * 1000n
}
const year2000 = Date.UTC(2000, 0, 1)

function writeUuid(into: Buffer, at: number, value: unknown): number {
  const hex = String(value).replaceAll('-', '')
  if (into.write(hex, at, 16, 'hex') !== 16 || hex.length !== 32) throw new TypeError(`"${String(value)}" is no UUID`)
  return 16
}
