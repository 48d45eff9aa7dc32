// ECDSA over a hash that was made elsewhere, which is what a PIV card gets to sign and what Node signs only together with its hashing. The point is Node's;
// here are the three lines around it. For the virtual card alone: nothing here keeps its time secret.

import { createECDH, randomBytes } from 'node:crypto'
import { integer, sequence } from '../../der/writer.ts'

const curves = {
  'P-256': { name: 'prime256v1', bytes: 32, order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n },
  'P-384': {
    name: 'secp384r1',
    bytes: 48,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
} as const

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)

function inverse(value: bigint, modulus: bigint): bigint {
  let [left, right, first, second] = [value % modulus, modulus, 1n, 0n]
  while (left > 1n) {
    const times = right / left
    ;[left, right, first, second] = [right - times * left, left, second - times * first, first]
  }
  return ((first % modulus) + modulus) % modulus
}

/** The DER signature of the hash, which is cut to the length of the order (FIPS 186-5 6.4.1). */
export function signHash(curve: keyof typeof curves, privateKey: Uint8Array, hash: Uint8Array): Uint8Array {
  const { name, bytes, order } = curves[curve]
  const digest = numberOf(hash.subarray(0, bytes))
  for (;;) {
    const nonce = numberOf(randomBytes(bytes))
    if (nonce === 0n || nonce >= order) continue
    const machine = createECDH(name)
    machine.setPrivateKey(Buffer.from(nonce.toString(16).padStart(bytes * 2, '0'), 'hex'))
    const r = numberOf(machine.getPublicKey().subarray(1, 1 + bytes)) % order
    const s = (inverse(nonce, order) * (digest + r * numberOf(privateKey))) % order
    if (r !== 0n && s !== 0n) return sequence(integer(r), integer(s))
  }
}
