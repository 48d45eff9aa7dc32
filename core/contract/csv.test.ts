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
    ['\t=1', "'\t=1"],
    ['\n=1', `"'\n=1"`],
    ["'=1", "''=1"],
    ["o'clock", "o'clock"],
    ['=a,b', `"'=a,b"`],
  ])('%j is written %j', (value, written) => expect(csvCell(value)).toBe(written))

  test.each(['=1', "'=1", "''=1", '-5', "'-5", "'", "'a", '', '+', '\t', '＝1', "''"])('%j comes back as it was', (value) =>
    expect(
      readCsvCell(
        csvCell(value)
          .replace(/^"(.*)"$/s, '$1')
          .replaceAll('""', '"'),
      ),
    ).toBe(value),
  )

  test('ends its line as RFC 4180 says', () => expect(csvLine(['a', 'b'])).toBe('a,b\r\n'))
})
