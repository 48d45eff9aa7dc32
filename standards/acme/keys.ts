// Keys of accounts as JWK (RFC 7517): which are taken, by which algorithm each signs, and the thumbprint (RFC 7638) that names it.

import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { checkRequestedKey } from '../x509/key-checks.ts'
import { parsePublicKey } from '../x509/public-key.ts'
import { AcmeError, isObject } from './problem.ts'

/** What an account may sign with. A MAC proves nothing between two who share its key, and `none` proves nothing at all. */
export const accountAlgorithms = ['ES256', 'ES384', 'ES512', 'RS256', 'EdDSA', 'Ed25519'] as const
export type AccountAlgorithm = (typeof accountAlgorithms)[number]

export type AccountKey = {
  key: KeyObject
  /** The public members alone, in their canonical spelling. */
  jwk: JsonWebKey
  thumbprint: string
  /** SubjectPublicKeyInfo in DER: the same key in a certificate has the same bytes. */
  spki: Buffer
}

const algorithmsOf: Record<string, readonly string[]> = {
  RSA: ['RS256'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
}

const longestModulus = 8192

/** Reads a public key that an account brings. Throws `badPublicKey` where it is weak, private, or none. */
export function readAccountKey(jwk: unknown): AccountKey {
  const refuse = (why: string, cause?: unknown) => new AcmeError('badPublicKey', why, {}, cause === undefined ? {} : { cause })
  if (!isObject(jwk)) throw new AcmeError('malformed', 'The key (jwk) must be a JSON object')
  if ('d' in jwk || 'k' in jwk) throw refuse('The key (jwk) holds its private part. Send the public one, and use another key')
  const { kty, crv } = jwk
  const kind = kty === 'RSA' ? 'RSA' : typeof crv === 'string' ? crv : ''
  if ((kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') || !Object.hasOwn(algorithmsOf, kind))
    throw refuse('Use an RSA key of 2048 bits or more, or one of P-256, P-384, P-521 or Ed25519')
  let key: KeyObject
  try {
    key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  } catch (error) {
    throw refuse('The key (jwk) is no valid public key', error)
  }
  const account = accountKeyOf(key)
  const info = parsePublicKey(account.spki)
  if (info.algorithm === 'RSA' && (info.bits ?? 0) > longestModulus) throw refuse(`An RSA key has at most ${longestModulus} bits here`)
  const [unsound] = checkRequestedKey(info).filter(({ severity }) => severity === 'error')
  if (unsound !== undefined) throw refuse(unsound.message)
  return account
}

export function accountKeyOf(key: KeyObject): AccountKey {
  const jwk = key.export({ format: 'jwk' })
  return { key, jwk, thumbprint: thumbprintOf(jwk), spki: key.export({ type: 'spki', format: 'der' }) }
}

/** RFC 7638 3.2: the required members alone, by their names. */
const requiredMembers: Record<string, readonly (keyof JsonWebKey)[]> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
}

export function thumbprintOf(jwk: JsonWebKey): string {
  const members = requiredMembers[jwk.kty ?? ''] ?? []
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]]))))
    .digest('base64url')
}

export function algorithmsFor({ jwk }: Pick<AccountKey, 'jwk'>): readonly string[] {
  return algorithmsOf[jwk.kty === 'RSA' ? 'RSA' : (jwk.crv ?? '')] ?? []
}
