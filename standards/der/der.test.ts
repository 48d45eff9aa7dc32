import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { elementsOf, fieldsOf, finish, readInside, take, takeContext } from './fields.ts'
import { DerError, TAG, readDer, readDerSeries } from './reader.ts'
import {
  checkSetOfOrder,
  hexOf,
  implicit,
  readBitString,
  readBoolean,
  readInteger,
  readNamedBits,
  readOid,
  readSmallInteger,
  readString,
  readTime,
  readUnsignedBytes,
  STRING_TAGS,
  type StringType,
} from './values.ts'
import {
  bitString,
  boolean,
  characterString,
  concat,
  enumerated,
  explicit,
  generalizedTime,
  ia5String,
  implicitPrimitive,
  integer,
  integerContent,
  namedBitString,
  nullValue,
  octetString,
  oid,
  printableString,
  sequence,
  set,
  setOf,
  time,
  utcTime,
  utf8String,
} from './writer.ts'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
function faultOf(run: () => unknown): DerError {
  try {
    run()
  } catch (error) {
    if (error instanceof DerError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('what DER forbids', () => {
  test.for([
    ['an empty input', '', 'ends where a value should begin', 0],
    ['a tag alone', '30', 'ends where a length should stand', 1],
    ['an indefinite length', '30 80 00 00', 'Indefinite lengths', 1],
    ['a long-form length below 128', '04 81 01 00', 'short form', 2],
    ['a length with a leading zero', '04 82 00 80', 'needless leading zero', 2],
    ['a length of five bytes', '04 85 01 00 00 00 00', 'too large', 1],
    ['a length past the end', '30 03 02 01', 'claims 3 bytes where 2 are left', 0],
    ['a child longer than its parent', '30 03 02 02 01', 'claims 2 bytes where 1 are left', 2],
    ['trailing bytes', '05 00 00', '1 bytes follow', 2],
    ['a BOOLEAN other than 00 and FF', '01 01 01', 'must be 00 or FF', 0],
    ['a BOOLEAN of two bytes', '01 02 ff ff', 'exactly one byte', 0],
    ['an empty INTEGER', '02 00', 'at least one byte', 0],
    ['a padded positive INTEGER', '02 02 00 7f', 'longer than needed', 0],
    ['a padded negative INTEGER', '02 02 ff 80', 'longer than needed', 0],
    ['a BIT STRING without its first byte', '03 00', 'number of unused bits', 0],
    ['eight unused bits', '03 02 08 00', 'at most 7', 0],
    ['an empty BIT STRING with unused bits', '03 01 01', 'no unused bits', 0],
    ['unused bits that are set', '03 02 01 01', 'must be zero', 0],
    ['a NULL with content', '05 01 00', 'must be empty', 0],
    ['an empty OBJECT IDENTIFIER', '06 00', 'must not be empty', 0],
    ['an OBJECT IDENTIFIER that ends inside an arc', '06 02 2a 86', 'ends inside an arc', 0],
    ['an OBJECT IDENTIFIER arc with a leading zero', '06 03 2a 80 01', 'needless leading zero', 0],
    ['a constructed OCTET STRING', '24 03 04 01 00', 'must not be constructed', 0],
    ['a primitive SEQUENCE', '10 00', 'must be constructed', 0],
    ['end-of-contents', '00 00', 'reserved', 0],
    ['a low tag in the high form', '9f 1e 00', 'short form', 0],
    ['a high tag with a leading zero', '9f 80 1f 00', 'needless leading zero', 1],
    ['a tag number without end', '9f ff ff ff ff ff ff 7f 00', 'too large', 5],
  ] as const)('%s is refused, naming the byte', ([, hex, fault, offset]) => {
    const error = faultOf(() => readDer(bytes(hex)))
    expect(error.message).toContain(fault)
    expect(error.offset).toBe(offset)
  })

  test('nesting deeper than 32 is refused, 32 is read', () => {
    let value = nullValue()
    for (let depth = 0; depth < 32; depth += 1) value = sequence(value)
    expect(readDer(value).children).toHaveLength(1)
    expect(faultOf(() => readDer(sequence(value))).fault).toBe('Values are nested more than 32 deep')
  })

  test('more bytes or values than allowed are refused before they are looked at', () => {
    expect(faultOf(() => readDer(octetString(new Uint8Array(1 << 20)))).fault).toContain('at most 1048576')
    expect(faultOf(() => readDer(sequence(nullValue(), nullValue()), { maxValues: 2 })).fault).toBe('The encoding holds too many values')
  })

  test('a fault deep inside names the way to it', () => {
    const error = faultOf(() => readDer(bytes('30 07 05 00 30 03 01 01 05'), { path: 'thing', offset: 100 }))
    expect(error.path).toBe('thing[1][0]')
    expect(error.offset).toBe(106)
    expect(error.message).toBe('thing[1][0]: A BOOLEAN must be 00 or FF in DER (byte 106)')
  })
})

describe('values', () => {
  test('windows on the input are handed out, not copies', () => {
    const input = sequence(octetString(bytes('0102')))
    const value = readDer(input)
    expect(value.children[0]?.content.buffer).toBe(input.buffer)
    expect(value.children[0]?.offset).toBe(2)
  })

  test.for([
    ['06 03 55 04 03', '2.5.4.3'],
    ['06 06 2a 86 48 86 f7 0d', '1.2.840.113549'],
    ['06 02 88 37', '2.999'],
    ['06 01 27', '0.39'],
    ['06 14 69 83 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff 7f', '2.25.340282366920938463463374607431768211455'],
  ] as const)('object identifier %s reads as %s and writes back', ([hex, dotted]) => {
    const value = readDer(bytes(hex))
    expect(readOid(value)).toBe(dotted)
    expect(hexOf(oid(readOid(value)))).toBe(hex.replaceAll(' ', ''))
  })

  test('text that is no object identifier cannot be written', () => {
    for (const text of ['', '1', '1.', '3.1', '1.40', '1.02.3', '1.2.-3', '1.2.x', `1.2.${'9'.repeat(60)}`]) {
      expect(() => oid(text)).toThrow(RangeError)
    }
  })

  test.for([
    ['the 30th of February', '170d3235303233303030303030305a'],
    ['no seconds', '170b323530323033303030305a'],
    ['a zone instead of Z', '17113235303130313030303030302b30313030'],
    ['fractions', '181132303530303130313030303030302e355a'],
    ['hour 24', '170d3235303130313234303030305a'],
    ['second 60', '170d3235303130313030303036305a'],
  ] as const)('a time with %s is refused', ([, hex]) => {
    expect(() => readTime(readDer(bytes(hex)))).toThrow(DerError)
  })

  test('times turn to GeneralizedTime in 2050', () => {
    const last = new Date('2049-12-31T23:59:59Z')
    const first = new Date('2050-01-01T00:00:00Z')
    expect([time(last)[0], time(first)[0]]).toEqual([TAG.utcTime, TAG.generalizedTime])
    expect(readTime(readDer(time(last)))).toEqual(last)
    expect(readTime(readDer(time(first)))).toEqual(first)
    expect(readTime(readDer(utcTime(new Date('1950-01-01T00:00:00Z')))).getUTCFullYear()).toBe(1950)
    expect(() => utcTime(first)).toThrow(RangeError)
    expect(() => time(new Date(Number.NaN))).toThrow(RangeError)
  })

  test('characters outside a string type can neither be read nor written', () => {
    expect(() => readString(readDer(bytes('13 01 40')))).toThrow('not a valid PrintableString')
    expect(() => readString(readDer(bytes('0c 01 ff')))).toThrow('not a valid UTF8String')
    expect(() => readString(readDer(bytes('0c 02 c0 80')))).toThrow('not a valid UTF8String')
    expect(() => readString(readDer(bytes('16 01 80')))).toThrow('not a valid IA5String')
    expect(() => readString(readDer(bytes('1e 02 d8 00')))).toThrow('not a valid BMPString')
    expect(() => printableString('a@b')).toThrow(RangeError)
    expect(() => ia5String('é')).toThrow(RangeError)
    expect(() => utf8String('\ud800')).toThrow(RangeError)
  })

  test('named bits lose their trailing zeros and must not come with them', () => {
    expect(hexOf(namedBitString([0, 2]))).toBe('030205a0')
    expect(hexOf(namedBitString([]))).toBe('030100')
    expect(readNamedBits(readDer(namedBitString([5, 8])))).toEqual([5, 8])
    expect(() => readNamedBits(readDer(bytes('03 02 00 a0')))).toThrow('must not end with a zero bit')
  })

  test('an INTEGER stands for its number, and bytes are taken as unsigned', () => {
    expect(hexOf(integer(bytes('00 00 ff')))).toBe('020200ff')
    expect(hexOf(integer(0))).toBe('020100')
    expect(hexOf(integer(-129n))).toBe('0202ff7f')
    expect(hexOf(readUnsignedBytes(readDer(integer(255))))).toBe('ff')
    expect(() => readUnsignedBytes(readDer(integer(-1)))).toThrow('must not be negative')
    expect(() => readSmallInteger(readDer(integer(1n << 40n)))).toThrow('between 0 and')
    expect(hexOf(enumerated(5))).toBe('0a0105')
  })

  test('a SET OF is sorted when written and checked when read', () => {
    const sorted = setOf(integer(2), integer(1), boolean(true))
    expect(hexOf(sorted)).toBe('31090101ff020101020102')
    expect(() => checkSetOfOrder(readDer(sorted))).not.toThrow()
    expect(() => checkSetOfOrder(readDer(set(integer(2), integer(1))))).toThrow('ascending order')
  })
})

describe('fields', () => {
  test('a missing, an unexpected and a wrong field are told apart, each with its path', () => {
    const value = readDer(sequence(integer(1), explicit(0, sequence(integer(300)))), { path: 'top' })
    const fields = fieldsOf(value)
    expect(readInteger(take(fields, 'version'))).toBe(1n)
    expect(faultOf(() => finish(fields)).message).toBe('top: Unexpected [0] after the last field (byte 5)')
    expect(takeContext(fields, 1, 'other')).toBeUndefined()
    const list = takeContext(fields, 0, 'list')
    expect(() => finish(fields)).not.toThrow()
    expect(faultOf(() => take(fields, 'more')).message).toBe('top: The field more is missing (byte 0)')
    const inner = list?.children[0]
    if (inner === undefined) throw new Error('the list is there')
    inner.path = 'top.list'
    const [element] = elementsOf(inner)
    if (element === undefined) throw new Error('the element is there')
    expect(faultOf(() => readBoolean(element)).message).toBe('top.list[0]: Expected BOOLEAN, found INTEGER (byte 9)')
  })

  test('a value inside an OCTET STRING keeps its place in the whole', () => {
    const value = readDer(concat(sequence(nullValue(), octetString(sequence(bytes('010101'))))))
    const wrapped = value.children[1]
    if (wrapped === undefined) throw new Error('the string is there')
    wrapped.path = 'extnValue'
    expect(faultOf(() => readInside(wrapped, wrapped.content)).message).toBe('extnValue[0]: A BOOLEAN must be 00 or FF in DER (byte 8)')
  })

  test('an implicit tag is checked as the type it stands for', () => {
    const good = readDer(implicitPrimitive(2, integerContent(7)))
    expect(readInteger(implicit(good, TAG.integer))).toBe(7n)
    expect(() => implicit(readDer(bytes('82 02 00 01')), TAG.integer)).toThrow('longer than needed')
  })
})

describe('whatever is written is read back the same', () => {
  const strings = Object.keys(STRING_TAGS) as StringType[]
  test('integers', () => {
    fc.assert(fc.property(fc.bigInt({ min: -(1n << 300n), max: 1n << 300n }), (number) => readInteger(readDer(integer(number))) === number))
  })
  test('strings of every type', () => {
    fc.assert(
      fc.property(fc.constantFrom(...strings), fc.string({ unit: 'binary' }), (type, text) => {
        let encoded: Uint8Array
        try {
          encoded = characterString(type, text)
        } catch (error) {
          return error instanceof RangeError
        }
        const read = readString(readDer(encoded))
        return read.type === type && read.value === text
      }),
    )
  })
  test('times to the second', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        date.setUTCMilliseconds(0)
        return (
          readTime(readDer(time(date))).getTime() === date.getTime() &&
          readTime(readDer(generalizedTime(date))).getTime() === date.getTime()
        )
      }),
    )
  })
  test('object identifiers', () => {
    const arcs = fc.array(fc.bigInt({ min: 0n, max: 1n << 100n }), { maxLength: 8 })
    fc.assert(
      fc.property(fc.nat(2), fc.nat(39), arcs, (first, second, rest) => {
        const dotted = [first, second, ...rest].join('.')
        return readOid(readDer(oid(dotted))) === dotted
      }),
    )
  })
  test('bit strings, lengths from one to five bytes, and series', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
        const [first, second] = readDerSeries(concat(bitString(content), octetString(content)))
        return (
          first !== undefined &&
          hexOf(readBitString(first).bytes) === hexOf(content) &&
          hexOf(second?.content ?? bytes('')) === hexOf(content)
        )
      }),
    )
    for (const [length, headerLength] of [
      [127, 2],
      [128, 3],
      [256, 4],
      [65_536, 5],
    ] as const) {
      expect(readDer(octetString(new Uint8Array(length)))).toMatchObject({ headerLength, children: [] })
    }
  })
})

test('arbitrary bytes are read or refused with a DerError, nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (input) => {
      try {
        return readDer(input).encoded.length === input.length
      } catch (error) {
        return error instanceof DerError
      }
    }),
    { numRuns: 3000 },
  )
})
