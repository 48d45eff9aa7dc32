// The filter language of SCIM (RFC 7644 3.4.2.2), read into a tree. What an attribute means is the caller's to decide.

import { JsonError, readJson } from '../json/read.ts'

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type Literal = string | number | boolean | null

export type Filter =
  | { kind: 'and' | 'or'; parts: readonly Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'present'; path: string }
  | { kind: 'compare'; path: string; operator: Operator; value: Literal }
  /** `emails[type eq "work"]`: one value of `path` fits the filter within. */
  | { kind: 'within'; path: string; part: Filter }

export class ScimFilterError extends Error {
  override name = 'ScimFilterError'
}

/** Bounds of a filter: what is longer is refused before it is read. */
export const filterBounds = { bytes: 4_096, depth: 16, terms: 50 } as const

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const isOperator = (word: string): word is Operator => operators.has(word)

type Token = { kind: 'mark'; text: string } | { kind: 'word'; text: string } | { kind: 'value'; value: Literal }

const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:]))|([A-Za-z$][\w$.:-]*))/y
const constants: Readonly<Record<string, Literal>> = { true: true, false: false, null: null }

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.trimEnd().length) {
    const found = token.exec(text)
    if (found === null) throw new ScimFilterError('The filter has a character that has no meaning there')
    const [, mark, quoted, number, word] = found
    if (mark !== undefined) tokens.push({ kind: 'mark', text: mark })
    else if (quoted !== undefined) tokens.push({ kind: 'value', value: textOf(quoted) })
    else if (number !== undefined) tokens.push({ kind: 'value', value: Number(number) })
    else if (word !== undefined)
      tokens.push(Object.hasOwn(constants, word) ? { kind: 'value', value: constants[word] ?? null } : { kind: 'word', text: word })
  }
  return tokens
}

function textOf(quoted: string): string {
  try {
    return String(readJson(quoted, { onlyText: true }))
  } catch (error) {
    if (error instanceof JsonError && error.kind === 'encoding')
      throw new ScimFilterError('A text in the filter holds characters that are no text')
    throw new ScimFilterError('A text in the filter is not written as JSON')
  }
}

/** Reads a filter; `path` of what it answers keeps the spelling of the asker. Throws `ScimFilterError`. */
export function readFilter(text: string): Filter {
  const { rest, filter } = readPart(text)
  if (rest.length > 0) throw new ScimFilterError('Something stands behind the end of the filter')
  return filter
}

function readPart(text: string): { filter: Filter; rest: readonly Token[] } {
  if (Buffer.byteLength(text) > filterBounds.bytes) throw new ScimFilterError(`Use at most ${filterBounds.bytes} bytes in a filter`)
  const tokens = tokensOf(text)
  let at = 0
  let terms = 0
  const isWord = (text: string): boolean => {
    const next = tokens[at]
    return next?.kind === 'word' && next.text.toLowerCase() === text
  }
  const takeMark = (text: string): boolean => {
    const next = tokens[at]
    if (next?.kind !== 'mark' || next.text !== text) return false
    at += 1
    return true
  }
  const needMark = (text: string): void => {
    if (!takeMark(text)) throw new ScimFilterError(`The filter lacks a ${text}`)
  }

  const readChain = (word: 'or' | 'and', readNext: (depth: number) => Filter, depth: number): Filter => {
    const first = readNext(depth)
    const parts = [first]
    while (isWord(word)) {
      at += 1
      parts.push(readNext(depth))
    }
    return parts.length === 1 ? first : { kind: word, parts }
  }
  const readOr = (depth: number): Filter => {
    if (depth > filterBounds.depth) throw new ScimFilterError(`Use at most ${filterBounds.depth} brackets within each other in a filter`)
    return readChain('or', readAnd, depth)
  }
  const readAnd = (depth: number): Filter => readChain('and', readTerm, depth)
  const readTerm = (depth: number): Filter => {
    if (takeMark('(')) {
      const part = readOr(depth + 1)
      needMark(')')
      return part
    }
    if (isWord('not')) {
      const next = tokens[at + 1]
      if (next?.kind === 'mark' && next.text === '(') {
        at += 2
        const part = readOr(depth + 1)
        needMark(')')
        return { kind: 'not', part }
      }
    }
    return readComparison(depth)
  }
  const readComparison = (depth: number): Filter => {
    terms += 1
    if (terms > filterBounds.terms) throw new ScimFilterError(`Use at most ${filterBounds.terms} terms in a filter`)
    const name = tokens[at]
    if (name?.kind !== 'word') throw new ScimFilterError('The filter lacks the name of an attribute')
    at += 1
    if (takeMark('[')) {
      const part = readOr(depth + 1)
      needMark(']')
      // `emails[type eq "work"].value eq "a"` is not in the grammar, but is asked for: the value stands within as well.
      const behind = tokens[at]
      if (behind?.kind === 'word' && behind.text.startsWith('.')) throw new ScimFilterError('Put the comparison into the brackets')
      return { kind: 'within', path: name.text, part }
    }
    const word = tokens[at]
    const operator = word?.kind === 'word' ? word.text.toLowerCase() : ''
    at += 1
    if (operator === 'pr') return { kind: 'present', path: name.text }
    if (!isOperator(operator)) throw new ScimFilterError(`The filter lacks an operator behind ${name.text}`)
    const value = tokens[at]
    if (value?.kind !== 'value') throw new ScimFilterError(`The filter lacks a value behind ${name.text} ${operator}`)
    at += 1
    return { kind: 'compare', path: name.text, operator, value: value.value }
  }
  const filter = readOr(1)
  return { filter, rest: tokens.slice(at) }
}

/** The path of a PATCH operation (RFC 7644 3.5.2): an attribute, which of its values, and which part of them. */
export type PatchPath = { attribute: string; filter?: Filter; part?: string }

/** Bounds a path before it is read, since some of what reads it takes time by the square of its length. */
export const longestPath = 512

const inherited: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
/** Tells the names that would lead out of a resource to what all objects of the process share. */
export const isInherited = (name: string): boolean => inherited.has(name.toLowerCase())

function readAttribute(text: string): string {
  if (!/^[A-Za-z$][\w$.:-]*$/.test(text) || text.split(/[.:]/).some(isInherited)) throw new ScimFilterError('The path names no attribute')
  return text
}

export function readPatchPath(text: string): PatchPath {
  if (text.length > longestPath) throw new ScimFilterError(`Use at most ${longestPath} characters in a path`)
  const open = text.indexOf('[')
  if (open === -1) return { attribute: readAttribute(text) }
  const close = text.lastIndexOf(']')
  const after = text.slice(close + 1)
  if (close < open || !/^(?:\.[A-Za-z$][\w$-]*)?$/.test(after) || isInherited(after.slice(1)))
    throw new ScimFilterError('The brackets of the path do not fit')
  const attribute = readAttribute(text.slice(0, open))
  const filter = readFilter(text.slice(open + 1, close))
  return { attribute, filter, ...(after === '' ? {} : { part: after.slice(1) }) }
}

/** Whether a value fits; names and texts are compared without case. */
export function fitsFilter(value: unknown, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => fitsFilter(value, part))
    case 'or':
      return filter.parts.some((part) => fitsFilter(value, part))
    case 'not':
      return !fitsFilter(value, filter.part)
    case 'present':
      return valuesAt(value, filter.path).some((one) => one !== '' && one !== null)
    case 'within':
      return valuesAt(value, filter.path).some((one) => fitsFilter(one, filter.part))
    case 'compare': {
      const found = valuesAt(value, filter.path)
      if (filter.operator === 'ne') return !found.some((one) => compares(one, 'eq', filter.value))
      return found.some((one) => compares(one, filter.operator, filter.value))
    }
  }
}

/** All values at a dotted path, each of a list by itself. */
function valuesAt(value: unknown, path: string): unknown[] {
  let found: unknown[] = [value]
  for (const name of path.split('.'))
    found = found.flatMap((one) => {
      const inner = memberOf(one, name)
      return Array.isArray(inner) ? inner : inner === undefined ? [] : [inner]
    })
  return found
}

const memberOf = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null) return name === 'value' ? value : undefined
  const key = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : Reflect.get(value, key)
}

function compares(found: unknown, operator: Operator, asked: Literal): boolean {
  const [a, b] = [typeof found === 'object' ? memberOf(found, 'value') : found, asked]
  if (operator === 'eq' || operator === 'ne') return (plain(a) === plain(b)) === (operator === 'eq')
  if (typeof a === 'number' && typeof b === 'number') return ordered(a, b, operator)
  const [left, right] = [String(a ?? '').toLowerCase(), String(b ?? '').toLowerCase()]
  if (operator === 'co') return left.includes(right)
  if (operator === 'sw') return left.startsWith(right)
  if (operator === 'ew') return left.endsWith(right)
  return ordered(left, right, operator)
}

/** Booleans come as texts from some clients. */
const plain = (value: unknown): string => String(value ?? '').toLowerCase()

const ordered = <T extends number | string>(a: T, b: T, operator: Operator): boolean =>
  operator === 'gt' ? a > b : operator === 'ge' ? a >= b : operator === 'lt' ? a < b : operator === 'le' ? a <= b : false
