import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { AuditLogError } from './merkle.ts'

const text = (value: unknown) => new TextDecoder().decode(canonicalJson(value))

describe('RFC 8785', () => {
  test('section 3.2.2: the sample object', () => {
    const input: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    expect(text(input)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
    // The head of the byte string printed in section 3.2.4.
    expect(Buffer.from(canonicalJson(input)).subarray(0, 16).toString('hex')).toBe('7b226c69746572616c73223a5b6e756c')
  })

  test('section 3.2.3: members are sorted by UTF-16 code units', () => {
    const input: unknown = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`)
    const values: unknown[] = Object.values(JSON.parse(text(input).replace('"1":', '"_1":')))
    expect(values).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: the double %s is written %s', (bits, written) => {
    expect(text(Buffer.from(bits, 'hex').readDoubleBE())).toBe(written)
  })

  test.each(['7ff0000000000000', 'fff0000000000000', '7fffffffffffffff'])('appendix B: the double %s is refused', (bits) => {
    expect(() => text(Buffer.from(bits, 'hex').readDoubleBE())).toThrow(AuditLogError)
  })
})

describe('a row of the log', () => {
  test('has the same bytes however its members were put in and however often it is read back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const once = text(value)
        expect(text(JSON.parse(once))).toBe(once)
        expect(JSON.parse(once)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    expect(text({ b: 1, a: { d: 2, c: undefined } })).toBe('{"a":{"d":2},"b":1}')
  })

  test.each([
    ['a date', { at: new Date(0) }, '$.at'],
    ['a big integer', { serial: 1n }, '$.serial'],
    ['undefined in a list', [1, undefined], '$[1]'],
    ['bytes', { key: new Uint8Array(2) }, '$.key'],
    ['half a character', { name: '\ud800' }, '$.name'],
    ['half a character in a name', { '\udc00': 1 }, '$'],
    ['a function', { call: () => 1 }, '$.call'],
  ])('with %s is refused by name', (_what, value, path) => {
    expect(() => canonicalJson(value)).toThrow(AuditLogError)
    expect(() => canonicalJson(value)).toThrow(path)
  })

  test('that is nested without end is refused', () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    expect(() => canonicalJson(loop)).toThrow('nested')
  })
})
