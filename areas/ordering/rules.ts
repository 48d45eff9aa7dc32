// Decisions about orders from external ACME authorities that need nothing but their arguments, for both sides.

import { isWildcard, readIdentifier, type Identifier } from '#standards/acme/identifiers.ts'
import { AcmeError } from '#standards/acme/problem.ts'

/** The six steps of an order, and `done`. */
export const steps = ['registration', 'order', 'authorization', 'validation', 'finalisation', 'certificate', 'done'] as const
export type Step = (typeof steps)[number]

/** The steps whose requests use up nonces of their own. */
export const nonceSteps = ['registration', 'order', 'validation', 'finalisation'] as const
export type NonceStep = (typeof nonceSteps)[number]
export type Nonces = Partial<Record<NonceStep, string>>

/** Which of the four nonces a step uses: reading authorisations belongs to the order, and fetching the certificate to its finalisation. */
export const nonceOf: Record<Exclude<Step, 'done'>, NonceStep> = {
  registration: 'registration',
  order: 'order',
  authorization: 'order',
  validation: 'validation',
  finalisation: 'finalisation',
  certificate: 'finalisation',
}

export const proofs = ['forward', 'file', 'responder', 'record'] as const
export type Proof = (typeof proofs)[number]

export const challengeOf: Record<Proof, 'http-01' | 'dns-01'> = {
  forward: 'http-01',
  file: 'http-01',
  responder: 'dns-01',
  record: 'dns-01',
}

/** A person puts the file or the record in its place, so that the order waits for that person. */
export const isManual = (proof: Proof): boolean => proof === 'file' || proof === 'record'

export const keyKinds = ['P-256', 'P-384', 'RSA-2048', 'RSA-3072', 'RSA-4096'] as const
export type OrderedKey = (typeof keyKinds)[number]

export const responderKinds = ['rfc2136', 'acmeDns', 'webhook'] as const
export type ResponderKind = (typeof responderKinds)[number]

export const mostNames = 100

/** By what the public address of challenge files is found. */
export const challengeAddressKind = 'acmeChallenge'

/** What can be ordered under this name. Undefined where it is none. */
export function identifierOf(name: string): Identifier | undefined {
  for (const type of ['dns', 'ip'])
    try {
      return readIdentifier({ type, value: name })
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error
    }
  return undefined
}

/** What is wrong with a name of an order that is proven in this way; undefined where nothing is. */
export function nameFaultOf(name: string, proof: Proof): string | undefined {
  const identifier = identifierOf(name)
  if (identifier === undefined) return 'Enter a DNS name such as www.example.org, or an IP address'
  if (challengeOf[proof] === 'http-01' && isWildcard(identifier)) return 'A wildcard is proven by a DNS record'
  if (challengeOf[proof] === 'dns-01' && identifier.type === 'ip') return 'An IP address is proven by a file'
  return undefined
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Pauses after failures that follow one another. */
const pauses = [hour, 4 * hour, 12 * hour, day]
export const pauseAfter = (failures: number): number => pauses[Math.min(Math.max(failures, 1), pauses.length) - 1] ?? day

/** In a day, for one order: an authority that lies about time, or gives certificates of a minute, is asked no more often. */
export const mostRenewalsADay = 48
const shortestPause = 15 * minute
const longestPause = 6 * hour

/** So long what was obtained stays, whatever its authority suggests: half of its life, between a quarter of an hour and six hours. */
export const renewalPause = (notBefore: Date, notAfter: Date): number =>
  Math.min(longestPause, Math.max(shortestPause, (notAfter.getTime() - notBefore.getTime()) / 2))

/**
 * When an order may be renewed by itself again. `obtained`: when its certificates were, the latest first. The first one may be renewed at once, as where its
 * authority is about to revoke it; what was renewed stays for a while.
 */
export function earliestRenewal(obtained: readonly Date[], life: { notBefore: Date; notAfter: Date } | undefined): Date | undefined {
  const [last, before] = obtained
  if (last === undefined || before === undefined || life === undefined) return undefined
  const full = obtained[mostRenewalsADay - 1]
  const paused = last.getTime() + renewalPause(life.notBefore, life.notAfter)
  return new Date(full === undefined ? paused : Math.max(paused, full.getTime() + day))
}

/** So long one server may be busy with a step before another takes it. */
export const claimMilliseconds = 3 * minute
/** So long an order that does not come to an end is asked about. */
export const longestStep = day

/** A moment between two. `chance`: from 0 to 1. */
export const momentIn = (start: Date, end: Date, chance: number): Date =>
  new Date(start.getTime() + Math.round(Math.max(0, end.getTime() - start.getTime()) * chance))

/** When an authority that says nothing about it expects the renewal: around two thirds of the life, spread over a fifteenth of it. */
export function ownWindow(notBefore: Date, notAfter: Date): { start: Date; end: Date } {
  const life = notAfter.getTime() - notBefore.getTime()
  const middle = notAfter.getTime() - life / 3
  const half = Math.min(life / 15, 2 * day) / 2
  return { start: new Date(middle - half), end: new Date(middle + half) }
}

/** What `Retry-After` says (RFC 9110 10.2.3), in seconds from 1 to `most`. */
export function retryAfterSeconds(header: string | undefined, now: Date, { otherwise, most }: { otherwise: number; most: number }): number {
  const text = header?.trim() ?? ''
  const asked = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000
  return Math.min(most, Math.max(1, Math.ceil(Number.isNaN(asked) ? otherwise : asked)))
}

/** Authorities that anybody may use. The directory of a house's own authority stands under its directories. */
export const knownAuthorities: readonly { name: string; directoryUrl: string; says: string }[] = [
  { name: "Let's Encrypt", directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory', says: 'Public certificates for servers' },
  {
    name: "Let's Encrypt (staging)",
    directoryUrl: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    says: 'For trials: nobody trusts these certificates',
  },
  {
    name: 'Google Trust Services',
    directoryUrl: 'https://dv.acme-v02.api.pki.goog/directory',
    says: 'Public certificates for servers. Needs an EAB key',
  },
  { name: 'ZeroSSL', directoryUrl: 'https://acme.zerossl.com/v2/DV90', says: 'Public certificates for servers. Needs an EAB key' },
]
