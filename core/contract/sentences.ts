// Finds the message that a sentence of the server was made of, and so what it is in another language. The server speaks English, to programs and into
// its tables; what it says is made of the messages in the list of texts, each its own id, so that no answer and no row needs a second form of it.

import { isWorded } from './worded.ts'

/** A message with values and what it is in the other language. */
export type Pair = readonly [english: string, other: string]

type Values = Record<string, string>
type Known = { head: string; tail: string; pattern: RegExp; names: readonly string[]; other: string; fixed: number }

/** Slots that hold nothing but a number, by which a message is known the better. */
const counted = new Set(['count', 'offset', 'line', 'bytes'])

const slot = /\{(\w+)\}/g
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

function known([english, other]: Pair): Known {
  const names = [...english.matchAll(slot)].map(([, name = '']) => name)
  const parts = english.split(/\{\w+\}/)
  const values = names.map((name) => (counted.has(name) ? String.raw`(\d[\d.,]*)` : '(.+?)'))
  const pattern = new RegExp(`^${parts.map((part, at) => `${escaped(part)}${values[at] ?? ''}`).join('')}$`, 's')
  return { head: parts[0] ?? '', tail: parts.at(-1) ?? '', pattern, names, other, fixed: parts.join('').length + 4 * countedIn(names) }
}

const countedIn = (names: readonly string[]): number => names.filter((name) => counted.has(name)).length

/** How much of a message is its own: its letters, and four for each number. */
const ownLetters = (message: string): number =>
  (message.replaceAll(slot, '').match(/\p{L}/gu) ?? []).length + 4 * countedIn([...message.matchAll(slot)].map(([, name = '']) => name))

/** Of a sentence so long no part is looked for: it is a text that somebody wrote. */
const longest = 1500

/** Whether sentences are known by this message: it has values, counts nothing, and begins with a word, or has enough of its own to be no chance. */
export const makesSentences = (message: string): boolean =>
  /\{\w+\}/.test(message) && !/\{\s*\w+\s*,/.test(message) && (/^\p{L}{4}/u.test(message) || ownLetters(message) >= 8)

/**
 * Makes a finder out of the pairs. `whole`: what a sentence without values is; `fill` puts the values into the message of the other language. The message
 * with most of its own letters in the sentence is the one it was made of.
 */
export function sentenceFinder(
  pairs: readonly Pair[],
  whole: (sentence: string) => string | undefined,
  fill: (message: string, values: Values) => string,
): (sentence: string) => string | undefined {
  const all = pairs.map(known).toSorted((a, b) => b.fixed - a.fixed)
  const found = new Map<string, string | undefined>()

  function find(sentence: string): string | undefined {
    for (const { head, tail, pattern, names, other } of all) {
      const match = sentence.startsWith(head) && sentence.endsWith(tail) ? pattern.exec(sentence) : null
      if (match === null) continue
      const values = names.map((name, at) => [name, said(name, match[at + 1] ?? '')])
      return fill(other, Object.fromEntries(values))
    }
    return undefined
  }

  /** A sentence that stands within another one begins small there. */
  const said = (name: string, value: string): string =>
    isWorded(name) ? (whole(value) ?? translate(value.slice(0, 1).toUpperCase() + value.slice(1)) ?? translate(value) ?? value) : value

  /** Several sentences are each known by itself. */
  function each(text: string): string | undefined {
    const parts = text.split(/(?<=[.!?]) (?=\p{Lu})/u)
    const all = parts.length === 1 ? [] : parts.map((part) => translate(part))
    return all.length > 0 && all.every((part) => part !== undefined) ? all.join(' ') : undefined
  }

  function translate(sentence: string): string | undefined {
    const same = whole(sentence)
    if (same !== undefined || sentence.length > longest || !sentence.includes(' ')) return same
    if (!found.has(sentence)) {
      if (found.size > 5000) found.clear()
      found.set(sentence, each(sentence) ?? find(sentence))
    }
    return found.get(sentence)
  }
  return translate
}
