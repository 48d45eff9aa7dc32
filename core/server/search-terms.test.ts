import { expect, test } from 'vitest'
import { searchTerms, tailsOf, termsOf } from './search-terms.ts'

/** As the database keeps them: half a character is written as U+FFFD, whichever half it is. */
const kept = (words: readonly string[]) => new Set(words.map((word) => Buffer.from(word).toString()))

const atTheCut = [
  ['two words that differ in the character at their cut', `${'a'.repeat(79)}\u{20000}.${'a'.repeat(79)}\u{2A700}`],
  ['what grows to the cut as it is compared', `${'\ufb03'.repeat(26)}f\u{20000}.${'\ufb03'.repeat(26)}f\u{2A700}`],
  ['tails that are cut in one place after the other', `${'bb\u{1F600}...'.repeat(12)}bb\u{1F000}..`],
  ['halves that somebody typed', 'bb\ud800 bb\ud801'],
]

test.each(atTheCut)('words are as many in the database as here: %s', (_name, text) => {
  for (const words of [termsOf(text, ...text.split(' ')), tailsOf(text, ...text.split(' ')), searchTerms(text)]) {
    expect(kept(words).size).toBe(words.length)
    expect([...words].filter((word) => word.length > 80 || !word.isWellFormed())).toEqual([])
  }
})

test('a long text is found by as much of it as is kept', () => {
  const text = `${'a'.repeat(79)}\u{20000}`
  expect(termsOf(text)).toEqual(searchTerms(text))
})
