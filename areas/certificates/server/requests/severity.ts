// What is wrong with a CSR is a finding besides being a fault of its field; what was merely typed wrong is not.

import type { Finding } from '#areas/templates/preview.ts'
import type { Refusal } from '#core/contract/refusal.ts'

/** Adds to the findings what refuses the CSR and is not among them. */
export const findingsOf = (faults: readonly Refusal[], findings: readonly Finding[]): Finding[] => [
  ...findings,
  ...faults.flatMap((fault) => {
    const { field, says, severity, code } = fault
    return field !== 'csr' || isAmong(fault, findings) ? [] : [{ severity, code, message: says, field }]
  }),
]

/** Tells whether lint, or what else looks over what would be signed, found it. */
export const isAmong = ({ code }: Pick<Refusal, 'code'>, findings: readonly Finding[]): boolean =>
  findings.some((finding) => finding.code === code && finding.severity !== 'warn')
