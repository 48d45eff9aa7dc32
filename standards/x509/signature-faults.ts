// Why a signature that does not verify cannot be one at all: said instead of "does not match", so that the maker of a request looks in
// the right place. Only asked after the verification failed, so a good signature pays nothing for it.
import type { KeyObject } from 'node:crypto'
import { fieldsOf, finish, take } from '../der/fields.ts'
import { DerError, readDer } from '../der/reader.ts'
import { readInteger } from '../der/values.ts'
import { CURVES, type CurveName } from './curves.ts'
import { RAW_KEYS, isRawKey } from './raw-keys.ts'

/** OpenSSL's names where they are not the standards'. */
const CURVE_OF: { readonly [name: string]: CurveName } = { secp224r1: 'P-224', prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }

function curveOf(key: KeyObject): CurveName | undefined {
  const name = key.asymmetricKeyDetails?.namedCurve ?? ''
  return CURVE_OF[name] ?? (Object.hasOwn(CURVES, name) ? (name as CurveName) : undefined)
}

/** A sentence, or undefined for a signature that has the right form. `algorithm` is its name in algorithms.ts. */
export function signatureFault(algorithm: string, key: KeyObject, signature: Uint8Array): string | undefined {
  if (signature.length === 0) return 'The signature is empty.'
  if (isRawKey(algorithm)) {
    const { signatureBytes } = RAW_KEYS[algorithm]
    return signature.length === signatureBytes
      ? undefined
      : `A signature by ${algorithm} has ${signatureBytes} bytes, not ${signature.length}.`
  }
  return algorithm.startsWith('ecdsa') ? ecdsaFault(curveOf(key), signature) : undefined
}

/** RFC 3279 2.2.3: SEQUENCE { r INTEGER, s INTEGER } in DER, both from 1 to the order less one. */
function ecdsaFault(curve: CurveName | undefined, signature: Uint8Array): string | undefined {
  try {
    const fields = fieldsOf(readDer(signature, { path: 'signature' }))
    const numbers = { r: readInteger(take(fields, 'r')), s: readInteger(take(fields, 's')) }
    finish(fields)
    for (const [name, number] of Object.entries(numbers)) {
      if (number < 1n || (curve !== undefined && number >= CURVES[curve].order))
        return `The number ${name} of the signature is out of range.`
    }
    return undefined
  } catch (error) {
    if (error instanceof DerError) return `The signature is not the DER of two numbers: ${error.message}.`
    throw error
  }
}
