// Public keys as a card writes them (tag 7F49, SP 800-73-5 part 2 table 11) and as everybody else does, SubjectPublicKeyInfo.

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { CardKeyAlgorithm } from './identifiers.ts'
import { encodeTlv, takeTlv, TlvError } from './tlv.ts'

const publicKeyTag = 0x7f49
const curves = { 'P-256': 32, 'P-384': 48 } as const

const bytesOf = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** The key's parts without the outer tag, as the metadata of a slot has them too. */
function jwkOf(algorithm: CardKeyAlgorithm, parts: Uint8Array): JsonWebKey {
  if (algorithm === 'RSA-2048' || algorithm === 'RSA-3072') {
    const modulus = takeTlv(parts, 0x81)
    const first = modulus.findIndex((byte) => byte !== 0)
    return { kty: 'RSA', n: textOf(modulus.subarray(first < 0 ? modulus.length : first)), e: textOf(takeTlv(parts, 0x82)) }
  }
  const point = takeTlv(parts, 0x86)
  if (algorithm === 'Ed25519') return { kty: 'OKP', crv: 'Ed25519', x: textOf(point) }
  const size = curves[algorithm]
  if (point.length !== 1 + 2 * size || point[0] !== 4) throw new TlvError(`A point of ${algorithm} has ${1 + 2 * size} bytes`)
  return { kty: 'EC', crv: algorithm, x: textOf(point.subarray(1, 1 + size)), y: textOf(point.subarray(1 + size)) }
}

/** Throws where it is no key of this algorithm, also where its point is not on the curve. */
export function publicKeyOf(algorithm: CardKeyAlgorithm, parts: Uint8Array): KeyObject {
  const key = createPublicKey({ format: 'jwk', key: jwkOf(algorithm, parts) })
  const bits = key.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits !== Number(algorithm.slice(4))) throw new TlvError(`The card made a key of ${bits} bits, not ${algorithm}`)
  return key
}

/** What GENERATE ASYMMETRIC KEY PAIR answers. */
export const parsePublicKey = (algorithm: CardKeyAlgorithm, answer: Uint8Array): KeyObject =>
  publicKeyOf(algorithm, takeTlv(answer, publicKeyTag))

export const spkiOf = (key: KeyObject): Uint8Array => key.export({ format: 'der', type: 'spki' })

/** The key's parts without the outer tag. */
export function encodePublicParts(key: KeyObject): Uint8Array {
  const { kty, n, e, x, y } = key.export({ format: 'jwk' })
  if (kty === 'RSA') return Buffer.concat([encodeTlv(0x81, bytesOf(n)), encodeTlv(0x82, bytesOf(e))])
  return kty === 'OKP' ? encodeTlv(0x86, bytesOf(x)) : encodeTlv(0x86, Uint8Array.of(4), bytesOf(x), bytesOf(y))
}

export const encodePublicKey = (key: KeyObject): Uint8Array => encodeTlv(publicKeyTag, encodePublicParts(key))
