import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeBase32 } from '../base32/base32.ts'
import { hotp, otpauthUri, totp, totpStep, verifyTotp } from './totp.ts'
import type { HotpAlgorithm } from './totp.ts'

interface Vector {
  alg: HotpAlgorithm
  secret_ascii: string
  time: number
  digits: number
  totp: string
}

const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(new URL('./rfc6238.vectors.json', import.meta.url), 'utf8'))
const secret = Buffer.from('12345678901234567890')
const at = (seconds: number) => new Date(seconds * 1000)

describe('codes', () => {
  test.each([
    [0, '755224'],
    [1, '287082'],
    [2, '359152'],
    [3, '969429'],
    [4, '338314'],
    [5, '254676'],
    [6, '287922'],
    [7, '162583'],
    [8, '399871'],
    [9, '520489'],
  ])('RFC 4226 appendix D, counter %i is %s', (counter, code) => {
    expect(hotp(secret, counter)).toBe(code)
  })

  test.each(vectors)('RFC 6238 appendix B, $alg at $time is $totp', (vector) => {
    const code = totp(Buffer.from(vector.secret_ascii), at(vector.time), { digits: vector.digits, algorithm: vector.alg })
    expect(code).toBe(vector.totp)
  })

  test('a counter or a number of digits outside the standard is refused', () => {
    expect(() => hotp(secret, -1)).toThrow(RangeError)
    expect(() => hotp(secret, 1.5)).toThrow(RangeError)
    expect(() => hotp(secret, 1, { digits: 5 })).toThrow(RangeError)
  })
})

describe('checking a code', () => {
  const now = at(1_111_111_111)
  const present = totpStep(now)
  const codeOf = (step: number) => hotp(secret, step)

  test.each([-1, 0, 1])('the code of step %i is accepted and names its step', (distance) => {
    expect(verifyTotp({ secret, code: codeOf(present + distance), at: now })).toEqual({ ok: true, step: present + distance })
  })

  test.each([-2, 2])('the code of step %i is refused', (distance) => {
    expect(verifyTotp({ secret, code: codeOf(present + distance), at: now })).toEqual({ ok: false })
  })

  test('a code is accepted once, and an earlier one not after it', () => {
    const first = verifyTotp({ secret, code: codeOf(present), at: now })
    expect(first).toEqual({ ok: true, step: present })
    const lastUsedStep = present
    expect(verifyTotp({ secret, code: codeOf(present), at: now, lastUsedStep })).toEqual({ ok: false })
    expect(verifyTotp({ secret, code: codeOf(present - 1), at: now, lastUsedStep })).toEqual({ ok: false })
    expect(verifyTotp({ secret, code: codeOf(present + 1), at: now, lastUsedStep })).toEqual({ ok: true, step: present + 1 })
  })

  test.each(['', '12345', '1234567', 'abcdef', '12 456', '\0\0\0\0\0\0', '１２３４５６', `${'9'.repeat(100_000)}`])(
    'what is not a code is refused (%#)',
    (code) => {
      expect(verifyTotp({ secret, code, at: now })).toEqual({ ok: false })
    },
  )

  test('at the very first step there is no step before it', () => {
    expect(verifyTotp({ secret, code: codeOf(0), at: at(0) })).toEqual({ ok: true, step: 0 })
  })
})

describe('the address in the QR code', () => {
  test('carries issuer, account and secret in a form that apps read', () => {
    const address = new URL(otpauthUri({ issuer: 'Chancery & Söhne', accountName: 'ana+test@example.org', secret }))
    expect(address.protocol).toBe('otpauth:')
    expect(address.host).toBe('totp')
    expect(decodeURIComponent(address.pathname)).toBe('/Chancery & Söhne:ana+test@example.org')
    expect(address.search).not.toContain('+')
    expect(address.searchParams.get('issuer')).toBe('Chancery & Söhne')
    expect(Buffer.from(decodeBase32(address.searchParams.get('secret') ?? ''))).toEqual(secret)
    expect([address.searchParams.get('algorithm'), address.searchParams.get('digits'), address.searchParams.get('period')]).toEqual([
      'SHA1',
      '6',
      '30',
    ])
  })

  test('an issuer with a colon is refused', () => {
    expect(() => otpauthUri({ issuer: 'a:b', accountName: 'c', secret })).toThrow('colon')
  })
})
