import { createHash } from 'node:crypto'
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, hasMore, readInside, take } from '../der/fields.ts'
import { TAG, readDer, type DerValue } from '../der/reader.ts'
import { faultAt, isUniversal, readBitStringBytes, readInteger, readOid, readUnsignedBytes, type Oid } from '../der/values.ts'
import { bitString, integer, nullValue, oid, sequence } from '../der/writer.ts'
import { isSignatureAlgorithm, parseAlgorithmIdentifier } from './algorithms.ts'
import { CURVES, curveName, type CurveName } from './curves.ts'
import { OIDS } from './oids.ts'
// SubjectPublicKeyInfo (RFC 5280 4.1.2.7) of the kinds that certificates carry. Only what the structure says is read
// here; whether the key is any good is judged in key-checks.ts, so that a decoder can show a bad key, too.
import type { PublicKeyInfo } from './public-key-info.ts'
import { RAW_KEYS, rawKeyName } from './raw-keys.ts'

/** Reads a SubjectPublicKeyInfo. An algorithm we do not know gives `unknown`; a malformed key throws DerError. */
export function parsePublicKey(spki: Uint8Array | DerValue, path = 'subjectPublicKeyInfo'): PublicKeyInfo {
  const value = spki instanceof Uint8Array ? readDer(spki, { path }) : spki
  const fields = fieldsOf(value)
  const algorithmValue = take(fields, 'algorithm')
  const keyValue = take(fields, 'subjectPublicKey')
  finish(fields)
  const algorithmFields = fieldsOf(algorithmValue)
  const algorithmOid = readOid(take(algorithmFields, 'algorithm'))
  const parameters = hasMore(algorithmFields) ? take(algorithmFields, 'parameters') : undefined
  finish(algorithmFields)
  const keyBytes = readBitStringBytes(keyValue)
  const base = { algorithmOid, spki: value.encoded, keyBytes }

  if (algorithmOid === OIDS.rsaEncryption || algorithmOid === OIDS.rsassaPss) {
    const pss = algorithmOid === OIDS.rsassaPss
    if (pss) checkPssParameters(parameters)
    if (!pss && (parameters === undefined || !isUniversal(parameters, TAG.null))) {
      throw faultAt(parameters ?? algorithmValue, say`The parameters of an RSA key must be NULL (RFC 3279 2.3.1)`)
    }
    return { ...base, algorithm: pss ? 'RSASSA-PSS' : 'RSA', ...readRsa(readInside(keyValue, keyBytes)) }
  }
  if (algorithmOid === OIDS.ecPublicKey) {
    if (parameters === undefined || !isUniversal(parameters, TAG.objectIdentifier)) {
      throw faultAt(parameters ?? algorithmValue, say`An EC key must name its curve; explicit parameters are refused (RFC 5480 2.1.1)`)
    }
    return { ...base, algorithm: 'EC', ...readEc(readOid(parameters), keyBytes, keyValue) }
  }
  const algorithm = rawKeyName(algorithmOid)
  if (algorithm === undefined) return { ...base, algorithm: 'unknown', bits: keyBytes.length * 8 }
  const { bytes, bits = bytes * 8 } = RAW_KEYS[algorithm]
  if (parameters !== undefined) throw faultAt(parameters, say`The parameters of ${algorithm} must be absent`)
  if (keyBytes.length !== bytes) throw faultAt(keyValue, say`A key for ${algorithm} has ${bytes} bytes, not ${keyBytes.length}`)
  return { ...base, algorithm, bits }
}

/** RFC 4055 3.1: absent, or what the key is restricted to. SHA-1, which an empty SEQUENCE means, is none that we sign with. */
function checkPssParameters(parameters: DerValue | undefined): void {
  if (parameters === undefined) return
  const identifier = sequence(oid(OIDS.rsassaPss), parameters.encoded)
  if (!isSignatureAlgorithm(parseAlgorithmIdentifier(identifier, parameters.path)))
    throw faultAt(parameters, say`The parameters of the RSASSA-PSS key are not known`)
}

function readRsa(value: DerValue): { modulus: Uint8Array; exponent: bigint; bits: number } {
  const fields = fieldsOf(value)
  const modulus = readUnsignedBytes(take(fields, 'modulus'))
  const exponentValue = take(fields, 'publicExponent')
  const exponent = readInteger(exponentValue)
  finish(fields)
  if (exponent < 1n) throw faultAt(exponentValue, say`The public exponent must be positive`)
  const first = modulus[0] ?? 0
  if (first === 0) throw faultAt(value, say`The modulus must be positive`)
  return { modulus, exponent, bits: modulus.length * 8 - Math.clz32(first) + 24 }
}

function readEc(curveOid: Oid, point: Uint8Array, at: DerValue): { curve: CurveName | Oid; point: Uint8Array; bits: number } {
  const form = point[0]
  if (form === 0) throw faultAt(at, say`The EC key is the point at infinity`)
  if (form === 6 || form === 7) throw faultAt(at, say`The EC key is a point in hybrid form, which RFC 5480 2.2 forbids`)
  if (form !== 2 && form !== 3 && form !== 4) throw faultAt(at, say`The EC key is not a point in compressed or uncompressed form`)
  const curve = curveName(curveOid)
  if (curve === undefined) return { curve: curveOid, point, bits: Math.floor(((point.length - 1) * 8) / (form === 4 ? 2 : 1)) }
  const { bits } = CURVES[curve]
  const size = Math.ceil(bits / 8)
  if (point.length !== 1 + (form === 4 ? 2 * size : size))
    throw faultAt(at, say`The point has ${point.length} bytes, which does not fit ${curve}`)
  return { curve, point, bits }
}

/** A SubjectPublicKeyInfo for an RSA key from its numbers. */
export function rsaPublicKey(modulus: Uint8Array, exponent: bigint | number): Uint8Array {
  return sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(sequence(integer(modulus), integer(exponent))))
}

/** A SubjectPublicKeyInfo for an EC point. */
export function ecPublicKey(curve: CurveName, point: Uint8Array): Uint8Array {
  return sequence(sequence(oid(OIDS.ecPublicKey), oid(OIDS[curve])), bitString(point))
}

/**
 * The identifier of a key for subjectKeyIdentifier: the leftmost 160 bits of SHA-256 over the key's BIT STRING
 * (RFC 7093 method 1). The SHA-1 of RFC 5280 4.2.1.2 would do as well, but needs an exception wherever SHA-1 is banned.
 */
export function keyIdentifier(key: Uint8Array | PublicKeyInfo): Uint8Array {
  const info = key instanceof Uint8Array ? parsePublicKey(key) : key
  return createHash('sha256').update(info.keyBytes).digest().subarray(0, 20)
}

/** The SHA-1 of the key's BIT STRING, which OCSP's CertID names an issuer by (RFC 6960 4.1.1) and many CAs use as identifier. */
export function keyIdentifierSha1(key: PublicKeyInfo): Uint8Array {
  return createHash('sha1').update(key.keyBytes).digest()
}

/** What a person calls the key: `RSA 2048`, `EC P-256`, `Ed25519`. */
export function describeKey(key: PublicKeyInfo): string {
  if (key.algorithm === 'RSA' || key.algorithm === 'RSASSA-PSS') return `${key.algorithm} ${key.bits}`
  if (key.algorithm === 'EC') return `EC ${key.curve ?? ''}`.trim()
  return key.algorithm === 'unknown' ? key.algorithmOid : key.algorithm
}
