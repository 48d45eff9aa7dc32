import { domainToASCII } from 'node:url'
import { expect, test } from 'vitest'
import { unicodeName } from './unicode-name.ts'

test.each([
  ['xn--mnchen-3ya.example', 'münchen.example'],
  ['mail.xn--bcher-kva.xn--p1ai', 'mail.bücher.рф'],
  ['xn--e1afmkfd.xn--p1ai', 'пример.рф'],
  ['xn--r8jz45g.jp', '例え.jp'],
  ['xn--hxajbheg2az3al.example', 'παράδειγμα.example'],
  ['example.com', 'example.com'],
])('%s is shown as %s', (name, shown) => expect(unicodeName(name)).toBe(shown))

test.each([
  ['Latin with one Cyrillic letter', 'pаypal.com'],
  ['Greek in Latin', 'gοogle.com'],
  ['Cyrillic whose letters all look Latin', 'аррӏе.com'],
  ['Hebrew with Arabic', 'שلום.com'],
])('A label of %s stays as it is in DNS', (_what, name) => {
  const ascii = domainToASCII(name)
  // Where the two are no name at all, there is nothing to show.
  expect(unicodeName(ascii)).toBe(ascii)
})

test('What is no A-label is not made into something else', () => {
  for (const name of ['xn--.com', 'xn--a.com', 'xn--zzzzzzzzzz99999.com', 'xn--abc-.com']) expect(unicodeName(name)).toBe(name)
})
