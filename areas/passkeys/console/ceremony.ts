// The browser's side of passkeys. One ceremony is under way at a time: a new one ends the one before with an AbortError.

import type { DraftOf } from '#core/contract/contract.ts'
import type { passkeys } from '../contract.ts'
import { challengeMilliseconds } from '../rules.ts'

type Bytes = Uint8Array<ArrayBuffer>
export type Assertion = DraftOf<(typeof passkeys)['calls']['signIn']>

export const passkeysWork = (): boolean => typeof PublicKeyCredential !== 'undefined' && window.isSecureContext

/** Whether the browser offers passkeys in the list of a field. */
export const autofillWorks = async (): Promise<boolean> =>
  passkeysWork() && (await PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false)) === true

/** Only URL-safe base64 without padding: all else is an error. */
export function fromBase64url(text: string): Bytes {
  if (!/^[\w-]*$/.test(text)) throw new TypeError('Only URL-safe base64 is accepted')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
}

export function toBase64url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The person closed the prompt, or another ceremony took its place: nothing needs to be said. */
export const wasCancelled = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'AbortError' || error.name === 'NotAllowedError')

let underWay: AbortController | undefined

function beginCeremony(): AbortSignal {
  underWay?.abort(new DOMException('Another ceremony has begun', 'AbortError'))
  underWay = new AbortController()
  return underWay.signal
}

/** Ends the ceremony of that signal and no other. */
export function endCeremony(): void {
  underWay?.abort(new DOMException('The page is gone', 'AbortError'))
  underWay = undefined
}

const descriptors = (list: readonly { id: string; transports?: string[] }[]): PublicKeyCredentialDescriptor[] =>
  list.map(({ id, transports }) => ({
    type: 'public-key',
    id: fromBase64url(id),
    ...(transports === undefined || transports.length === 0 ? {} : { transports: transports as AuthenticatorTransport[] }),
  }))

/** Signs in: any passkey of this host will do. `conditional` waits in the list of the username field, `optional` opens the prompt. */
export function askForSignIn(challenge: Bytes, mediation: 'conditional' | 'optional'): Promise<Assertion> {
  const publicKey = { challenge, timeout: challengeMilliseconds, rpId: location.hostname, userVerification: 'required' } as const
  return ask({ publicKey, mediation })
}

type RequestOptions = { challenge: string; rpId: string; timeout: number; allowCredentials: { id: string; transports?: string[] }[] }

/** Proves who one is: one of the passkeys that the server names. */
export function askForProof(json: string): Promise<Assertion> {
  const options = JSON.parse(json) as RequestOptions
  return ask({
    publicKey: {
      challenge: fromBase64url(options.challenge),
      rpId: options.rpId,
      timeout: options.timeout,
      userVerification: 'required',
      allowCredentials: descriptors(options.allowCredentials),
    },
  })
}

async function ask(options: CredentialRequestOptions): Promise<Assertion> {
  const credential = await navigator.credentials.get({ ...options, signal: beginCeremony() })
  const response = credential instanceof PublicKeyCredential ? credential.response : undefined
  if (!(credential instanceof PublicKeyCredential) || !(response instanceof AuthenticatorAssertionResponse))
    throw new TypeError('The browser gave no passkey')
  return {
    id: credential.id,
    type: 'public-key',
    rawId: toBase64url(credential.rawId),
    response: {
      clientDataJSON: toBase64url(response.clientDataJSON),
      authenticatorData: toBase64url(response.authenticatorData),
      signature: toBase64url(response.signature),
      userHandle: response.userHandle === null ? '' : toBase64url(response.userHandle),
    },
  }
}

type CreationOptions = Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & {
  challenge: string
  user: { id: string; name: string; displayName: string }
  excludeCredentials: { id: string; transports?: string[] }[]
}

/** Makes a passkey by the options of the server; answers what goes back, as JSON. */
export async function createPasskey(json: string): Promise<string> {
  const options = JSON.parse(json) as CreationOptions
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...options,
    challenge: fromBase64url(options.challenge),
    user: { ...options.user, id: fromBase64url(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  }
  const credential = await navigator.credentials.create({ publicKey, signal: beginCeremony() })
  const response = credential instanceof PublicKeyCredential ? credential.response : undefined
  if (!(credential instanceof PublicKeyCredential) || !(response instanceof AuthenticatorAttestationResponse))
    throw new TypeError('The browser gave no passkey')
  return JSON.stringify({
    id: credential.id,
    rawId: toBase64url(credential.rawId),
    type: 'public-key',
    response: {
      clientDataJSON: toBase64url(response.clientDataJSON),
      attestationObject: toBase64url(response.attestationObject),
      transports: response.getTransports(),
    },
  })
}

type Signals = {
  signalUnknownCredential?(options: { rpId: string; credentialId: string }): Promise<void>
  signalAllAcceptedCredentials?(options: { rpId: string; userId: string; allAcceptedCredentialIds: string[] }): Promise<void>
}
const signals = (): Signals => (passkeysWork() ? (PublicKeyCredential as Signals) : {})

/** Tells the browser that the server does not know this passkey, so that it stops offering it. */
export const signalUnknown = async (credentialId: string): Promise<void> =>
  signals()
    .signalUnknownCredential?.({ rpId: location.hostname, credentialId })
    .catch(() => {})

/** Tells the browser which passkeys of this account there are. The list has all of this host: what is missing is hidden. */
export async function signalAccepted(list: {
  userHandle?: string | undefined
  registeredCredentials: readonly { credentialId: string; host: string }[]
}): Promise<void> {
  if (list.userHandle === undefined) return
  const here = list.registeredCredentials.filter(({ host }) => host === location.hostname)
  await signals()
    .signalAllAcceptedCredentials?.({
      rpId: location.hostname,
      userId: list.userHandle,
      allAcceptedCredentialIds: here.map(({ credentialId }) => credentialId),
    })
    .catch(() => {})
}
