// The keys of the virtual card: made, kept as PKCS #8, used without any padding or hashing, as a card does.

import {
  constants,
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  privateEncrypt,
  sign,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import { keyAlgorithmOf, keyAlgorithms, type CardKeyAlgorithm } from '../identifiers.ts'
import { signHash } from './ecdsa.ts'
import type { CardState } from './state.ts'

type KeyState = CardState['keys'][string]

const generate = promisify(generateKeyPair)

export const keyOfNumber = (id: number | undefined): CardKeyAlgorithm | undefined => (id === undefined ? undefined : keyAlgorithmOf(id))

export async function makeKey(algorithm: CardKeyAlgorithm): Promise<{ pkcs8: string; publicKey: KeyObject }> {
  const { family, bits } = keyAlgorithms[algorithm]
  const { privateKey, publicKey } =
    family === 'RSA'
      ? await generate('rsa', { modulusLength: bits })
      : family === 'EC'
        ? await generate('ec', { namedCurve: algorithm })
        : await generate('ed25519')
  return { pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'), publicKey }
}

export const privateKeyOf = ({ pkcs8 }: KeyState): KeyObject =>
  createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' })
export const publicKeyOfState = (key: KeyState): KeyObject => createPublicKey(privateKeyOf(key))

/** The signature of a challenge or the shared secret with a point; undefined where the key does not do that or the data does not fit. */
export function applyKey(
  algorithm: CardKeyAlgorithm,
  key: KeyObject,
  { challenge, exponentiation }: { challenge: Uint8Array | undefined; exponentiation: Uint8Array | undefined },
): Uint8Array | undefined {
  const { family, bits } = keyAlgorithms[algorithm]
  if (family === 'Ed25519') return challenge === undefined ? undefined : sign(null, challenge, key)
  if (family === 'RSA') {
    if (challenge?.length !== bits / 8) return undefined
    try {
      return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, challenge)
    } catch {
      // A number above the modulus.
      return undefined
    }
  }
  const secret = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
  if (challenge !== undefined)
    return challenge.length === 0 || challenge.length > bits / 8
      ? undefined
      : signHash(algorithm === 'P-384' ? 'P-384' : 'P-256', secret, challenge)
  if (exponentiation === undefined) return undefined
  const machine = createECDH(algorithm === 'P-384' ? 'secp384r1' : 'prime256v1')
  machine.setPrivateKey(secret)
  try {
    return machine.computeSecret(exponentiation)
  } catch {
    // A point that is not on the curve.
    return undefined
  }
}
