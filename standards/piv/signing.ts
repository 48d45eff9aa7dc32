// What a card is given to sign: a card hashes and pads nothing (but Ed25519), so the host does. The names of algorithms are those of certificates.

import { createHash } from 'node:crypto'
import type { SignatureAlgorithm } from '../x509/algorithms.ts'
import { keyAlgorithms, type CardKeyAlgorithm } from './identifiers.ts'

/** DigestInfo of RFC 8017 9.2, up to the hash. */
const sha256Prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex')

const ways: Readonly<Record<CardKeyAlgorithm, SignatureAlgorithm>> = {
  'RSA-2048': 'sha256WithRSAEncryption',
  'RSA-3072': 'sha256WithRSAEncryption',
  'P-256': 'ecdsa-with-SHA256',
  'P-384': 'ecdsa-with-SHA384',
  Ed25519: 'Ed25519',
}

/** What a key on a card signs by. */
export const signatureAlgorithmOf = (algorithm: CardKeyAlgorithm): SignatureAlgorithm => ways[algorithm]

/** The bytes that the card gets so that its answer is the signature of `data`. */
export function toBeSigned(algorithm: CardKeyAlgorithm, data: Uint8Array): Uint8Array {
  if (algorithm === 'Ed25519') return data
  if (algorithm === 'P-384') return createHash('sha384').update(data).digest()
  const hash = createHash('sha256').update(data).digest()
  if (algorithm === 'P-256') return hash
  const content = Buffer.concat([sha256Prefix, hash])
  const padding = Buffer.alloc(keyAlgorithms[algorithm].bits / 8 - content.length - 3, 0xff)
  return Buffer.concat([Uint8Array.of(0, 1), padding, Uint8Array.of(0), content])
}
