import { describe, expect, test } from 'vitest'
import { JsonError, countValues, readJson, readJsonOrNothing, readStorableJson, usualBounds } from './read.ts'

const kindOf = (text: string | Uint8Array, bounds = {}): string => {
  try {
    readJson(text, bounds)
    return 'read'
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return error.kind
  }
}

describe('JSON of somebody else', () => {
  test('is read as the engine reads it, from a text and from bytes', () => {
    const value = { a: [1, -2.5e3, true, null, 'x"\\\n]}{[,'], '{"[': { '\\': '\\"' }, '': '\u{1f512}' }
    const text = JSON.stringify(value, undefined, 2)
    expect([readJson(text), readJson(Buffer.from(text))]).toEqual([value, value])
  })

  test('is counted with all that stands in each other, and nothing that stands in a text', () => {
    expect(
      ['7', '"[[,,"', '"\\"[,"', '"\\\\"', '[]', '[1,2]', '{"a":{"b":[3]}}', '["a\\\\","[[["]'].map((text) => countValues(text)),
    ).toEqual([1, 1, 1, 1, 2, 3, 4, 3])
  })

  test('is refused where it is deeper or more than what is read, before anything is made of it', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    for (const of of [nested, objects])
      expect([kindOf(of(usualBounds.depth)), kindOf(of(usualBounds.depth + 1)), kindOf(of(100_000))]).toEqual(['read', 'bounds', 'bounds'])
    expect([kindOf('[0,0,0]', { values: 4 }), kindOf('[0,0,0]', { values: 3 })]).toEqual(['read', 'bounds'])
    expect(kindOf(`[${'[],'.repeat(usualBounds.values)}[]]`)).toBe('bounds')
    // A quotation mark that is escaped ends no text; one behind two backslashes does.
    expect(kindOf(`["\\\\",${'['.repeat(100)}`)).toBe('bounds')
    expect(kindOf(`"\\"${'['.repeat(100)}"`)).toBe('read')
    expect(kindOf(`"${'\\\\'.repeat(1_000)}\\"[[[${'\\"'.repeat(1_000)}"`)).toBe('read')
  })

  test('is refused where nothing but white space, digits or escapes is long', () => {
    for (const text of [`[${' '.repeat(3_000_000)}]`, '1'.repeat(3_000_000), `"${'\\"'.repeat(1_100_000)}"`])
      expect(kindOf(text)).toBe('bounds')
    expect(kindOf(`"${'a'.repeat(3_000_000)}\\n${'a'.repeat(3_000_000)}"`)).toBe('read')
  })

  test('is refused in words where it is none', () => {
    expect(['{"a":', '[1,]', 'nonsense', '"', '"\\', '', '\ufeff{}'].map((text) => kindOf(text))).toEqual(Array(7).fill('syntax'))
    expect(kindOf(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))).toBe('encoding')
    expect([readJsonOrNothing('{'), readJsonOrNothing('{}')]).toEqual([undefined, {}])
  })

  test('has texts as a row can hold them where that is asked for, or is refused for them', () => {
    const strange = '{"a\\u0000":["\\ud800x","\\ud83d\\ude00"]}'
    expect(readStorableJson(strange)).toEqual({ 'a\ufffd': ['\ufffdx', '\u{1f600}'] })
    expect(readStorableJson(Buffer.from(strange))).toEqual({ 'a\ufffd': ['\ufffdx', '\u{1f600}'] })
    expect(kindOf(strange, { onlyText: true })).toBe('encoding')
    expect(kindOf('["\\ud83d\\ude00", "\\\\u0000"]', { onlyText: true })).toBe('read')
  })
})
