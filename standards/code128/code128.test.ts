import { expect, test } from 'vitest'
import { code128 } from './code128.ts'

const modules = (text: string): number => (code128(text) ?? []).reduce((sum, width) => sum + width, 0)

test('each character is eleven modules wide, between a start, a check character and a stop', () => {
  const all = String.fromCodePoint(...Array.from({ length: 80 }, (_, at) => 32 + at))
  expect(modules(all)).toBe(11 * (80 + 2) + 13)
  expect(modules('ada')).toBe(11 * (3 + 2) + 13)
})

test('digits in pairs take half the room', () => {
  expect(modules('123456')).toBe(11 * (3 + 2) + 13)
  expect(modules('12345')).toBe(11 * (5 + 2) + 13)
})

test('the bars are those of the standard', () => {
  // Start B, P, J, J, 1, 2, 3, C, check 55, stop.
  const widths = (code128('PJJ123C') ?? []).join('')
  expect(widths).toBe('2112143131211121331121331232212232112211321313213113212331112')
})

test('what it cannot hold is none', () => {
  for (const text of ['', 'مريم', 'a\nb', 'x'.repeat(81)]) expect(code128(text)).toBeUndefined()
})
