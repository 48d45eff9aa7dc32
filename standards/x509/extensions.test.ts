import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDer } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { boolean, implicitConstructed, implicitPrimitive, integer, octetString, oid, sequence, utf8String } from '../der/writer.ts'
import { describeExtension } from './describe-extension.ts'
import type { Extension } from './extension-types.ts'
import { KINDS } from './extensions.fixture.ts'
import { encodeExtension, encodeExtensions, extensionOid, findExtension, parseExtension, parseExtensions } from './extensions.ts'
import {
  addressBytes,
  encodeGeneralName,
  formatAddress,
  generalNameText,
  hardwareModuleName,
  otherNameText,
  parseGeneralName,
  readHardwareModuleName,
  userPrincipalName,
} from './general-names.ts'
import { OIDS } from './oids.ts'

describe.each(Object.entries(KINDS))('the extension %s', (_, kind) => {
  test('is read as it was written, to the byte, and described', () => {
    fc.assert(
      fc.property<[Extension]>(kind as fc.Arbitrary<Extension>, (extension) => {
        const encoded = encodeExtension(extension)
        const read = parseExtension(readDer(encoded))
        expect(read).toEqual(extension)
        expect(hexOf(encodeExtension(read))).toBe(hexOf(encoded))
        expect(describeExtension(read).label).not.toBe('')
      }),
      { numRuns: 60 },
    )
  })
})

describe('extensions together', () => {
  test('are found by kind and keep their order', () => {
    const list = fc.sample(fc.tuple(KINDS.keyUsage, KINDS.subjectAltName, KINDS.unknown), 1)[0] ?? []
    const read = parseExtensions(readDer(encodeExtensions(list)))
    expect(read.map(extensionOid)).toEqual([OIDS.keyUsage, OIDS.subjectAltName, '1.2.3.4'])
    expect(findExtension(read, 'subjectAltName')?.names).toEqual(list[1]?.names)
    expect(findExtension(read, 'extKeyUsage')).toBeUndefined()
  })

  const wrap = (id: string, value: Uint8Array): Uint8Array => sequence(oid(id), octetString(value))
  test.for<[string, string, Uint8Array, string]>([
    ['cA FALSE written out', OIDS.basicConstraints, sequence(boolean(false)), 'extnValue(basicConstraints).cA: FALSE is the default'],
    [
      'a negative path length',
      OIDS.basicConstraints,
      sequence(boolean(true), integer(-1)),
      'pathLenConstraint: The number must be between 0',
    ],
    [
      'reasons that end with zero bits',
      OIDS.cRLDistributionPoints,
      sequence(sequence(implicitPrimitive(1, Uint8Array.of(0, 0x60)), implicitConstructed(2, implicitPrimitive(2, Uint8Array.of(97))))),
      'must not end with a zero bit',
    ],
    ['a key usage that does not exist', OIDS.keyUsage, Buffer.from('0303060040', 'hex'), 'Bit 9 is no key usage'],
    [
      'an IP address of 5 bytes',
      OIDS.subjectAltName,
      sequence(implicitPrimitive(7, new Uint8Array(5))),
      'extnValue(subjectAltName)[0]: An IP address has 4 or 16 bytes, not 5',
    ],
    [
      'a DNS name with a byte above 127',
      OIDS.subjectAltName,
      sequence(implicitPrimitive(2, Uint8Array.of(0xe9))),
      '[0]: The bytes are not a valid IA5String',
    ],
    ['a name of form 9', OIDS.subjectAltName, sequence(implicitPrimitive(9, new Uint8Array(1))), '[9] is no form of GeneralName'],
    ['a constraint without subtrees', OIDS.nameConstraints, sequence(), 'must not be empty'],
    ['a distribution point that says nothing', OIDS.cRLDistributionPoints, sequence(sequence()), 'needs a name or a CRL issuer'],
    ['a template name that is text', OIDS.microsoftCertificateTemplate, utf8String('x'), 'Expected SEQUENCE, found UTF8String'],
    ['an empty list of timestamps', OIDS.signedCertificateTimestampList, octetString(Uint8Array.of(0, 0)), 'must not be empty'],
    [
      'a timestamp that lies about its length',
      OIDS.signedCertificateTimestampList,
      octetString(Uint8Array.of(0, 4, 0, 9, 0, 0)),
      'extnValue(signedCertificateTimestampList): The list of timestamps ends too early',
    ],
    ['a timestamp cut off', OIDS.signedCertificateTimestampList, octetString(Uint8Array.of(0, 3, 0, 1, 0)), 'A timestamp ends too early'],
    ['bytes behind the timestamps', OIDS.signedCertificateTimestampList, octetString(Uint8Array.of(0, 3, 0, 1, 7, 9)), '1 bytes follow'],
    [
      'a limit without its exponent',
      OIDS.qcStatements,
      sequence(sequence(oid(OIDS.qcLimitValue), sequence(integer(978), integer(1)))),
      'extnValue(qcStatements)[0].statementInfo: The field exponent is missing',
    ],
    [
      'a purpose of a qualified certificate left out',
      OIDS.qcStatements,
      sequence(sequence(oid(OIDS.qcType))),
      'The field statementInfo is missing',
    ],
    ['an ACME digest of 31 bytes', OIDS.acmeIdentifier, octetString(new Uint8Array(31)), 'has 32 bytes'],
    [
      'a security identifier that is none',
      OIDS.microsoftSecurityIdentifier,
      sequence(
        encodeGeneralName({ type: 'otherName', typeId: OIDS.microsoftSecurityIdentifierName, value: octetString(Buffer.from('S-1-x')) }),
      ),
      'must have the form',
    ],
  ])('%s is refused, naming the field', ([, id, value, message]) => {
    expect(() => parseExtension(readDer(wrap(id, value)))).toThrow(message)
  })
})

describe('general names', () => {
  test.for([
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
    ['2001:db8:0:1:1:1:1:1', '20010db8000000010001000100010001'],
    ['2001:0:0:1::1', '20010000000000010000000000000001'],
    ['fe80::', 'fe800000000000000000000000000000'],
    ['192.0.2.1', 'c0000201'],
  ] as const)('the address %s is %s', ([address_, hex]) => {
    expect(hexOf(addressBytes(address_))).toBe(hex)
    expect(formatAddress(Buffer.from(hex, 'hex'))).toBe(address_)
  })

  test('an address with its last part dotted is taken, a scoped or short one is not', () => {
    expect(hexOf(addressBytes('::ffff:192.0.2.1'))).toBe('00000000000000000000ffffc0000201')
    for (const wrong of ['fe80::1%eth0', '10.1', '010.0.0.1', '', 'x']) expect(() => addressBytes(wrong)).toThrow('not an IP address')
  })

  test('a user principal name and a hardware module name are what Windows and RFC 4108 expect', () => {
    expect(hexOf(encodeGeneralName(userPrincipalName('a@b')))).toBe('a013060a2b060104018237140203a0050c03614062')
    expect(otherNameText(userPrincipalName('a@b'))).toBe('a@b')
    expect(otherNameText(hardwareModuleName('1.2.3', Uint8Array.of(1)))).toBeUndefined()
    expect(readHardwareModuleName(hardwareModuleName('1.2.3', Uint8Array.of(1)))).toEqual({
      hardwareType: '1.2.3',
      serial: Uint8Array.of(1),
    })
    expect(readHardwareModuleName(userPrincipalName('a@b'))).toBeUndefined()
    expect(generalNameText(hardwareModuleName('1.2.3', Uint8Array.of(1)), () => '')).toBe('1.2.3 01')
    expect(parseGeneralName(readDer(encodeGeneralName(hardwareModuleName('1.2.3', Uint8Array.of(1)))))).toMatchObject({
      type: 'otherName',
      typeId: OIDS.hardwareModuleName,
    })
  })
})
