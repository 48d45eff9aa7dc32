// The places where a private key can live. Each opens what was stored into a handle that signs and never shows the key; software is the
// one there is. A PKCS#11 token is another entry whose stored bytes name the token and the object.

import { createPrivateKey, generateKeyPair as generate, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { signInBackground, signWith, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { keyAlgorithms, type KeyAlgorithm } from '../rules.ts'

export type KeyHandle = { algorithm: KeyAlgorithm; sign(algorithm: SignatureAlgorithm, data: Uint8Array): Promise<Uint8Array> }

export const providers = {
  software: {
    /** `stored` is the PKCS#8 document, unsealed. */
    open(algorithm: KeyAlgorithm, stored: Buffer): KeyHandle {
      const privateKey = createPrivateKey({ key: stored, format: 'der', type: 'pkcs8' })
      stored.fill(0)
      const { quick } = keyAlgorithms[algorithm]
      return { algorithm, sign: async (by, data) => (quick ? signWith(by, privateKey, data) : signInBackground(by, privateKey, data)) }
    },
  },
} as const

export type Provider = keyof typeof providers

const generateRsa = promisify(generate) as (type: 'rsa', options: { modulusLength: number; publicExponent: number }) => Promise<KeyPairObjects>
const generateEc = promisify(generate) as (type: 'ec', options: { namedCurve: string }) => Promise<KeyPairObjects>
const generateEd25519 = promisify(generate) as (type: 'ed25519', options: undefined) => Promise<KeyPairObjects>

type KeyPairObjects = { publicKey: KeyObject; privateKey: KeyObject }

const rsa = (modulusLength: number) => () => generateRsa('rsa', { modulusLength, publicExponent: 65537 })

export const softwareKeyMakers: Record<KeyAlgorithm, () => Promise<KeyPairObjects>> = {
  'RSA-2048': rsa(2048),
  'RSA-3072': rsa(3072),
  'RSA-4096': rsa(4096),
  'P-256': () => generateEc('ec', { namedCurve: 'P-256' }),
  'P-384': () => generateEc('ec', { namedCurve: 'P-384' }),
  Ed25519: () => generateEd25519('ed25519', undefined),
}
