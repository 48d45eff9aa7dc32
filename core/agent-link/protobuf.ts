// The part of Protocol Buffers (proto3) that the link needs: text, bytes, numbers, booleans, messages and lists of messages. A table says which field is what.

export type FieldKind = 'text' | 'bytes' | 'number' | 'flag' | { message: MessageTable } | { list: MessageTable }
export type MessageTable = { readonly [field: string]: readonly [number: number, kind: FieldKind] }

type ValueOf<K> = K extends 'text'
  ? string
  : K extends 'bytes'
    ? Uint8Array
    : K extends 'number'
      ? number
      : K extends 'flag'
        ? boolean
        : K extends { message: infer M extends MessageTable }
          ? Message<M> | undefined
          : K extends { list: infer M extends MessageTable }
            ? Message<M>[]
            : never

/** What a message holds; a field that was not sent has the value that proto3 gives it. */
export type Message<M extends MessageTable> = { -readonly [F in keyof M]: ValueOf<M[F][1]> }

export class ProtobufError extends Error {
  override name = 'ProtobufError'
}

const varintType = 0
const lengthType = 2

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}

const lengthField = (number: number, bytes: Uint8Array) => Buffer.concat([varint(number * 8 + lengthType), varint(bytes.length), bytes])

export function encodeMessage<M extends MessageTable>(table: M, message: Partial<Message<M>>): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [field, [number, kind]] of Object.entries(table)) {
    const value: unknown = message[field]
    if (value === undefined || value === '' || value === 0 || value === false) continue
    if (kind === 'text') parts.push(lengthField(number, Buffer.from(String(value))))
    else if (kind === 'bytes') {
      if (value instanceof Uint8Array && value.length > 0) parts.push(lengthField(number, value))
    } else if (kind === 'number' || kind === 'flag') parts.push(varint(number * 8 + varintType), varint(Number(value)))
    else if ('message' in kind) parts.push(lengthField(number, encodeMessage(kind.message, Object(value))))
    else if (Array.isArray(value)) for (const one of value) parts.push(lengthField(number, encodeMessage(kind.list, one)))
  }
  return Buffer.concat(parts)
}

const emptyOf = (kind: FieldKind): unknown =>
  kind === 'text'
    ? ''
    : kind === 'bytes'
      ? new Uint8Array()
      : kind === 'number'
        ? 0
        : kind === 'flag'
          ? false
          : 'list' in kind
            ? []
            : undefined

/** Reads a message; fields that the table does not know are passed over. Throws ProtobufError where it is cut off. */
export function decodeMessage<M extends MessageTable>(table: M, bytes: Uint8Array): Message<M> {
  const fields = new Map(Object.entries(table).map(([field, [number, kind]]) => [number, { field, kind }]))
  const found: Record<string, unknown> = Object.fromEntries(Object.entries(table).map(([field, [, kind]]) => [field, emptyOf(kind)]))
  let at = 0
  const readVarint = (): number => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at]
      if (byte === undefined) break
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(value)
    }
    throw new ProtobufError('A number is cut off')
  }
  while (at < bytes.length) {
    const key = readVarint()
    const known = fields.get(Math.floor(key / 8))
    const type = key % 8
    if (type === varintType) {
      const value = readVarint()
      if (known?.kind === 'number') found[known.field] = value
      else if (known?.kind === 'flag') found[known.field] = value !== 0
      continue
    }
    const length = type === lengthType ? readVarint() : type === 1 ? 8 : type === 5 ? 4 : -1
    if (length < 0 || length > bytes.length - at) throw new ProtobufError('A field is cut off')
    const content = bytes.subarray(at, at + length)
    at += length
    if (known === undefined || type !== lengthType) continue
    const { field, kind } = known
    if (kind === 'text') found[field] = Buffer.from(content).toString()
    else if (kind === 'bytes') found[field] = Uint8Array.from(content)
    else if (typeof kind === 'object' && 'message' in kind) found[field] = decodeMessage(kind.message, content)
    else if (typeof kind === 'object') (found[field] as unknown[]).push(decodeMessage(kind.list, content))
  }
  return found as Message<M>
}
