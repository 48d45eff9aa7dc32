import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { readDer } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { characterString, oid, sequence, set, utf8String } from '../der/writer.ts'
import { X509Error } from './error.ts'
import {
  ATTRIBUTE_KEYWORDS,
  attribute,
  attributeType,
  commonNameOf,
  encodeName,
  formatName,
  nameEquals,
  nameOf,
  parseDistinguishedName,
  parseName,
  type Name,
} from './names.ts'
import { OIDS } from './oids.ts'

describe('the text of a name', () => {
  // RFC 4514 section 4, and what people write.
  test.for([
    ['UID=jsmith,DC=example,DC=net', 'UID=jsmith,DC=example,DC=net'],
    ['OU=Sales+CN=J.  Smith,DC=example,DC=net', 'OU=Sales+CN=J.  Smith,DC=example,DC=net'],
    ['CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net', 'CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net'],
    ['CN=Before\\0dAfter,DC=example,DC=net', 'CN=Before\\0dAfter,DC=example,DC=net'],
    ['1.3.6.1.4.1.1466.0=#04024869', '1.3.6.1.4.1.1466.0=#04024869'],
    ['CN=Lu\\C4\\8Di\\C4\\87', 'CN=Lučić'],
    ['cn = Ada , o="Lovelace, Ltd." ; c=GB', 'CN=Ada,O=Lovelace\\, Ltd.,C=GB'],
    ['CN=\\ two spaces\\ ', 'CN=\\ two spaces\\ '],
    ['CN=\\#hash', 'CN=\\#hash'],
    ['CN=\\ ', 'CN=\\ '],
    ['CN=\\\\\\ ', 'CN=\\\\\\ '],
    ['CN=\u00a0hard\u3000', 'CN=\u00a0hard\u3000'],
    ['OID.2.5.4.3=Ada', 'CN=Ada'],
    ['E=a@b.example,S=Utrecht,G=Ada', 'emailAddress=a@b.example,ST=Utrecht,GN=Ada'],
    ['CN=', 'CN='],
    ['', ''],
  ] as const)('%s is read, and written as %s', ([text, written]) => {
    const name = parseName(encodeName(parseDistinguishedName(text)))
    expect(formatName(name)).toBe(written)
  })

  test.for([
    ['CN', 'Expected an attribute'],
    ['XX=1', '"XX" is not an attribute type'],
    ['CN=a,', 'ends with a separator'],
    ['CN=a+', 'ends with a separator'],
    ['CN=a,,O=b', 'Expected an attribute such as CN=name at character 6'],
    ['CN="a', 'quotation mark is not closed'],
    ['CN="a" b', 'Expected a comma at character 8'],
    ['CN=\\zz', 'Unknown escape at character 4'],
    ['CN=\\C4', 'not UTF-8'],
    ['CN=#0c', 'attribute value'],
    ['CN=#xyz', 'Expected hexadecimal digits'],
    [`CN=${'a'.repeat(20_000)}`, 'longer than 16,384'],
  ] as const)('%s is refused', ([text, message]) => {
    expect(() => parseDistinguishedName(text)).toThrow(message)
  })

  const value = fc.string({ unit: 'grapheme', maxLength: 20 })
  const anyName: fc.Arbitrary<Name> = fc.array(
    fc
      .tuple(fc.constantFrom('CN', 'O', 'OU', 'L', 'ST', 'street', 'title', 'UID', 'GN'), value)
      .map(([type, text]) => [attribute(type, text)]),
    { maxLength: 5 },
  )
  test('any name survives being written as text and as DER', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const encoded = hexOf(encodeName(name))
        return (
          hexOf(encodeName(parseDistinguishedName(formatName(name)))) === encoded &&
          hexOf(encodeName(parseName(encodeName(name)))) === encoded
        )
      }),
    )
  })

  test('openssl reads the same text out of what we write', () => {
    const name = nameOf(['C', 'NL'], ['O', 'Ünion, "quoted" <x>; #1'], ['emailAddress', 'a@b.example'], ['CN', ' a+b=c\\d '])
    const printed = execFileSync('openssl', ['asn1parse', '-inform', 'DER'], { input: encodeName(name) }).toString()
    expect(printed).toContain('UTF8STRING        :Ünion, "quoted" <x>; #1')
    expect(printed).toContain('IA5STRING         :a@b.example')
    expect(printed).toContain('PRINTABLESTRING   :NL')
  })
})

describe('the encoding of a name', () => {
  test('each attribute gets the string type its standard asks for', () => {
    for (const [keyword, { oid: type, stringType = 'utf8String' }] of Object.entries(ATTRIBUTE_KEYWORDS)) {
      expect(attribute(keyword, 'x')).toEqual({ type, value: 'x', stringType })
      expect(attributeType(keyword.toUpperCase())).toBe(type)
    }
    expect(() => attribute('nonsense', 'x')).toThrow(X509Error)
  })

  test('old string types are read and written back as they were', () => {
    for (const type of ['teletexString', 'bmpString', 'universalString', 'numericString'] as const) {
      const encoded = sequence(set(sequence(oid(OIDS.commonName), characterString(type, '123'))))
      const name = parseName(encoded)
      expect(name).toEqual([[{ type: OIDS.commonName, value: '123', stringType: type }]])
      expect(hexOf(encodeName(name))).toBe(hexOf(encoded))
      expect(nameEquals(name, nameOf(['CN', '123']))).toBe(true)
    }
  })

  test('an empty set, a set out of order and a wrong character are refused with their place', () => {
    const item = (text: string) => sequence(oid(OIDS.commonName), utf8String(text))
    expect(() => parseName(readDer(sequence(set()), { path: 'issuer' }))).toThrow('issuer[0]: The list must not be empty')
    expect(() => parseName(sequence(set(item('b'), item('a'))))).toThrow('name[0]: The elements of a SET OF must be in ascending order')
    expect(() => parseName(Buffer.from('300d310b3009060355040613024ef1', 'hex'))).toThrow(
      'name[0][0].value: The bytes are not a valid PrintableString',
    )
  })
})

test('letter case, string type and runs of spaces do not tell names apart, anything else does', () => {
  const name = nameOf(['C', 'NL'], ['O', 'Chancery  Ltd'], ['CN', 'Straße'])
  expect(
    nameEquals(name, [
      [attribute('C', 'nl')],
      [{ ...attribute('O', ' chancery ltd '), stringType: 'bmpString' }],
      [attribute('CN', 'STRAßE')],
    ]),
  ).toBe(true)
  expect(nameEquals(name, nameOf(['C', 'NL'], ['CN', 'Straße'], ['O', 'Chancery Ltd']))).toBe(false)
  expect(nameEquals(nameOf(['CN', 'a'], ['CN', 'b']), [[attribute('CN', 'a'), attribute('CN', 'b')]])).toBe(false)
  expect(nameEquals(nameOf(['CN', 'a,2.5.4.3="b"']), nameOf(['CN', 'a'], ['CN', 'b']))).toBe(false)
  expect(commonNameOf(name)).toBe('Straße')
})
