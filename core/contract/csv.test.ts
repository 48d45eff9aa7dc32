import { describe, expect, test } from 'vitest'
import { csvCell, csvLine, readCsvCell } from './csv.ts'

describe('a cell of a CSV', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+61 2', "'+61 2"],
    ['-x', "'-x"],
    ['-12.5', '-12.5'],
    ['-1+cmd', "'-1+cmd"],
    ['＝1+1', "'＝1+1"],
    ['＠sum', "'＠sum"],
    ['@sum', "'@sum"],
    ['\t=1', "'\t'=1"],
    ['\n=1', `"'\n'=1"`],
    ["'=1", "''=1"],
    ["o'clock", "o'clock"],
    ['=a,b', `"'=a,b"`],
    ['a;=1+1', "a;'=1+1"],
    ['a;-1', "a;'-1"],
    ['a\t@sum', "a\t'@sum"],
    ['a|+1', "a|'+1"],
    ['a;＝1', "a;'＝1"],
    ["a;'=1", "a;''=1"],
    ['a\r\n=1', `"a\r\n'=1"`],
    ['a;"=1', `"a;""'=1"`],
    ['a;b=1; c=2', 'a;b=1; c=2'],
    ['CN=a;O=b', 'CN=a;O=b'],
  ])('%j is written %j', (value, written) => expect(csvCell(value)).toBe(written))

  test.each([
    '=1',
    "'=1",
    "''=1",
    '-5',
    "'-5",
    "'",
    "'a",
    '',
    '+',
    '\t',
    '＝1',
    "''",
    'a;=1',
    "a;'=1",
    "a;''=1",
    '=;=\t=\n=',
    "';'=",
    `a;"'"=1`,
    "'\t'=1",
  ])('%j comes back as it was', (value) =>
    expect(
      readCsvCell(
        csvCell(value)
          .replace(/^"(.*)"$/s, '$1')
          .replaceAll('""', '"'),
      ),
    ).toBe(value),
  )

  test('begins no formula, whichever mark a spreadsheet splits at and however it takes quotation marks', () => {
    const line = csvLine(['x', 'a;=1;"=2', 'b\t@c|+d', 'e\n=f\r-g', ';=h'])
    const cells = line.split(/[;|\t\r\n]/).map((cell) => cell.replace(/^["']*/, (marks) => marks.replaceAll('"', '')))
    expect(cells.filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
  })

  test('ends its line as RFC 4180 says', () => expect(csvLine(['a', 'b'])).toBe('a,b\r\n'))
})
