// What a request (CSR) names and its certificate does not: whoever asks is told, and whoever agrees. Pure.

import { clipped } from '#areas/templates/names.ts'
import type { CertificateDraft, PlanFinding, RequestedDetails } from '#areas/templates/plan.ts'
import { escapeControls } from '#standards/x509/names.ts'

/** `by`: a template may leave names out of any certificate, and a renewal changes none. */
export function leftOut(
  { subject, sans }: Pick<RequestedDetails, 'subject' | 'sans'>,
  draft: Pick<CertificateDraft, 'subject' | 'sans'>,
  by: 'certificate' | 'renewal',
): PlanFinding[] {
  const kept = new Set([...draft.subject, ...draft.sans].map(({ value }) => value.toLowerCase()))
  const named = [...subject.filter(({ field }) => field === 'CN'), ...sans].map(({ value }) => value)
  const others = [...new Set(named)].filter((value) => !kept.has(value.toLowerCase()))
  if (others.length === 0) return []
  // It is what somebody else wrote.
  const shown = others
    .slice(0, mostNamed)
    .map((name) => escapeControls(clipped(name).toWellFormed()))
    .join(', ')
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ''
  return [
    { severity: 'warn', code: `${by}LeavesOut`, field: 'csr', message: `The request names ${shown}${more}, which the ${by} leaves out` },
  ]
}

const mostNamed = 5
