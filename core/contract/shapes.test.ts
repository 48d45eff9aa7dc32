import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Line, OptionalLine, Paragraph, PageQuery } from './shapes.ts'
import { clamp, typedInteger } from './typed-number.ts'

const takes = (shape: z.ZodType, value: unknown): boolean => shape.safeParse(value).success

describe('A line of text', () => {
  test('is not empty, nor only blanks, unless it may be left out', () => {
    expect(['', '   ', '\t'].map((text) => takes(Line(20), text))).toEqual([false, false, false])
    expect(Line(20).safeParse('').error?.issues[0]?.message).toBe('Enter a value')
    expect(OptionalLine(20).parse('')).toBe('')
  })

  test('has no control character: code 31 is refused, code 32 is not', () => {
    for (let code = 0; code <= 32; code++) expect([code, takes(Line(20), `a${String.fromCodePoint(code)}b`)]).toEqual([code, code === 32])
    expect(takes(Line(20), 'a\u007Fb')).toBe(false)
  })

  test('may break only where it is a longer text', () => {
    expect([takes(Paragraph(20), 'a\nb\tc'), takes(Line(20), 'a\nb'), takes(Paragraph(20), 'a\u001Fb')]).toEqual([true, false, false])
  })
})

describe('A typed whole number', () => {
  test('has digits only', () => {
    for (const text of ['1a', '-1', '+1', '1.0', '1e3', '0x10', '1 000', '１', '--1'])
      expect([text, typedInteger(text)]).toEqual([text, Number.NaN])
    expect(['0', '42', ' 7 ', '007'].map((text) => typedInteger(text))).toEqual([0, 42, 7, 7])
  })

  test('has a sign where the field may be negative', () => {
    expect(['-1', '+1', '1'].map((text) => typedInteger(text, { sign: true }))).toEqual([-1, 1, 1])
    expect(typedInteger('1a', { sign: true })).toBeNaN()
  })

  test('is safe: the first number that is not exact is refused', () => {
    expect(typedInteger('9007199254740991')).toBe(9_007_199_254_740_991)
    expect(typedInteger('9007199254740992')).toBeNaN()
    expect([takes(z.number().int(), 9_007_199_254_740_991), takes(z.number().int(), 9_007_199_254_740_992)]).toEqual([true, false])
  })

  test('may be empty only where its shape says that it is optional', () => {
    const empty = typedInteger('')
    expect([takes(z.number().int(), empty), takes(z.number().int().optional(), empty)]).toEqual([false, true])
  })

  test('is kept between the least and the most', () => {
    expect([-5, 0, 1, 5, 10, 11, Infinity, -Infinity].map((value) => clamp(value, 1, 10))).toEqual([1, 1, 1, 5, 10, 10, 10, 1])
  })
})

test('A number is finite', () => {
  for (const page of [Infinity, -Infinity, Number.NaN]) expect([page, takes(PageQuery, { page })]).toEqual([page, false])
  expect([takes(z.number(), Infinity), takes(z.number(), Number.NaN), takes(z.number(), 1.5)]).toEqual([false, false, true])
  expect(['Infinity', 'NaN'].map((text) => typedInteger(text))).toEqual([Number.NaN, Number.NaN])
})
