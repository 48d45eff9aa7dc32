import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { readBuilt } from '../built-message.ts'
import { literalsIn } from './extract-text.ts'
import { withMessages } from './messages-plugin.ts'

const list: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../locales/en-GB.json'), 'utf8'))
const texts = Array.isArray(list) ? list.map(String) : []

/** What the browser reads of a message that the build compiled. */
const built = (text: string) =>
  literalsIn('built.ts', withMessages('screen.tsx', `t(${JSON.stringify(text)})`, new Set([text]))).map((literal) =>
    readBuilt(literal.text),
  )

test('every text of the console is in the browser what Lingui makes of it', () => {
  expect(texts.length).toBeGreaterThan(2_000)
  for (const text of texts) expect([text, ...built(text)]).toEqual([text, compileMessageOrThrow(text)])
})

test.each([
  [
    'exact numbers, an offset and a choice within a choice',
    '{count, plural, offset:1 =0 {Nobody} =1 {{name}} one {{name} and # other} other {{kind, select, card {# cards} other {# things}} of {name}}}',
  ],
  ['apostrophes and quotation marks', `It's "'{'not'}'" an 'argument', and {count, plural, one {'#' is # o'clock} other {'{'#'}'}}`],
  ['line breaks', '{count, plural,\n  one {# row}\n  other {# rows}\n}'],
])('a message with %s too', (_what, text) => {
  expect(built(text)).toEqual([compileMessageOrThrow(text)])
})

test('all else of a file stays as it is, and the file a program', () => {
  const code = `const kinds = { dns: 'Domain {value}' } as const\nexport const A = () => <p title={t('Sign in')}>{t(kinds.dns, { value })}{t(open ? \`{count} open\` : 'Closed')}{\`{\${kinds}}\`}</p>`
  const after = withMessages('screen.tsx', code, new Set(['Domain {value}', '{count} open']))
  expect(parseSync('screen.tsx', after).errors).toEqual([])
  expect(literalsIn('screen.tsx', after).flatMap(({ text }) => readBuilt(text))).toEqual([
    'Domain ',
    ['value'],
    'Sign in',
    ['count'],
    ' open',
    'Closed',
  ])
})

test('what translators would not get breaks the build, and so does what is no message', () => {
  expect(() => withMessages('screen.tsx', `t('{count} open')`, new Set())).toThrow('no translator would get “{count} open”')
  expect(() => withMessages('screen.tsx', `t('{count, plural, one {#}')`, new Set(['{count, plural, one {#}']))).toThrow()
})

test('a text of a person that looks compiled is shown as it is', () => {
  expect(readBuilt('["x"]')).toEqual(['["x"]'])
})
