// From pasted texts to a verdict. Pure and synchronous: it runs in a worker (workbench.ts) that is stopped when it takes too long.

import { readVerification, type TextFault, type VerificationTexts } from '#standards/verify/from-text.ts'
import { reportVerification, type VerificationReport } from '#standards/verify/report.ts'
import type { OwnStatus } from '#standards/verify/revocation.ts'
import { verifyCertificate } from '#standards/verify/verify.ts'

export type VerificationAsked = {
  texts: VerificationTexts
  /** ISO 8601, where the texts name no time. */
  now: string
  /** What authorities here know themselves, by fingerprint. */
  ownStatuses: ReadonlyMap<string, OwnStatus>
}
export type Verified = VerificationReport | { unusable: TextFault[] }

/** Never throws for what came in. */
export function verifyTexts({ texts, now, ownStatuses }: VerificationAsked): Verified {
  const reading = readVerification(texts, new Date(now))
  if ('faults' in reading) return { unusable: reading.faults }
  return reportVerification(verifyCertificate({ ...reading.input, ownStatuses }), reading.input)
}
