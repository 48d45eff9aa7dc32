// Authenticator data (WebAuthn 6.1) and attestation objects (6.5), read strictly: definite lengths, no key twice, nothing behind the end. A library that
// reads them again reads the same, because nothing is left that two readers could take differently.

import { decode, decodeFirst } from 'cborg'
import { WebauthnError } from './refusal.ts'

export type AuthenticatorData = {
  rpIdHash: Buffer
  userPresent: boolean
  userVerified: boolean
  backupEligible: boolean
  backedUp: boolean
  counter: number
  /** Only at registration. */
  credential: { aaguid: string; id: Buffer; publicKey: Buffer; algorithm: number } | undefined
}

export type AttestationObject = {
  format: string
  authenticatorData: Buffer
  /** The certificates of the statement, leaf first; none where it has none. */
  certificates: readonly Buffer[]
}

const strictly = {
  useMaps: true,
  allowIndefinite: false,
  rejectDuplicateMapKeys: true,
  allowUndefined: false,
  allowNaN: false,
  allowInfinity: false,
} as const
const longestCredentialId = 1023
const mostCertificates = 6

const unreadable = (says: string, cause?: unknown): never => {
  throw new WebauthnError('unreadable', says, { cause })
}

const flag = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64, extended: 128 }

export function readAuthenticatorData(bytes: Buffer): AuthenticatorData {
  if (bytes.length < 37) unreadable('Authenticator data has at least 37 bytes')
  const flags = bytes.readUInt8(32)
  const has = (bit: number) => (flags & bit) !== 0
  let rest = bytes.subarray(37)
  let credential: AuthenticatorData['credential']
  if (has(flag.attested)) {
    if (rest.length < 18) unreadable('The attested credential data is cut off')
    const length = rest.readUInt16BE(16)
    if (length === 0 || length > longestCredentialId || rest.length < 18 + length) unreadable('The credential id has a wrong length')
    const encoded = rest.subarray(18 + length)
    const { value, remainder } = readFirst(encoded)
    const algorithm: unknown = value instanceof Map ? value.get(3) : undefined
    if (typeof algorithm !== 'number') return unreadable('The public key names no algorithm')
    credential = {
      aaguid: uuidOf(rest.subarray(0, 16)),
      id: rest.subarray(18, 18 + length),
      publicKey: encoded.subarray(0, encoded.length - remainder.length),
      algorithm,
    }
    rest = remainder
  }
  if (has(flag.extended)) {
    const { value, remainder } = readFirst(rest)
    if (!(value instanceof Map)) unreadable('The extensions are no map')
    rest = remainder
  }
  if (rest.length > 0) unreadable('There are bytes behind the authenticator data')
  return {
    rpIdHash: bytes.subarray(0, 32),
    userPresent: has(flag.userPresent),
    userVerified: has(flag.userVerified),
    backupEligible: has(flag.backupEligible),
    backedUp: has(flag.backedUp),
    counter: bytes.readUInt32BE(33),
    credential,
  }
}

export function readAttestationObject(bytes: Buffer): AttestationObject {
  const whole: unknown = readAll(bytes)
  if (!(whole instanceof Map) || whole.size !== 3) return unreadable('An attestation object has three parts')
  const [format, authenticatorData, statement]: unknown[] = ['fmt', 'authData', 'attStmt'].map((name): unknown => whole.get(name))
  if (typeof format !== 'string' || !(authenticatorData instanceof Uint8Array) || !(statement instanceof Map))
    return unreadable('A part of the attestation object has a wrong type')
  const chain: unknown = statement.get('x5c') ?? []
  if (!Array.isArray(chain) || chain.length > mostCertificates || !chain.every((one): one is Uint8Array => one instanceof Uint8Array))
    return unreadable('The certificates of the statement cannot be read')
  return { format, authenticatorData: Buffer.from(authenticatorData), certificates: chain.map((one) => Buffer.from(one)) }
}

/** A COSE key that was stored at registration. */
export function readPublicKey(bytes: Uint8Array): ReadonlyMap<unknown, unknown> {
  const key = readAll(Buffer.from(bytes))
  return key instanceof Map ? key : unreadable('The public key is no map')
}

function readAll(bytes: Buffer): unknown {
  try {
    return decode(bytes, strictly)
  } catch (cause) {
    return unreadable('It is no plain CBOR', cause)
  }
}

function readFirst(bytes: Buffer): { value: unknown; remainder: Buffer } {
  try {
    const [value, remainder]: [unknown, Uint8Array] = decodeFirst(bytes, strictly)
    return { value, remainder: bytes.subarray(bytes.length - remainder.length) }
  } catch (cause) {
    return unreadable('The authenticator data is no plain CBOR', cause)
  }
}

const uuidOf = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
