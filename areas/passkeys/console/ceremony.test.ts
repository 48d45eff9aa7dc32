import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askForSignIn, fromBase64url, signalAccepted, toBase64url, wasCancelled } from './ceremony.ts'

/** What the browser is asked for; it answers when the signal ends the ceremony. */
function browserThatWaits() {
  const asked: CredentialRequestOptions[] = []
  const get = (options: CredentialRequestOptions) => {
    asked.push(options)
    return new Promise<never>((_, reject) => options.signal?.addEventListener('abort', () => reject(options.signal?.reason)))
  }
  vi.stubGlobal('navigator', { ...navigator, credentials: { get } })
  return asked
}

afterEach(() => vi.unstubAllGlobals())

describe('A sign-in', () => {
  it('asks for any passkey of this host, with the person verified, for ten minutes', async () => {
    const asked = browserThatWaits()
    const challenge = Uint8Array.of(1, 2, 3)
    const field = askForSignIn(challenge, 'conditional').catch((error: unknown) => error)
    expect(asked[0]).toMatchObject({
      mediation: 'conditional',
      publicKey: { challenge, timeout: 600_000, rpId: location.hostname, userVerification: 'required' },
    })
    const button = askForSignIn(challenge, 'optional').catch((error: unknown) => error)
    const ended = await field
    expect(ended).toMatchObject({ name: 'AbortError' })
    expect(wasCancelled(ended)).toBe(true)
    expect(asked[1]).toMatchObject({ mediation: 'optional' })
    expect(asked[1]?.signal?.aborted).toBe(false)
    void button
  })

  it('tells nothing of a prompt that was closed, and everything else', () => {
    expect(wasCancelled(new DOMException('closed', 'NotAllowedError'))).toBe(true)
    expect(wasCancelled(new DOMException('not here', 'SecurityError'))).toBe(false)
    expect(wasCancelled(new Error('AbortError'))).toBe(false)
  })
})

describe('Base64', () => {
  it('is URL-safe and without padding, or an error', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
    expect(toBase64url(bytes.buffer)).not.toMatch(/[+/=]/)
    expect(fromBase64url(toBase64url(bytes.buffer))).toEqual(bytes)
    for (const text of ['ab+/', 'YQ==', 'a b', 'ä']) expect(() => fromBase64url(text)).toThrow('Only URL-safe base64 is accepted')
  })
})

describe('The list that the browser is told', () => {
  const told: unknown[] = []
  beforeEach(() => {
    told.length = 0
    vi.stubGlobal('isSecureContext', true)
    vi.stubGlobal('PublicKeyCredential', { signalAllAcceptedCredentials: async (list: unknown) => void told.push(list) })
  })
  const registeredCredentials = [
    { credentialId: 'AAAA', host: location.hostname },
    { credentialId: 'BBBB', host: 'other.example.org' },
  ]

  it('is whole, of this host, and of one’s own account alone', async () => {
    await signalAccepted({ registeredCredentials })
    expect(told).toEqual([])
    await signalAccepted({ userHandle: 'CCCC', registeredCredentials })
    expect(told).toEqual([{ rpId: location.hostname, userId: 'CCCC', allAcceptedCredentialIds: ['AAAA'] }])
  })
})
