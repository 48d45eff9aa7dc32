import { generateKeyPairSync, generatePrimeSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { parsePublicKey } from './public-key.ts'
import { numberOf } from './rsa-checks.ts'
import { commonFactor, productOfModuli } from './shared-factors.ts'

const bytesOf = (number: bigint): Uint8Array => {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}
const prime = (): bigint => generatePrimeSync(512, { bigint: true })
const modulus = (): Uint8Array => bytesOf(prime() * prime())

test('a prime shared with one of many moduli is found', () => {
  const shared = prime()
  const others = Array.from({ length: 9 }, modulus)
  const [first, second] = [bytesOf(shared * prime()), bytesOf(shared * prime())]
  const product = productOfModuli([...others, first])
  expect(commonFactor(second, product)).toBe(shared)
  expect(commonFactor(modulus(), product)).toBeUndefined()
  expect(commonFactor(first, product)).toBe(numberOf(first))
  expect(commonFactor(first, product, true)).toBeUndefined()
  expect(commonFactor(first, productOfModuli([...others, first, second]), true)).toBe(shared)
  expect(commonFactor(new Uint8Array(1), product)).toBeUndefined()
  expect(productOfModuli([])).toBe(1n)
})

test('keys of OpenSSL share nothing', () => {
  const moduli = Array.from(
    { length: 5 },
    () =>
      parsePublicKey(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'der' })).modulus ??
      new Uint8Array(),
  )
  const product = productOfModuli(moduli)
  expect(moduli.map((one) => commonFactor(one, product, true))).toEqual(moduli.map(() => undefined))
})
