// A registration (WebAuthn 7.1) and a sign-in (7.2), judged. What must hold for everybody is checked here, each with its own reason; signatures and statements
// are checked by the library after that. It is given no roots and never a statement for which it would ask the network: chains are the caller's.

import { createHash, createPublicKey, verify } from 'node:crypto'
import { readBase64url } from '../acme/base64url.ts'
import { readAttestationObject, readAuthenticatorData, readPublicKey, type AuthenticatorData } from './authenticator-data.ts'
import { readClientData } from './client-data.ts'
import { WebauthnError, type WebauthnRefusal } from './refusal.ts'

/** What the relying party expects of a ceremony. */
export type Expected = {
  /** Judges the challenge that was signed; the caller finds it by its own bytes. */
  challenge: (signed: Buffer) => boolean
  /** Origins of pages that may ask, each with the relying party id that it asks for. */
  sites: readonly Site[]
  /** True unless a test vector has it otherwise. */
  userVerification?: boolean
  /** Pages in a frame of another site; none unless told. */
  framedBy?: readonly string[] | 'anyPage'
}
export type Site = { origin: string; rpId: string }

/** As the browser's `toJSON()` writes them; all values base64url without padding. */
export type RegistrationJson = {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined }
}
export type AssertionJson = {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | undefined }
}

const ed448 = -53

/** COSE numbers of what may be offered, the one that is preferred first: ES256, EdDSA, ES384, ES512, Ed448, RS256. */
export const offeredAlgorithms = [-7, -8, -35, -36, ed448, -257] as const

/**
 * `none` proves nothing about the device, `self` only that the key signs. `android-key` is left out: the library follows addresses in its certificates.
 * `android-safetynet` is no longer issued.
 */
export const attestationFormats = ['none', 'packed', 'tpm', 'apple', 'fido-u2f'] as const
export type AttestationFormat = (typeof attestationFormats)[number]
const isFormat = (name: string): name is AttestationFormat => attestationFormats.some((format) => format === name)

export type Registered = {
  credentialId: string
  publicKey: Buffer
  algorithm: number
  counter: number
  aaguid: string
  backupEligible: boolean
  backedUp: boolean
  rpId: string
  attestation: { format: AttestationFormat; certificates: readonly Buffer[] }
}

export type Asserted = { counter: number; backupEligible: boolean; backedUp: boolean; rpId: string; challenge: Buffer }

const refuse = (code: WebauthnRefusal, says: string): never => {
  throw new WebauthnError(code, says)
}

export async function judgeRegistration(
  json: RegistrationJson,
  expected: Expected & { algorithms: readonly number[] },
): Promise<Registered> {
  const clientData = bytesOf(json.response.clientDataJSON)
  const object = readAttestationObject(bytesOf(json.response.attestationObject))
  const data = readAuthenticatorData(object.authenticatorData)
  const { credential } = data
  if (credential === undefined) return refuse('unreadable', 'The registration has no credential')
  const { site, challenge } = judgeCommon('webauthn.create', clientData, data, expected)
  if (!bytesOf(json.id).equals(credential.id)) refuse('unreadable', 'The id is not that of the credential')
  if (!expected.algorithms.includes(credential.algorithm)) refuse('algorithm', `Algorithm ${credential.algorithm} was not offered`)
  const { format } = object
  if (!isFormat(format)) return refuse('format', `Statements of the format ${format.slice(0, 40)} are not accepted`)
  const { verifyRegistrationResponse } = await library()
  const { verified } = await verifyRegistrationResponse({
    response: {
      ...json,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: json.response.clientDataJSON, attestationObject: json.response.attestationObject },
    },
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: expected.userVerification !== false,
    supportedAlgorithmIDs: [...expected.algorithms],
  }).catch((cause: unknown) => {
    throw new WebauthnError('attestation', 'The statement does not hold', { cause })
  })
  if (!verified) refuse('attestation', 'The signature of the statement does not fit')
  return {
    credentialId: json.id,
    publicKey: credential.publicKey,
    algorithm: credential.algorithm,
    counter: data.counter,
    aaguid: credential.aaguid,
    backupEligible: data.backupEligible,
    backedUp: data.backedUp,
    rpId: site.rpId,
    attestation: { format, certificates: object.certificates },
  }
}

/** The counter is the caller's to judge, because what it means depends on whether the key is synced. */
export async function judgeAssertion(json: AssertionJson, publicKey: Uint8Array, expected: Expected): Promise<Asserted> {
  const data = readAuthenticatorData(bytesOf(json.response.authenticatorData))
  bytesOf(json.response.signature)
  const { site, challenge } = judgeCommon('webauthn.get', bytesOf(json.response.clientDataJSON), data, expected)
  if (!(await signatureFits(json, publicKey, site, challenge, expected))) refuse('signature', 'The signature does not fit')
  return { counter: data.counter, backupEligible: data.backupEligible, backedUp: data.backedUp, rpId: site.rpId, challenge }
}

async function signatureFits(
  json: AssertionJson,
  publicKey: Uint8Array,
  site: Site,
  challenge: Buffer,
  expected: Expected,
): Promise<boolean> {
  const key = readPublicKey(publicKey)
  if (key.get(3) === ed448) return ed448Fits(json, key)
  const { verifyAuthenticationResponse } = await library()
  const { verified } = await verifyAuthenticationResponse({
    response: {
      ...json,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: json.response.clientDataJSON,
        authenticatorData: json.response.authenticatorData,
        signature: json.response.signature,
      },
    },
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    ...(expected.framedBy === undefined ? {} : { expectedTopOrigin: topOriginOf(json) }),
    credential: { id: json.id, publicKey: Uint8Array.from(publicKey), counter: 0 },
    requireUserVerification: expected.userVerification !== false,
  }).catch((cause: unknown) => {
    throw new WebauthnError('signature', 'The signature cannot be checked', { cause })
  })
  return verified
}

/** The library does not know this algorithm; Node does. */
function ed448Fits({ response }: AssertionJson, key: ReadonlyMap<unknown, unknown>): boolean {
  const x = key.get(-2)
  if (!(x instanceof Uint8Array)) return refuse('unreadable', 'The public key has no point')
  const clientDataHash = createHash('sha256').update(bytesOf(response.clientDataJSON)).digest()
  const signed = Buffer.concat([bytesOf(response.authenticatorData), clientDataHash])
  const jwk = { kty: 'OKP', crv: 'Ed448', x: Buffer.from(x).toString('base64url') }
  return verify(undefined, signed, createPublicKey({ key: jwk, format: 'jwk' }), bytesOf(response.signature))
}

/** Loaded with the first ceremony: it is large, and most starts of the server meet none for a while. */
const library = () => (loading ??= load())
let loading: ReturnType<typeof load> | undefined

async function load() {
  const loaded = await import('@simplewebauthn/server')
  // Where it knows roots it asks the addresses in a stranger's certificate for revocation lists.
  for (const identifier of ['apple', 'android-key', 'android-safetynet', 'mds'] as const)
    loaded.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return loaded
}

function bytesOf(text: string): Buffer {
  return readBase64url(text) ?? refuse('unreadable', 'A value is not base64url')
}

const topOriginOf = (json: AssertionJson): string => readClientData(bytesOf(json.response.clientDataJSON)).topOrigin ?? ''

function judgeCommon(type: string, clientData: Buffer, data: AuthenticatorData, expected: Expected): { site: Site; challenge: Buffer } {
  const said = readClientData(clientData)
  if (said.type !== type) refuse('type', `The ceremony is ${said.type.slice(0, 40)}`)
  if (!expected.challenge(said.challenge)) refuse('challenge', 'The challenge is not one of ours, not for this, or too old')
  const site = expected.sites.find(({ origin }) => origin === said.origin) ?? refuse('origin', 'The page is of another origin')
  const frames = expected.framedBy ?? []
  const framed = said.crossOrigin || said.topOrigin !== undefined
  if (framed && frames !== 'anyPage' && !frames.includes(said.topOrigin ?? ''))
    refuse('crossOrigin', 'The page is in a frame of another site')
  const rpIdHash = createHash('sha256').update(site.rpId).digest()
  if (!rpIdHash.equals(data.rpIdHash)) refuse('rpId', 'The credential is of another relying party')
  if (!data.userPresent) refuse('userPresence', 'Nobody was present')
  if (expected.userVerification !== false && !data.userVerified) refuse('userVerification', 'The person was not verified')
  if (data.backedUp && !data.backupEligible) refuse('backupState', 'A key that cannot be backed up says that it is')
  return { site, challenge: said.challenge }
}
