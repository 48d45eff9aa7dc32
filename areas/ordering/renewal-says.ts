// When an ordered certificate is renewed, or why not, in one sentence: for the order's page and for the certificate's.

import { say } from '#standards/say/say.ts'
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
  if (!obtained) return say`Nothing has been obtained yet.`
  const isUnderWay = step !== 'done'
  const byFile = proof === 'file'
  if (isUnderWay && problem !== undefined)
    return [
      say`The renewal failed: ${problem}.`,
      runs ? say`It is tried again at ${nextAt.toISOString()}.` : say`It waits for somebody to go on with it.`,
    ].join(' ')
  if (isUnderWay && step === 'validation' && isManual(proof))
    return byFile
      ? say`It is being renewed, and waits for somebody to put the files in their places.`
      : say`It is being renewed, and waits for somebody to put the records in their places.`
  if (isUnderWay) return runs ? say`It is being renewed now.` : say`Its renewal was begun, and waits for somebody to go on with it.`
  if (!renews) return say`It is not renewed by itself: that is switched off for this order.`
  if (renewAt === undefined) return say`It is not renewed: its order has no time for that.`
  return [
    say`It is renewed at ${renewAt.toISOString()}.`,
    ...(!isManual(proof)
      ? []
      : [byFile ? say`Somebody then has to put files in their places.` : say`Somebody then has to put records in their places.`]),
    ...(ari === undefined ? [] : [say`Its authority asks for that between ${ari.start} and ${ari.end}.`]),
    ...(ari?.explanation === undefined ? [] : [say`Its reason: ${ari.explanation}`]),
  ].join(' ')
}
