// Read as Lingui's own compiler reads it, which is too large to go to browsers.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import { expect, test } from 'vitest'
import { readMessage } from './message.ts'

const texts: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'locales/en-GB.json'), 'utf8'))
const written = Array.isArray(texts) ? texts.map(String) : []
const louder = (text: string) => text.toUpperCase()

test('Every text of the console is read as the library reads it', () => {
  expect(written.length).toBeGreaterThan(2_000)
  for (const text of written) expect([text, readMessage(text), readMessage(text, louder)]).toEqual([text, compileMessageOrThrow(text), compileMessageOrThrow(text, louder)])
})

test.each([
  ['an argument with blanks', 'Revoke { name }, and { other_name }.'],
  ['exact numbers, an offset and a choice within a choice', '{count, plural, offset:1 =0 {Nobody} =1 {{name}} one {{name} and # other} other {{kind, select, card {# cards} other {# things}} of {name}}}'],
  ['ordinals', 'The {place, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} try'],
  ['numbers', '{share, number, percent} of {count, number}'],
  ['a choice by words', '{kind,select,user{A user}device{A device}other{Something}}'],
  ['apostrophes', "It's '{'not'}' an 'argument', it''s '{text'' within}' and {count, plural, one {'#' is # o'clock} other {'{'#'}'}}"],
  ['line breaks', '{count, plural,\n  one {# row}\n  other {# rows}\n}'],
  ['nothing', ''],
])('%s', (_what, text) => {
  expect(readMessage(text)).toEqual(compileMessageOrThrow(text))
})

test.each(['{', '{name', 'A name with { in it', '{count, plural}', '{count, plural, one {#}}', '{count, plural, one {# row} other {# rows}', '{at, date, ::yMd}', '{}'])('What is no message, as %s, is refused', (text) => {
  expect(() => readMessage(text)).toThrow(SyntaxError)
})
