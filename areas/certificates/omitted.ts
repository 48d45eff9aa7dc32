// Finds the names of a request (CSR) that its certificate omits, to warn the requester and the approvers. Pure.

import { clipped } from '#areas/templates/names.ts'
import type { CertificateDraft, PlanFinding, RequestedDetails } from '#areas/templates/plan.ts'
import { visible } from '#standards/x509/described-field.ts'
import { escapeControls } from '#standards/x509/names.ts'

/** `by` says what omits them: a template may omit names from any certificate, and a renewal adds none. */
export function omitted(
  { subject, sans }: Pick<RequestedDetails, 'subject' | 'sans'>,
  draft: Pick<CertificateDraft, 'subject' | 'sans'>,
  by: 'certificate' | 'renewal',
): PlanFinding[] {
  const present = new Set([...draft.subject, ...draft.sans].map(({ value }) => value.toLowerCase()))
  const named = [...subject.filter(({ field }) => field === 'CN'), ...sans].map(({ value }) => value)
  const others = [...new Set(named)].filter((value) => !present.has(value.toLowerCase()))
  if (others.length === 0) return []
  // Escapes the names, because a stranger may have written them.
  const quoted = others
    .slice(0, mostNamed)
    .map((name) => visible(escapeControls(clipped(name).toWellFormed())))
    .join(', ')
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ''
  return [
    { severity: 'warn', code: `${by}LeavesOut`, field: 'csr', message: `The request names ${quoted}${more}, which the ${by} leaves out` },
  ]
}

const mostNamed = 5
