// Values that others published, or that follow from the text of a standard byte by byte.

import fc from 'fast-check'
import { randomBytes, createPublicKey } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ApduError, chainOf, encodeCommand, parseCommand, parseResponse, type Command } from './apdu.ts'
import { openCard, readObject } from './client.ts'
import { encodeFascn } from './fascn.ts'
import { slots } from './identifiers.ts'
import { decryptBlock, encryptBlock } from './management-key.ts'
import { encodeCertificate, encodeChuid, encodePrinted, parseCertificate, parseChuid, parsePrinted } from './objects.ts'
import { encodePublicKey, parsePublicKey, spkiOf } from './public-keys.ts'
import { toBeSigned } from './signing.ts'
import { encodeTlv, readTlvs, takeTlv, TlvError } from './tlv.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')

function faultOf(read: () => unknown): unknown {
  try {
    read()
    return undefined
  } catch (error) {
    return error
  }
}

describe('commands', () => {
  test.each<[string, Command, string]>([
    ['case 1', { ins: 0x20, p1: 0, p2: 0x80 }, '00200080'],
    ['case 2 short', { ins: 0xfd, p1: 0, p2: 0, le: 0 }, '00fd000000'],
    ['case 3 short', { ins: 0x20, p1: 0, p2: 0x80, data: bytes('313233343536ffff') }, '0020008008313233343536ffff'],
    // SP 800-73-5 part 2, 3.1.1: SELECT by the right-truncated AID.
    ['case 4 short', { ins: 0xa4, p1: 4, p2: 0, data: bytes('a00000030800001000'), le: 0 }, '00a4040009a0000003080000100000'],
    ['case 2 extended', { ins: 0xcb, p1: 0, p2: 0, le: 1000 }, '00cb00000003e8'],
    ['case 3 extended', { ins: 0xdb, p1: 1, p2: 2, data: Buffer.alloc(256, 1) }, `00db0102000100${'01'.repeat(256)}`],
    ['case 4 extended', { ins: 0xdb, p1: 1, p2: 2, data: Buffer.alloc(256, 1), le: 65_536 }, `00db0102000100${'01'.repeat(256)}0000`],
  ])('%s of ISO 7816-3 12.1.3', (_case, command, expected) => {
    expect(hex(encodeCommand(command))).toBe(expected)
  })

  test('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.option(fc.integer({ min: 1, max: 65_536 }), { nil: undefined }), (data, le) => {
        const command = { cla: 0, ins: 0x87, p1: 7, p2: 0x9a, data, ...(le === undefined ? {} : { le }) }
        const read = parseCommand(encodeCommand(command))
        expect({ ...read, data: hex(read.data) }).toEqual({ ...command, data: hex(data), le })
      }),
    )
  })

  test('in a chain say which is the last', () => {
    const parts = chainOf({ ins: 0xdb, p1: 0x3f, p2: 0xff, data: Buffer.alloc(600), le: 0 })
    expect(parts.map(({ cla, data, le }) => [cla, data?.length, le])).toEqual([
      [0x10, 255, undefined],
      [0x10, 255, undefined],
      [0, 90, 0],
    ])
  })

  test('no bytes make the reader of commands fail otherwise than by saying so', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (data) => {
        expect(faultOf(() => parseCommand(data)) ?? new ApduError()).toBeInstanceOf(ApduError)
      }),
    )
  })

  test('an answer without a status is none', () => {
    expect(() => parseResponse(Uint8Array.of(0x90))).toThrow(ApduError)
  })
})

describe('data objects', () => {
  test.each([
    ['5c035fc102', [[0x5c, '5fc102']]],
    ['5f2f024000', [[0x5f2f, '4000']]],
    ['7f49820003860101', [[0x7f49, '860101']]],
    ['5381820000', undefined],
    ['5380', undefined],
    ['5384000000010a', undefined],
    ['53', undefined],
    ['5f', undefined],
    ['5f81818100', undefined],
  ])('%s is read', (text, expected) => {
    const read = () => readTlvs(bytes(text)).map(({ tag, value }) => [tag, hex(value)])
    const result = (() => {
      try {
        return read()
      } catch (error) {
        return error instanceof TlvError ? undefined : error
      }
    })()
    expect(result).toEqual(expected)
  })

  test('no bytes make the reader fail otherwise than by saying so', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
        expect(faultOf(() => readTlvs(data)) ?? new TlvError()).toBeInstanceOf(TlvError)
      }),
    )
  })

  test('the number of a card that is not federal is the one that all write', () => {
    expect(hex(encodeFascn())).toBe('d4e739da739ced39ce739d836858210842108421c84210c3eb')
    expect(() =>
      encodeFascn({
        agency: '1',
        system: '',
        credential: '',
        series: '',
        issue: '',
        person: '',
        category: '',
        organisation: '',
        association: '',
      }),
    ).toThrow(RangeError)
  })

  test('a CHUID is laid out as in SP 800-73-5 part 1 table 10', () => {
    const guid = randomBytes(16)
    const chuid = encodeChuid({ guid, expires: '20301231' })
    expect(hex(chuid)).toBe(`3019${hex(encodeFascn())}3410${hex(guid)}3508${hex(Buffer.from('20301231'))}3e00fe00`)
    expect(hex(parseChuid(chuid).guid)).toBe(hex(guid))
    expect(() => encodeChuid({ guid, expires: '31.12.2030' })).toThrow(TlvError)
  })

  test('a certificate may be packed, and what unpacks without end is refused', () => {
    const der = randomBytes(900)
    expect(hex(parseCertificate(encodeCertificate(der)))).toBe(hex(der))
    const packed = (content: Uint8Array) => Buffer.concat([encodeTlv(0x70, gzipSync(content)), encodeTlv(0x71, Uint8Array.of(1))])
    expect(hex(parseCertificate(packed(der)))).toBe(hex(der))
    expect(() => parseCertificate(packed(Buffer.alloc(5_000_000)))).toThrow('cannot be unpacked')
    expect(() => parseCertificate(Buffer.alloc(20_000))).toThrow('more than 16 KB')
  })

  test('what is printed is cut between characters', () => {
    const printed = parsePrinted(
      encodePrinted({
        name: 'Zoë '.repeat(40),
        affiliation: 'Société Générale des Cartes',
        expires: '2030DEC31',
        serial: '4711',
        issuer: 'Acme',
      }),
    )
    expect(Buffer.byteLength(printed.name)).toBeLessThanOrEqual(125)
    expect(printed).toMatchObject({ affiliation: 'Société Générale', expires: '2030DEC31', serial: '4711' })
  })
})

describe('keys', () => {
  // NIST SP 800-38A F.1 (AES) and NIST SP 800-67 appendix B.1 (TDEA).
  test.each([
    ['AES-128', '2b7e151628aed2a6abf7158809cf4f3c', '6bc1bee22e409f96e93d7e117393172a', '3ad77bb40d7a3660a89ecaf32466ef97'],
    ['AES-192', '8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b', '6bc1bee22e409f96e93d7e117393172a', 'bd334f1d6e45f25ff712a214571fa5cc'],
    [
      'AES-256',
      '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
      '6bc1bee22e409f96e93d7e117393172a',
      'f3eed1bdb5d2a03c064b5a7e3db181f8',
    ],
    ['3DES', '0123456789abcdef23456789abcdef01456789abcdef0123', '5468652071756663', 'a826fd8ce53b855f'],
  ] as const)('a block under %s is that of the publication', (algorithm, key, plain, cipher) => {
    expect(hex(encryptBlock({ algorithm, key: bytes(key) }, bytes(plain)))).toBe(cipher)
    expect(hex(decryptBlock({ algorithm, key: bytes(key) }, bytes(cipher)))).toBe(plain)
  })

  test('a public key of RFC 6979 A.2.5 is the same as a card writes it and as certificates do', () => {
    const x = '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6'
    const y = '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299'
    const key = parsePublicKey('P-256', bytes(`7f49438641 04 ${x} ${y}`))
    expect(hex(spkiOf(key))).toBe(`3059301306072a8648ce3d020106082a8648ce3d03010703420004${x}${y}`)
    expect(hex(encodePublicKey(createPublicKey({ key: Buffer.from(spkiOf(key)), format: 'der', type: 'spki' })))).toBe(
      `7f4943864104${x}${y}`,
    )
    expect(() => parsePublicKey('P-256', bytes(`7f49438641 04 ${x} ${x}`))).toThrow()
  })

  test('RSA gets the padding of RFC 8017 9.2', () => {
    const block = toBeSigned('RSA-2048', Buffer.from('abc'))
    expect(hex(block)).toBe(
      `0001${'ff'.repeat(202)}003031300d060960864801650304020105000420ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad`,
    )
  })
})

test('the twenty retired slots and their certificates stand one behind another', () => {
  expect(slots).toHaveLength(24)
  expect(slots.at(-1)).toEqual({ name: 'R20', reference: 0x95, object: 0x5fc120, says: 'Retired key management 20' })
})

test('a card that never comes to an end is left', async () => {
  const card = openCard(async () => Buffer.concat([Buffer.alloc(255), bytes('61ff')]))
  await expect(readObject(card, 0x5fc102)).rejects.toThrow('does not come to an end')
})

test('a card that names the length it wants gets it', async () => {
  const asked: string[] = []
  const card = openCard(async (command) => {
    asked.push(hex(command))
    return asked.length === 1 ? bytes('6c05') : bytes('53032a2b2c9000')
  })
  expect(hex(takeTlv(await card.send('Asked', { ins: 0xcb, p1: 0x3f, p2: 0xff, le: 0 }), 0x53))).toBe('2a2b2c')
  expect(asked).toEqual(['00cb3fff00', '00cb3fff05'])
})
