// What is wrong with a request, in the two forms in which it is told: as faults of fields, each with the severity that lint gives it, and as
// findings. Whatever is wrong with a CSR is a finding; what was merely typed wrong is not.

import type { Finding } from '#areas/templates/preview.ts'
import type { FieldFault } from '#core/contract/faults.ts'

export const withSeverity = (faults: readonly FieldFault[], findings: readonly Finding[]): FieldFault[] =>
  faults.map((fault) => {
    const severity =
      fault.severity ?? findings.find(({ message }) => message === fault.says)?.severity ?? (fault.field === 'csr' ? 'error' : undefined)
    return severity === undefined ? fault : { ...fault, severity }
  })

/** The findings, and behind them the faults of the CSR that are not among them. */
export const findingsOf = (faults: readonly FieldFault[], findings: readonly Finding[]): Finding[] => [
  ...findings,
  ...withSeverity(faults, findings).flatMap(({ field, says, severity }) =>
    severity === undefined || findings.some(({ message }) => message === says)
      ? []
      : [{ severity, code: `${severity.charAt(0)}_request`, message: says, field }],
  ),
]
