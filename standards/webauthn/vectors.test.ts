import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgeAssertion, judgeRegistration, offeredAlgorithms } from './ceremony.ts'

type Vector = {
  name: string
  registration: { challenge: string; credential_id: string; clientDataJSON: string; attestationObject: string }
  authentication: { challenge: string; authenticatorData: string; clientDataJSON: string; signature: string }
}

const vectors = JSON.parse(readFileSync(new URL('vectors/webauthn-l3.json', import.meta.url), 'utf8')) as Vector[]
const site = { origin: 'https://example.org', rpId: 'example.org' }
const url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

const ceremonyOf = ({ registration, authentication }: Vector) => {
  const id = url(registration.credential_id)
  const expecting = (challenge: string) => ({
    challenge: (signed: Buffer) => signed.toString('hex') === challenge,
    sites: [site],
    userVerification: false,
    framedBy: 'anyPage' as const,
  })
  return {
    register: () =>
      judgeRegistration(
        {
          id,
          rawId: id,
          type: 'public-key',
          response: { clientDataJSON: url(registration.clientDataJSON), attestationObject: url(registration.attestationObject) },
        },
        { ...expecting(registration.challenge), algorithms: offeredAlgorithms },
      ),
    signIn: (publicKey: Uint8Array) =>
      judgeAssertion(
        {
          id,
          rawId: id,
          type: 'public-key',
          response: {
            clientDataJSON: url(authentication.clientDataJSON),
            authenticatorData: url(authentication.authenticatorData),
            signature: url(authentication.signature),
          },
        },
        publicKey,
        expecting(authentication.challenge),
      ),
  }
}

/** Each with its reason in docs/divergences.md. */
const missed: Record<string, string> = {
  'TPM Attestation with ES256 Credential': 'attestation',
  'Android Key Attestation with ES256 Credential': 'format',
  'FIDO U2F Attestation with ES256 Credential': 'attestation',
}

describe('The pairs of the standard', () => {
  test('are fifteen', () => expect(vectors).toHaveLength(15))

  for (const vector of vectors) {
    const code = missed[vector.name]
    const { register, signIn } = ceremonyOf(vector)
    if (code === undefined)
      test(`${vector.name}: is registered, and signs in`, async () => {
        const { publicKey } = await register()
        await expect(signIn(publicKey)).resolves.toMatchObject({ rpId: 'example.org' })
      })
    else test(`${vector.name}: is refused for its ${code}`, async () => expect(register()).rejects.toMatchObject({ code }))
  }
})
