import { describe, expect, test } from 'vitest'
import {
  checkValueOf,
  cmac,
  isSame,
  keyCheckValue,
  managerKeysOf,
  openWrapper,
  readInitializeUpdate,
  ScpError,
  sessionOf,
} from './scp03.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const key = hex('2b7e151628aed2a6abf7158809cf4f3c')

describe('CMAC', () => {
  test.each([
    ['', 'bb1d6929e95937287fa37d129b756746'],
    ['6bc1bee22e409f96e93d7e117393172a', '070a16b46b4d4144f79bdd9dd04a287c'],
    ['6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411', 'dfa66747de9ae63030ca32611497c827'],
  ])('of RFC 4493: %s', (message, expected) => {
    expect(cmac(key, hex(message)).toString('hex')).toBe(expected)
  })
})

// An exchange with a real card, as the tests of pySim keep it: keys 00.., 10.., 20.., key version 30.
const keys = {
  enc: hex('000102030405060708090a0b0c0d0e0f'),
  mac: hex('101112131415161718191a1b1c1d1e1f'),
  dek: hex('202122232425262728292a2b2c2d2e2f'),
}
const hostChallenge = hex('b13e5f938fc108c4')
const update = hex('000000000000000000003003703eb51047495b249f66c484c1d2ef1948000002')

describe('A session with a card', () => {
  test('knows the card by its cryptogram, proves itself, and protects what follows', () => {
    const answered = readInitializeUpdate(update)
    expect(answered.keyVersion).toBe(0x30)
    const { session, cardCryptogram, hostCryptogram } = sessionOf(keys, hostChallenge, answered.cardChallenge)
    expect(isSame(cardCryptogram, answered.cardCryptogram)).toBe(true)
    const wrap = openWrapper(session, { encrypt: false })
    const first = wrap({ cla: 0x80, ins: 0x82, p1: 0x11, p2: 0, data: hostCryptogram })
    expect(Buffer.from(first).toString('hex')).toBe('84821100107d5f5826a993ebc89eea24957fa0b3ce')
    const second = wrap({ cla: 0x80, ins: 0xe2, p1: 0x91, p2: 0, data: hex('bf3e035c015a') })
    expect(Buffer.from(second).toString('hex')).toBe('84e291000ebf3e035c015a558d036518a28297')
  })

  test('encrypts what it says where it is asked to', () => {
    const { cardChallenge } = readInitializeUpdate(hex('0000000000000000000030037030760cd2c47c1dd395065fe5ead8a9d7000001'))
    const { session, hostCryptogram } = sessionOf(keys, hex('8e1552d0513c60f3'), cardChallenge)
    const wrap = openWrapper(session, { encrypt: true })
    const first = wrap({ cla: 0x80, ins: 0x82, p1: 0x03, p2: 0, data: hostCryptogram })
    expect(Buffer.from(first).toString('hex')).toBe('8482030010fd4721a14d9b07003c451d2f8ae6bb21')
    const second = wrap({ cla: 0x80, ins: 0xe2, p1: 0x91, p2: 0, data: hex('bf3e035c015a') })
    expect(Buffer.from(second).toString('hex')).toBe('84e2910018ca9c00f6713d79bc8baa642bdff51c3f6a4082d3bd9ad26c')
  })

  test('sees that the keys are others before it proves itself', () => {
    const { cardChallenge, cardCryptogram } = readInitializeUpdate(update)
    const other = sessionOf(managerKeysOf(keys.enc, hex('00010203040506070809')), hostChallenge, cardChallenge)
    expect(isSame(other.cardCryptogram, cardCryptogram)).toBe(false)
    expect(() => readInitializeUpdate(hex('00000000000000000000ff02'.padEnd(56, '0')))).toThrow(ScpError)
  })
})

test('a check value tells keys apart, each and in their order', () => {
  expect(keyCheckValue(hex('404142434445464748494a4b4c4d4e4f'))).toBe('504A77')
  const [one, two] = ['00', '01'].map((last) => managerKeysOf(key, hex(`000102030405060708${last}`)))
  expect(one).toBeDefined()
  expect(two).toBeDefined()
  expect(checkValueOf(one ?? keys)).not.toBe(checkValueOf(two ?? keys))
  expect(managerKeysOf(hex('00'.repeat(32)), hex('00')).enc).toHaveLength(32)
})
