// The places where a private key can live. Each opens what was stored into a handle that signs and never shows the key; software is the
// one there is. A PKCS#11 token is another entry whose stored bytes name the token and the object.

import { createPrivateKey, generateKeyPair as generate, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { signInBackground, signWith, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { keyAlgorithms, type HolderKey, type KeyAlgorithm } from '../rules.ts'

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

type KeyPairObjects = { publicKey: KeyObject; privateKey: KeyObject }

/** The overloads of Node take one literal each, and promisify keeps only the last. */
const generatePair = promisify(generate) as (type: string, options: object | undefined) => Promise<KeyPairObjects>

const rsa = (modulusLength: number) => () => generatePair('rsa', { modulusLength, publicExponent: 65537 })
const ec = (namedCurve: string) => () => generatePair('ec', { namedCurve })

const sized: Partial<Record<HolderKey, () => Promise<KeyPairObjects>>> = {
  'RSA-2048': rsa(2048),
  'RSA-3072': rsa(3072),
  'RSA-4096': rsa(4096),
  'P-256': ec('P-256'),
  'P-384': ec('P-384'),
  'P-521': ec('P-521'),
  brainpoolP256r1: ec('brainpoolP256r1'),
  brainpoolP384r1: ec('brainpoolP384r1'),
  brainpoolP512r1: ec('brainpoolP512r1'),
  secp256k1: ec('secp256k1'),
}

/** Every other algorithm has one size, and its own name in lower case at OpenSSL. */
export const makeSoftwareKey = (name: HolderKey): Promise<KeyPairObjects> => (sized[name] ?? (() => generatePair(name.toLowerCase(), undefined)))()
