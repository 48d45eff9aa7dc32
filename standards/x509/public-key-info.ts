// What a SubjectPublicKeyInfo says (RFC 5280 4.1.2.7), for its reader and for whoever judges or uses the key.
import type { Oid } from '../der/values.ts'
import type { CurveName } from './curves.ts'
import type { RawKeyAlgorithm } from './raw-keys.ts'

export type KeyAlgorithm = 'RSA' | 'RSASSA-PSS' | 'EC' | RawKeyAlgorithm | 'unknown'

export interface PublicKeyInfo {
  algorithm: KeyAlgorithm
  algorithmOid: Oid
  /** of the modulus, the curve's field, or the key itself */
  bits: number
  /** the curve's name, or its identifier where we do not know it */
  curve?: CurveName | Oid
  /** the encoded point of an EC key */
  point?: Uint8Array
  /** unsigned, big-endian, without a leading zero */
  modulus?: Uint8Array
  exponent?: bigint
  /** the whole SubjectPublicKeyInfo */
  spki: Uint8Array
  /** the content of its BIT STRING */
  keyBytes: Uint8Array
}
