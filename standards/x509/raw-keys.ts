import type { Oid } from '../der/values.ts'
// Keys that are a plain string of bytes under an identifier without parameters: the Edwards curves (RFC 8410) and the post-quantum
// algorithms (ML-DSA: RFC 9881, SLH-DSA: RFC 9909, ML-KEM: RFC 9935). One table says what they are and what they can do. Signatures by
// them are pure, not pre-hashed, and with an empty context: what the RFCs allow in certificates.
import { OIDS } from './oids.ts'

type SlhDsa = `SLH-DSA-${'SHA2' | 'SHAKE'}-${128 | 192 | 256}${'s' | 'f'}`
/** Those that sign; each key signs by one algorithm, which has its name. */
export type RawSigningKey = 'Ed25519' | 'Ed448' | 'ML-DSA-44' | 'ML-DSA-65' | 'ML-DSA-87' | SlhDsa
/** Those that only agree on keys (Diffie-Hellman). */
export type AgreementKey = 'X25519' | 'X448'
/** Those that only take a key in (key encapsulation). */
export type EncapsulationKey = 'ML-KEM-512' | 'ML-KEM-768' | 'ML-KEM-1024'
export type RawKeyAlgorithm = RawSigningKey | AgreementKey | EncapsulationKey

interface RawKey {
  use: 'sign' | 'agree' | 'encapsulate'
  /** of the public key */
  bytes: number
  /** what people call its length; undefined: the key's own bits */
  bits?: number
  /** of a signature */
  signatureBytes?: number
}

const slh = (level: 128 | 192 | 256, signatureBytes: number): RawKey => ({ use: 'sign', bytes: level / 4, signatureBytes })

export const RAW_KEYS: { readonly [name in RawKeyAlgorithm]: RawKey } = {
  Ed25519: { use: 'sign', bytes: 32, bits: 256, signatureBytes: 64 },
  Ed448: { use: 'sign', bytes: 57, bits: 456, signatureBytes: 114 },
  'ML-DSA-44': { use: 'sign', bytes: 1312, signatureBytes: 2420 },
  'ML-DSA-65': { use: 'sign', bytes: 1952, signatureBytes: 3309 },
  'ML-DSA-87': { use: 'sign', bytes: 2592, signatureBytes: 4627 },
  'SLH-DSA-SHA2-128s': slh(128, 7856),
  'SLH-DSA-SHA2-128f': slh(128, 17_088),
  'SLH-DSA-SHA2-192s': slh(192, 16_224),
  'SLH-DSA-SHA2-192f': slh(192, 35_664),
  'SLH-DSA-SHA2-256s': slh(256, 29_792),
  'SLH-DSA-SHA2-256f': slh(256, 49_856),
  'SLH-DSA-SHAKE-128s': slh(128, 7856),
  'SLH-DSA-SHAKE-128f': slh(128, 17_088),
  'SLH-DSA-SHAKE-192s': slh(192, 16_224),
  'SLH-DSA-SHAKE-192f': slh(192, 35_664),
  'SLH-DSA-SHAKE-256s': slh(256, 29_792),
  'SLH-DSA-SHAKE-256f': slh(256, 49_856),
  X25519: { use: 'agree', bytes: 32, bits: 256 },
  X448: { use: 'agree', bytes: 56, bits: 448 },
  'ML-KEM-512': { use: 'encapsulate', bytes: 800 },
  'ML-KEM-768': { use: 'encapsulate', bytes: 1184 },
  'ML-KEM-1024': { use: 'encapsulate', bytes: 1568 },
}

export const RAW_KEY_NAMES = Object.keys(RAW_KEYS) as readonly RawKeyAlgorithm[]
export const RAW_SIGNING_KEYS = RAW_KEY_NAMES.filter((name): name is RawSigningKey => RAW_KEYS[name].use === 'sign')

const NAME_OF = new Map<Oid, RawKeyAlgorithm>(RAW_KEY_NAMES.map((name) => [OIDS[name], name]))

export const rawKeyName = (oid: Oid): RawKeyAlgorithm | undefined => NAME_OF.get(oid)

export function isRawKey(algorithm: string): algorithm is RawKeyAlgorithm {
  return Object.hasOwn(RAW_KEYS, algorithm)
}

/** What keys of this algorithm are for; undefined for RSA, EC and what we do not know. */
export const rawKeyUse = (algorithm: string): RawKey['use'] | undefined => (isRawKey(algorithm) ? RAW_KEYS[algorithm].use : undefined)

/** Node's (and OpenSSL's) name of the key type: the standard's in lower case. */
export const nodeKeyType = (name: RawKeyAlgorithm): string => name.toLowerCase()
