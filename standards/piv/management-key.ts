// The management key's side of GENERAL AUTHENTICATE: one block enciphered or deciphered, and how a card's own key follows from a master key.

import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { managementAlgorithms, type ManagementAlgorithm } from './identifiers.ts'

export type ManagementKey = { algorithm: ManagementAlgorithm; key: Uint8Array }

function block(direction: 'encrypt' | 'decrypt', { algorithm, key }: ManagementKey, data: Uint8Array): Uint8Array {
  const { cipher, block: length, key: keyLength } = managementAlgorithms[algorithm]
  if (key.length !== keyLength) throw new RangeError(`A key of ${algorithm} has ${keyLength} bytes`)
  if (data.length !== length) throw new RangeError(`A block of ${algorithm} has ${length} bytes`)
  const machine = direction === 'encrypt' ? createCipheriv(cipher, key, null) : createDecipheriv(cipher, key, null)
  machine.setAutoPadding(false)
  return Buffer.concat([machine.update(data), machine.final()])
}

export const encryptBlock = (key: ManagementKey, data: Uint8Array): Uint8Array => block('encrypt', key, data)
export const decryptBlock = (key: ManagementKey, data: Uint8Array): Uint8Array => block('decrypt', key, data)

/**
 * The key of one card (SP 800-108 counter mode with HMAC-SHA-256): another for each card and each version, so that one that is found out opens no other. Weak
 * and half-weak DES keys do not matter here: they come up once in 2^52.
 */
export function diversify(
  master: Uint8Array,
  algorithm: ManagementAlgorithm,
  { serial, version }: { serial: string; version: number },
): ManagementKey {
  const { key: length } = managementAlgorithms[algorithm]
  const label = Buffer.from(`PIV management key ${algorithm}`)
  const context = Buffer.from(`${serial} ${version}`)
  const bits = Buffer.alloc(4)
  bits.writeUInt32BE(length * 8)
  const counter = Buffer.from([0, 0, 0, 1])
  const made = createHmac('sha256', master)
    .update(Buffer.concat([counter, label, Uint8Array.of(0), context, bits]))
    .digest()
    .subarray(0, length)
  return { algorithm, key: algorithm === '3DES' ? withParity(made) : made }
}

/** DES keys have an odd number of ones in each byte, and cards refuse others. */
const withParity = (key: Uint8Array): Uint8Array =>
  key.map((byte) => {
    const ones = [1, 2, 3, 4, 5, 6, 7].reduce((sum, place) => sum + ((byte >> place) & 1), 0)
    return (byte & 0xfe) | (ones % 2 === 0 ? 1 : 0)
  })

export const sameBytes = (left: Uint8Array, right: Uint8Array): boolean => left.length === right.length && timingSafeEqual(left, right)
