import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Base32Error, decodeBase32, encodeBase32 } from './base32.ts'

describe('Base32 (RFC 4648 section 10)', () => {
  test.each([
    ['', ''],
    ['f', 'MY======'],
    ['fo', 'MZXQ===='],
    ['foo', 'MZXW6==='],
    ['foob', 'MZXW6YQ='],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI======'],
  ])('%j is %j', (plain, encoded) => {
    const bytes = new TextEncoder().encode(plain)
    expect(encodeBase32(bytes, { padding: true })).toBe(encoded)
    expect(encodeBase32(bytes)).toBe(encoded.replaceAll('=', ''))
    expect(decodeBase32(encoded)).toEqual(bytes)
    expect(decodeBase32(encoded.replaceAll('=', ''))).toEqual(bytes)
  })

  test('every byte string comes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, padding) => {
        expect(decodeBase32(encodeBase32(bytes, { padding }))).toEqual(bytes)
      }),
    )
  })

  test('a secret typed by hand in lower case and groups of four is read', () => {
    expect(decodeBase32('mzxw 6ytb-oi')).toEqual(new TextEncoder().encode('foobar'))
  })

  test.each([
    ['a character outside the alphabet', 'MZXW6YT1', 'Character 8 is not in the Base32 alphabet'],
    ['text cut short', 'MZX', 'is cut short'],
    ['stray bits', 'MZ', 'stray bits'],
    ['wrong padding', 'MY===', 'padding'],
    ['padding in the middle', 'MY======MY======', 'Character 3'],
  ])('%s is refused', (_what, text, fault) => {
    expect(() => decodeBase32(text)).toThrow(Base32Error)
    expect(() => decodeBase32(text)).toThrow(fault)
  })
})
