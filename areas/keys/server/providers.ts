// The places where a private key can live. Each opens what was stored into a handle that signs and never shows the key: software keys here, keys on
// PKCS#11 tokens by way of the process that holds the token. What a token answers is verified before it is believed: a signature goes into the
// world, and a token may hold another key under the id than the one that was certified.

import { createPrivateKey, createPublicKey, generateKeyPair as generate, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { House } from '#core/server/house.ts'
import {
  checkSignature,
  signInBackground,
  signInPieces,
  signWith,
  type SignatureAlgorithm,
  type SigningInPieces,
} from '#standards/x509/algorithms.ts'
import { keyAlgorithms, type HolderKey, type KeyAlgorithm } from '../rules.ts'
import { withToken } from './held-tokens.ts'
import { askToken } from './pkcs11/mechanisms.ts'

export type SignInPlace = (algorithm: SignatureAlgorithm, data: Uint8Array) => Uint8Array

export type KeyHandle = {
  algorithm: KeyAlgorithm
  sign(algorithm: SignatureAlgorithm, data: Uint8Array): Promise<Uint8Array>
  /** The same without waiting, where the key is quick and in this process. */
  signInPlace?: SignInPlace
  /** For what is too large to be in memory; undefined where this algorithm needs the whole. */
  signInPieces?(algorithm: SignatureAlgorithm): SigningInPieces | undefined
}

/** `document` is the PKCS#8 document; it is wiped. */
export function openSoftwareKey(algorithm: KeyAlgorithm, document: Buffer): KeyHandle {
  const privateKey = createPrivateKey({ key: document, format: 'der', type: 'pkcs8' })
  document.fill(0)
  const { quick } = keyAlgorithms[algorithm]
  if (!quick) return { algorithm, sign: (by, data) => signInBackground(by, privateKey, data) }
  const signInPlace: SignInPlace = (by, data) => signWith(by, privateKey, data)
  return { algorithm, sign: async (by, data) => signInPlace(by, data), signInPlace, signInPieces: (by) => signInPieces(by, privateKey) }
}

export type KeyOnToken = { tenantId: string; tokenId: string; objectId: Uint8Array; spki: Uint8Array }

export function openTokenKey(house: House, algorithm: KeyAlgorithm, { tenantId, tokenId, objectId, spki }: KeyOnToken): KeyHandle {
  const publicKey = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  return {
    algorithm,
    async sign(by, data) {
      const { read, ...asked } = askToken(by, data)
      const signature = read(await withToken(house, tenantId, tokenId, (connection) => connection.ask('sign', { objectId, ...asked })))
      const check = checkSignature(by, publicKey, data, signature)
      if (!check.ok) throw new Error(`The token ${tokenId} gave a wrong signature: ${check.reason}`)
      return signature
    },
  }
}

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
export const makeSoftwareKey = (name: HolderKey): Promise<KeyPairObjects> =>
  (sized[name] ?? (() => generatePair(name.toLowerCase(), undefined)))()
