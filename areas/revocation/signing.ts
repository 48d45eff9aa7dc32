// Who signs an authority's OCSP answers: the authority itself, or a signer of its own (RFC 6960 4.2.2.2) with a key that is quick and near while
// the authority's is slow or away. A signer's certificate lives a month and tells relying parties not to ask about it, so its short life is
// what bounds the harm of a lost key; it is renewed when a third is left. Pure: the console shows what the server acts on.

import { wholeSecond } from '#areas/authorities/rules.ts'
import { keyAlgorithms, type KeyAlgorithm } from '#areas/keys/rules.ts'

export const signedByChoices = ['authority', 'signer', 'signerOnToken'] as const
/** `signerOnToken`: its key lives on the token of the authority's. */
export type SignedBy = (typeof signedByChoices)[number]

const hour = 3_600_000
const signerLifeMilliseconds = 30 * 24 * hour
/** It begins before it is made: clocks of relying parties may be late. */
const signerBackdatedMilliseconds = hour
/** An answer holds an hour, and who signed it shall count as long. */
export const signerMarginMilliseconds = hour

export type Life = { notBefore: Date; notAfter: Date }

/** Within the authority's life. */
export const lifeOfSigner = (authority: Life, now: Date): Life => ({
  notBefore: wholeSecond(new Date(Math.max(authority.notBefore.getTime(), now.getTime() - signerBackdatedMilliseconds))),
  notAfter: wholeSecond(new Date(Math.min(authority.notAfter.getTime(), now.getTime() + signerLifeMilliseconds))),
})

/** From when on another is made. */
export const renewalOf = ({ notBefore, notAfter }: Life): Date =>
  new Date(notAfter.getTime() - (notAfter.getTime() - notBefore.getTime()) / 3)

export const signerServes = ({ notBefore, notAfter }: Life, now: Date): boolean =>
  now >= notBefore && notAfter.getTime() - now.getTime() > signerMarginMilliseconds

/** Whether a signer is to be made. One that ends with its authority has no successor, and an authority in its last hours signs by itself. */
export function signerIsDue(current: Life | undefined, authority: Life, now: Date): boolean {
  if (!signerServes(authority, now)) return false
  if (current === undefined) return true
  if (current.notAfter.getTime() >= wholeSecond(authority.notAfter).getTime()) return false
  return now >= renewalOf(current)
}

/** The kind of a signer's key in software: quick, and not weaker against tomorrow's computers than what its authority signs. */
export const signerKeyFor = (authority: KeyAlgorithm): KeyAlgorithm =>
  keyAlgorithms[authority].clients === 'postQuantum' ? 'ML-DSA-44' : 'P-256'

const signerEnds = ['renewed', 'unwanted', 'compromised'] as const
/** Why a signer signs no more. */
export type SignerEnd = (typeof signerEnds)[number]
