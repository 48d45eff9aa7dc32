// Reads JSON (RFC 8259) of somebody else. JSON.parse cannot bound itself: a megabyte of brackets becomes half a million lists, and whatever walks them
// pays again for each. Depth and number of values are counted here before anything is made of them, which costs about a nanosecond a character.

import { say } from '../say/say.ts'
import { isStorable, storableValue } from '../storable/storable.ts'

export type JsonBounds = {
  /** How deep lists and objects may stand in each other. */
  depth?: number
  /** How many values there may be, with those that hold others. */
  values?: number
  /** Refuses texts that no row can hold (standards/storable). */
  onlyText?: true
}

/** The longest lists that a call takes have ten thousand ids on each side. What so many values cost is measured by `read.test.ts`. */
export const usualBounds = { depth: 32, values: 25_000 } as const satisfies JsonBounds

/** `bounds`: it may be JSON, and is too much of it. */
export class JsonError extends Error {
  override name = 'JsonError'
  readonly kind: 'encoding' | 'syntax' | 'bounds'
  constructor(kind: JsonError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** Bytes must be UTF-8. Throws JsonError. */
export const readJson = (given: Uint8Array | string, bounds: JsonBounds = {}): unknown => readCounted(given, bounds).value

/** `values`: how many there are, for whoever has a budget for them. Throws JsonError. */
export function readCounted(given: Uint8Array | string, bounds: JsonBounds = {}): { value: unknown; values: number } {
  const text = typeof given === 'string' ? given : decoded(given)
  const values = countValues(text, bounds)
  try {
    const value: unknown = JSON.parse(text)
    if (bounds.onlyText !== true || !hasStrange(text)) return { value, values }
    if (!isStorable(textsOf(value))) throw new JsonError('encoding', say`The JSON holds characters that are no text`)
    return { value, values }
  } catch (cause) {
    if (cause instanceof JsonError) throw cause
    throw new JsonError('syntax', say`The JSON is not valid: ${cause instanceof Error ? cause.message.slice(0, 120) : ''}`, { cause })
  }
}

/** What another machine answers: nothing where it cannot be read, and all texts in it as a row can hold them. Not for what it must be sent back as it was. */
export function readStorableJson(given: Uint8Array | string, bounds: JsonBounds = {}): unknown {
  const text = typeof given === 'string' ? given.toWellFormed() : given
  const value = readJsonOrNothing(text, bounds)
  return typeof text !== 'string' || hasStrange(text) ? storableValue(value) : value
}

/** The same with texts as they were sent. */
export function readJsonOrNothing(given: Uint8Array | string, bounds: JsonBounds = {}): unknown {
  try {
    return readJson(given, bounds)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new JsonError('encoding', say`The text is not UTF-8`, { cause })
  }
}

/** What no row can hold stands in JSON as an escape alone. */
const hasStrange = (text: string): boolean => /\\u(?:0000|d[89a-f])/i.test(text)

function textsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textsOf(inner)} `)
    .join('')
}

const mark = { quote: 0x22, comma: 0x2c, bracket: 0x5b, backslash: 0x5c, endBracket: 0x5d, brace: 0x7b, endBrace: 0x7d } as const

/** Throws JsonError where a text holds more than is read; by itself for what a library parses. Of what is no JSON it says nothing. */
export function countValues(
  text: string,
  { depth: deepest = usualBounds.depth, values: most = usualBounds.values }: JsonBounds = {},
): number {
  let depth = 0
  // Each value but the first stands behind a comma, or is the first of a list or an object.
  let values = 1
  let outside = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === mark.quote) {
      at = endOfText(text, at)
      continue
    }
    outside += 1
    if (code === mark.comma) values += 1
    else if (code === mark.bracket || code === mark.brace) {
      values += 1
      depth += 1
      if (depth > deepest) throw new JsonError('bounds', say`The JSON is nested deeper than ${deepest} levels`)
    } else if (code === mark.endBracket || code === mark.endBrace) depth -= 1
    if (values > most) throw new JsonError('bounds', say`The JSON holds more than ${most} values`)
    if (outside > mostOutside) throw new JsonError('bounds', say`The JSON has more than ${mostOutside} characters outside of its texts`)
  }
  return values
}

/** Escapes in one text, and characters outside of texts: white space and digits have no other bound. */
const mostEscapes = 1_000_000
const mostOutside = 2_000_000

/** Where the text that begins at `start` ends. What lies between two escapes, as a file in base64, is passed over by the engine itself. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== mark.backslash) return end
  let escape = text.indexOf('\\', start + 1)
  for (let escapes = 1; escape >= 0 && escape < end; escapes += 1) {
    if (escapes > mostEscapes) throw new JsonError('bounds', say`The JSON holds a text with more than ${mostEscapes} escapes`)
    if (end === escape + 1) end = text.indexOf('"', escape + 2)
    if (end < 0) return text.length
    escape = text.indexOf('\\', escape + 2)
  }
  return end
}
