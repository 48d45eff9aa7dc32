// Passkeys as both sides judge them, without asking anybody.

import * as z from 'zod'

/** Ten minutes, as the specification has it; a browser takes another after half of it. */
export const challengeMilliseconds = 600_000

/** Only URL-safe base64 without padding; `most` characters. */
export const Base64url = (most: number) =>
  z
    .string()
    .min(1, 'Enter a value')
    .max(most, `Use at most ${most} characters`)
    .regex(/^[\w-]+$/, 'Only URL-safe base64 is accepted')

/** How an authenticator's model is written: as a UUID, whose version may be anything. */
export const Aaguid = z.guid('An AAGUID has 32 hexadecimal digits in five groups').toLowerCase()

/** How many a person may have: a list of them goes to each authenticator that is registered. */
export const mostPasskeys = 20

export type Policy = { deviceBound: boolean; models: readonly string[] }

export type Judged = { backupEligible: boolean; aaguid: string; attestation: 'none' | 'unverified' | 'verified'; compromised: boolean }
export type PolicyFault = 'synced' | 'model' | 'unproved' | 'compromised'

/** Why the tenancy does not take a passkey; undefined where it does. What a device says of its model counts only where a statement proves it. */
export function policyFault(policy: Policy, { backupEligible, aaguid, attestation, compromised }: Judged): PolicyFault | undefined {
  if (compromised) return 'compromised'
  if (policy.deviceBound && backupEligible) return 'synced'
  if (!wantsProof(policy)) return undefined
  if (attestation !== 'verified') return 'unproved'
  return policy.models.length === 0 || policy.models.includes(aaguid) ? undefined : 'model'
}

/** Whether a registration must say, provably, what device it comes from. */
export const wantsProof = (policy: Policy): boolean => policy.deviceBound || policy.models.length > 0

/**
 * What a counter says that did not rise. Synced passkeys live on several devices and mostly count nothing, so there it is a signal; a passkey that never
 * leaves its device counts on, and one that does not may have been copied.
 */
export function judgeCounter(
  sent: number,
  { counter, backupEligible }: { counter: number; backupEligible: boolean },
): 'good' | 'signal' | 'copied' {
  if (sent > counter || (sent === 0 && counter === 0)) return 'good'
  return backupEligible ? 'signal' : 'copied'
}
