// When an ordered certificate is renewed, or why not, in one sentence: for the order's page and for the certificate's.

import { isManual, type Proof, type Step } from './rules.ts'

export type RenewalFacts = {
  obtained: boolean
  renews: boolean
  proof: Proof
  step: Step
  runs: boolean
  problem: string | undefined
  nextAt: Date
  renewAt: Date | undefined
  ari: { start: string; end: string; explanation?: string } | undefined
}

/** Instants stand in it as ISO 8601; the console shows them as people read them. */
export function renewalSays({ obtained, renews, proof, step, runs, problem, nextAt, renewAt, ari }: RenewalFacts): string {
  if (!obtained) return 'Nothing has been obtained yet.'
  const isUnderWay = step !== 'done'
  if (isUnderWay && problem !== undefined)
    return runs
      ? `The renewal failed: ${problem}. It is tried again at ${nextAt.toISOString()}.`
      : `The renewal failed: ${problem}. It waits for somebody to go on with it.`
  if (isUnderWay && step === 'validation' && isManual(proof))
    return `It is being renewed, and waits for somebody to put the ${proof === 'file' ? 'files' : 'records'} in their places.`
  if (isUnderWay) return runs ? 'It is being renewed now.' : 'Its renewal was begun, and waits for somebody to go on with it.'
  if (!renews) return 'It is not renewed by itself: that is switched off for this order.'
  if (renewAt === undefined) return 'It is not renewed: its order has no time for that.'
  const asked = ari === undefined ? '' : ` Its authority asks for that between ${ari.start} and ${ari.end}.`
  const why = ari?.explanation === undefined ? '' : ` Its reason: ${ari.explanation}`
  const how = isManual(proof) ? ` Somebody then has to put ${proof === 'file' ? 'files' : 'records'} in their places.` : ''
  return `It is renewed at ${renewAt.toISOString()}.${how}${asked}${why}`
}
