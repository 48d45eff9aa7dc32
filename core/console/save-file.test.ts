import { expect, test } from 'vitest'
import { fileStem } from './save-file.ts'

test.each([
  ['Northbridge Root CA', 'Northbridge-Root-CA'],
  ['Zürich / Löwen: «Haupt»', 'Zürich-Löwen-Haupt'],
  ['ada@example.org', 'ada@example.org'],
  ['../../etc/passwd', 'etc-passwd'],
  ['*.example.org', 'example.org'],
  ['.hidden', 'hidden'],
  ['   ', 'file'],
  ['認証局 第一', '認証局-第一'],
  ['a'.repeat(300), 'a'.repeat(80)],
])('A file of %j is called %j', (name, stem) => expect(fileStem(name)).toBe(stem))
