// How each signature algorithm is asked of a token, and each kind of key. Hashing is done here and not there: every token signs a hash, few hash
// as well. RSA (RFC 8017) gets the DigestInfo or the hash for PSS; ECDSA gives back r and s, which a certificate wants as DER (RFC 5480).

import { createHash, createPublicKey } from 'node:crypto'
import { readDer } from '#standards/der/reader.ts'
import { bitString, integer, nullValue, octetString, oid, sequence } from '#standards/der/writer.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { rsaPublicKey } from '#standards/x509/public-key.ts'
import type { KeyAlgorithm } from '../../rules.ts'
import { CKG, CKK, CKM } from './constants.ts'
import type { KeySpecification, MechanismSeen, PublicParts } from './protocol.ts'

type Hash = 'sha256' | 'sha384' | 'sha512'
export type TokenSignature = { mechanism: number; parameter: number[]; data: Uint8Array; read(signature: Uint8Array): Uint8Array }

const digest = (hash: Hash, data: Uint8Array): Buffer => createHash(hash).update(data).digest()
const asItIs = (signature: Uint8Array) => signature

const pkcs1 =
  (hash: Hash) =>
  (data: Uint8Array): TokenSignature => ({
    mechanism: CKM.RSA_PKCS,
    parameter: [],
    data: sequence(sequence(oid(OIDS[hash]), nullValue()), octetString(digest(hash, data))),
    read: asItIs,
  })
const pss =
  (hash: Hash, parameter: number[]) =>
  (data: Uint8Array): TokenSignature => ({ mechanism: CKM.RSA_PKCS_PSS, parameter, data: digest(hash, data), read: asItIs })
const ecdsa =
  (hash: Hash) =>
  (data: Uint8Array): TokenSignature => ({ mechanism: CKM.ECDSA, parameter: [], data: digest(hash, data), read: derOfPair })

/** The SEQUENCE of r and s out of the two halves of what a token answers. */
function derOfPair(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2
  const number = (bytes: Uint8Array) => integer(BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
  if (half === 0 || !Number.isInteger(half)) throw new Error(`The token answered an ECDSA signature of ${signature.length} bytes`)
  return sequence(number(signature.subarray(0, half)), number(signature.subarray(half)))
}

const signers: { readonly [name in SignatureAlgorithm]?: (data: Uint8Array) => TokenSignature } = {
  sha256WithRSAEncryption: pkcs1('sha256'),
  sha384WithRSAEncryption: pkcs1('sha384'),
  sha512WithRSAEncryption: pkcs1('sha512'),
  'rsassaPss-sha256': pss('sha256', [CKM.SHA256, CKG.MGF1_SHA256, 32]),
  'rsassaPss-sha384': pss('sha384', [CKM.SHA384, CKG.MGF1_SHA384, 48]),
  'rsassaPss-sha512': pss('sha512', [CKM.SHA512, CKG.MGF1_SHA512, 64]),
  'ecdsa-with-SHA256': ecdsa('sha256'),
  'ecdsa-with-SHA384': ecdsa('sha384'),
  'ecdsa-with-SHA512': ecdsa('sha512'),
  Ed25519: (data) => ({ mechanism: CKM.EDDSA, parameter: [], data, read: asItIs }),
  // PKCS#11 3.1, 6.3.15: unlike Ed25519 it wants its parameters told, CK_EDDSA_PARAMS: not prehashed, and no context.
  Ed448: (data) => ({ mechanism: CKM.EDDSA, parameter: [0, 0, 0], data, read: asItIs }),
}

/** Throws where no token is asked for this algorithm. */
export function askToken(algorithm: SignatureAlgorithm, data: Uint8Array): TokenSignature {
  const signer = signers[algorithm]
  if (signer === undefined) throw new Error(`A key on a token does not fit ${algorithm}`)
  return signer(data)
}

type TokenKind = { specification: KeySpecification; signs: number; size: number }

const rsa = (bits: number): TokenKind => ({
  specification: { kind: 'rsa', bits, mechanism: CKM.RSA_PKCS_KEY_PAIR_GEN },
  signs: CKM.RSA_PKCS,
  size: bits,
})
const curve = (name: 'P-256' | 'P-384' | 'P-521', size: number): TokenKind => ({
  specification: { kind: 'curve', parameters: oid(OIDS[name]), mechanism: CKM.EC_KEY_PAIR_GEN },
  signs: CKM.ECDSA,
  size,
})

const edwards = (name: 'Ed25519' | 'Ed448', size: number): TokenKind => ({
  specification: { kind: 'curve', parameters: oid(OIDS[name]), mechanism: CKM.EC_EDWARDS_KEY_PAIR_GEN },
  signs: CKM.EDDSA,
  size,
})

export const tokenKinds: { readonly [name in KeyAlgorithm]?: TokenKind } = {
  'RSA-2048': rsa(2048),
  'RSA-3072': rsa(3072),
  'RSA-4096': rsa(4096),
  'P-256': curve('P-256', 256),
  'P-384': curve('P-384', 384),
  'P-521': curve('P-521', 521),
  Ed25519: edwards('Ed25519', 255),
  Ed448: edwards('Ed448', 448),
}

/** The kinds of key that a token can make and sign with, by what it says of its mechanisms. */
export function algorithmsOf(mechanisms: readonly MechanismSeen[]): KeyAlgorithm[] {
  const byType = new Map(mechanisms.map((each) => [each.type, each]))
  // Some count the 255 bits of Ed25519 as 256, and some say no size at all.
  const fits = (found: MechanismSeen | undefined, size: number) =>
    found !== undefined && (found.largest === 0 || (found.largest >= size && found.smallest <= size + 1))
  return Object.entries(tokenKinds).flatMap(([name, { specification, signs, size }]) =>
    fits(byType.get(specification.mechanism), size) && byType.has(signs) ? [name as KeyAlgorithm] : [],
  )
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** What stands in CKA_EC_PARAMS: the identifier of RFC 8410, or the curve's name as PKCS#11 3.0 had it at first. */
const edwardsNames = new Map<string, string>([
  [hexOf(oid(OIDS.Ed25519)), OIDS.Ed25519],
  ['130c656477617264733235353139', OIDS.Ed25519],
  [hexOf(oid(OIDS.Ed448)), OIDS.Ed448],
  ['130a65647761726473343438', OIDS.Ed448],
])

/** The SubjectPublicKeyInfo of a key on a token. Undefined for kinds that are not known here and for what no key is. */
export function publicKeyOf({ keyType, modulus, exponent, parameters, point }: PublicParts): Uint8Array | undefined {
  if (keyType === CKK.RSA) return usable(rsaPublicKey(modulus, BigInt(`0x${Buffer.from(exponent).toString('hex') || '0'}`)))
  const edwardsCurve = edwardsNames.get(hexOf(parameters))
  const algorithm =
    edwardsCurve !== undefined ? sequence(oid(edwardsCurve)) : keyType === CKK.EC ? sequence(oid(OIDS.ecPublicKey), parameters) : undefined
  if (algorithm === undefined) return undefined
  // The point is an OCTET STRING around the point (PKCS#11 3.1, 6.3.3); some tokens leave that away.
  return [unwrapped(point), point].flatMap((bytes) => (bytes === undefined ? [] : (usable(sequence(algorithm, bitString(bytes))) ?? [])))[0]
}

function unwrapped(point: Uint8Array): Uint8Array | undefined {
  try {
    const value = readDer(point)
    return value.encoded[0] === 0x04 ? value.content : undefined
  } catch {
    return undefined
  }
}

function usable(spki: Uint8Array): Uint8Array | undefined {
  try {
    createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    return spki
  } catch {
    return undefined
  }
}
