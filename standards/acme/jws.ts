// Signed requests of ACME (RFC 8555 6.2): a flattened JWS with rules of its own. The signature is checked by jose; what ACME asks beside it is checked here,
// for requests, for the inner message of a key change (7.3.5), and for external accounts (7.3.4).

import { FlattenedSign, flattenedVerify, type FlattenedJWSInput } from 'jose'
import { createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readJson } from '../json/read.ts'
import { base64url, readBase64url } from './base64url.ts'
import { accountAlgorithms, algorithmsFor, type AccountKey } from './keys.ts'
import { AcmeError, isObject } from './problem.ts'

export type SignedMessage = {
  algorithm: string
  url: string
  nonce: string | undefined
  /** `jwk`: as it was sent; `readAccountKey` judges it. */
  by: { jwk: unknown } | { kid: string }
  payload: Buffer
  jws: FlattenedJWSInput
}

/** An order of a hundred names has three hundred. */
const mostValues = 2_000

const malformed = (detail: string) => new AcmeError('malformed', detail)

type Jws = { header: Record<string, unknown>; payload: Buffer; jws: FlattenedJWSInput }

/** Reads a flattened JWS without trusting it yet. Throws `malformed` for every other form, and for extensions that would change what it means. */
export function readJws(outer: unknown): Jws {
  if (!isObject(outer)) throw malformed('The request must be a JSON object with protected, payload and signature')
  const { protected: head, payload, signature, ...rest } = outer
  if ('signatures' in rest) throw malformed('Send one signature, in the flattened form')
  if ('header' in rest) throw malformed('A header outside of the protected one is not signed. Leave it out')
  if (typeof head !== 'string' || typeof payload !== 'string' || typeof signature !== 'string')
    throw malformed('The request must have protected, payload and signature as texts')
  const [headBytes, payloadBytes, signatureBytes] = [readBase64url(head), readBase64url(payload), readBase64url(signature)]
  if (headBytes === undefined || payloadBytes === undefined || signatureBytes === undefined)
    throw malformed('protected, payload and signature are base64url without padding')
  if (signatureBytes.length === 0) throw malformed('The request is not signed')
  const header = readPart(headBytes, 'The protected header')
  if (!isObject(header)) throw malformed('The protected header must be a JSON object')
  if ('crit' in header || 'b64' in header) throw malformed('The protected header has an extension (crit) that is not known here')
  return { header, payload: payloadBytes, jws: { protected: head, payload, signature } }
}

/** Reads a message without trusting it yet. `body`: the JSON text, or what was read of a JSON text around it. */
export function readSignedMessage(body: Uint8Array | Record<string, unknown>): SignedMessage {
  const { header, payload, jws } = readJws(body instanceof Uint8Array ? readPart(body, 'The request') : body)
  const { alg, url, nonce, jwk, kid } = header
  if (typeof alg !== 'string') throw malformed('The protected header has no alg')
  if (typeof url !== 'string') throw malformed('The protected header has no url')
  if (nonce !== undefined && (typeof nonce !== 'string' || nonce === '' || readBase64url(nonce) === undefined))
    throw malformed('The nonce is base64url without padding')
  if ((jwk === undefined) === (kid === undefined)) throw malformed('The protected header has either jwk or kid')
  if (kid !== undefined && typeof kid !== 'string') throw malformed('The kid must be a text')
  return { algorithm: alg, url, nonce, by: typeof kid === 'string' ? { kid } : { jwk }, payload, jws }
}

/** Checks the signature of an account. Throws `badSignatureAlgorithm` or `malformed`. */
export async function verifySigned(message: SignedMessage, account: Pick<AccountKey, 'key' | 'jwk'>): Promise<void> {
  if (!accountAlgorithms.some((name) => name === message.algorithm))
    throw new AcmeError('badSignatureAlgorithm', `Requests are not signed with ${message.algorithm.slice(0, 40)} here`, {
      algorithms: accountAlgorithms,
    })
  const algorithms = algorithmsFor(account)
  if (!algorithms.includes(message.algorithm))
    throw new AcmeError('badSignatureAlgorithm', `This key signs with ${algorithms[0]}, not with ${message.algorithm}`, { algorithms })
  if (!(await isSignedBy(message, account.key, algorithms))) throw malformed('The signature does not fit the request and its key')
}

/** Whether the signature is that of the key, by one of these algorithms. */
export async function isSignedBy({ jws }: Pick<SignedMessage, 'jws'>, key: KeyObject, algorithms: readonly string[]): Promise<boolean> {
  try {
    await flattenedVerify(jws, key, { algorithms: [...algorithms] })
    return true
  } catch {
    // Whatever is wrong with it, it proves nothing.
    return false
  }
}

/** Reads the payload as JSON. An empty one is the question of a POST-as-GET (6.3), and no object. */
export function readPayload({ payload }: Pick<SignedMessage, 'payload'>): Record<string, unknown> {
  const value = readPart(payload, 'The payload')
  if (!isObject(value)) throw malformed('The payload must be a JSON object')
  return value
}

function readPart(bytes: Uint8Array, what: string): unknown {
  try {
    return readJson(bytes, { values: mostValues, onlyText: true })
  } catch {
    throw malformed(`${what} is not JSON`)
  }
}

/** The MACs of an external account (7.3.4). */
export const bindingAlgorithms = ['HS256', 'HS384', 'HS512'] as const
/** RFC 7518 3.2: as long as the hash. */
export const fewestBindingBytes = 32

/** Reads the kid of an external account's binding, to find its key by. Throws `malformed` where it says something else than the request around it. */
export function readBinding(binding: unknown, outer: { url: string; jwk: JsonWebKey }): SignedMessage & { by: { kid: string } } {
  if (!isObject(binding)) throw malformed('The externalAccountBinding must be a JSON object')
  const message = readSignedMessage(binding)
  const { by } = message
  if (!('kid' in by)) throw malformed('The externalAccountBinding names its key by kid')
  if (message.nonce !== undefined) throw malformed('The externalAccountBinding has no nonce of its own')
  if (message.url !== outer.url) throw malformed('The externalAccountBinding is for another url')
  if (!bindingAlgorithms.some((name) => name === message.algorithm))
    throw new AcmeError('badSignatureAlgorithm', 'An externalAccountBinding has a MAC: HS256, HS384 or HS512', {
      algorithms: bindingAlgorithms,
    })
  const bound = readPayload(message)
  const { kty, n, e, crv, x, y } = bound
  const same = [
    [kty, outer.jwk.kty],
    [n, outer.jwk.n],
    [e, outer.jwk.e],
    [crv, outer.jwk.crv],
    [x, outer.jwk.x],
    [y, outer.jwk.y],
  ].every(([sent, own]) => sent === own)
  if (!same) throw malformed('The externalAccountBinding is for another account key')
  return { ...message, by }
}

/** Checks the MAC of a binding. Throws `unauthorized`, in the same words whether the key is unknown or the MAC is wrong. */
export async function verifyBinding(message: SignedMessage, mac: Uint8Array | undefined): Promise<void> {
  const key = createSecretKey(mac ?? Buffer.alloc(fewestBindingBytes))
  const fits = await isSignedBy(message, key, [message.algorithm])
  if (mac === undefined || !fits)
    throw new AcmeError('unauthorized', 'This external account key is not known here, or its MAC does not fit')
}

export type ToSign = {
  /** Undefined for a POST-as-GET. */
  payload: unknown
  url: string
  nonce?: string
  by: { jwk: JsonWebKey } | { kid: string }
}

/** Signs a request, as a client does. `key`: a private key, or the secret of an external account. */
export async function signMessage({ payload, url, nonce, by }: ToSign, key: KeyObject, algorithm: string) {
  const bytes = payload === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(payload))
  const header = { alg: algorithm, url, ...(nonce === undefined ? {} : { nonce }), ...by }
  const jws = await new FlattenedSign(bytes).setProtectedHeader(header).sign(key)
  return { protected: jws.protected ?? '', payload: base64url(bytes), signature: jws.signature }
}
