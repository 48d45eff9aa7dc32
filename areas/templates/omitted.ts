// Finds the names of a request (CSR) that its certificate omits, to warn the requester and the approvers. Pure.

import { say } from '#standards/say/say.ts'
import { visible } from '#standards/x509/described-field.ts'
import { escapeControls } from '#standards/x509/names.ts'
import { clipped } from './names.ts'
import type { CertificateDraft, PlanFinding, RequestedDetails } from './plan.ts'

/** `by` says what omits them: a template may omit names from any certificate, and a renewal adds none. */
export function omitted(
  { subject, sans }: Pick<RequestedDetails, 'subject' | 'sans'>,
  draft: Pick<CertificateDraft, 'subject' | 'sans'>,
  by: 'certificate' | 'renewal',
): PlanFinding[] {
  const present = new Set([...draft.subject, ...draft.sans].map(({ value }) => value.toLowerCase()))
  const absent = ({ value }: { value: string }): boolean => !present.has(value.toLowerCase())
  const others = new Set([
    ...[...subject.filter(({ field }) => field === 'CN'), ...sans].filter(absent).map(({ value }) => value),
    ...subject.filter((one) => one.field !== 'CN' && absent(one)).map(({ field, value }) => `${field}=${value}`),
  ])
  if (others.size === 0) return []
  // Escapes the names, because anybody may have written them.
  const quoted = [...others]
    .slice(0, mostNamed)
    .map((name) => visible(escapeControls(clipped(name).toWellFormed())))
    .join(', ')
  const more = others.size > mostNamed ? ` and ${others.size - mostNamed} more` : ''
  return [
    {
      severity: 'warn',
      code: `${by}LeavesOut`,
      field: 'csr',
      message: say`The request names ${quoted}${more}, which the ${by} leaves out`,
    },
  ]
}

const mostNamed = 5
