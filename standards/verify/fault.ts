// Why a path is refused: a code, the clause that asks for it, and a sentence for a person. The clauses stand here once; the
// sentence is written where the fault is found, because only there are the dates and names known.
import type { Oid } from '../der/values.ts'

export const FAULT_CLAUSES = {
  noIssuer: 'RFC 5280 6.1',
  untrustedRoot: 'RFC 5280 6.1.1 (d)',
  pathTooLong: 'RFC 4158 2.4.2',
  signature: 'RFC 5280 6.1.3 (a)(1)',
  weakSignature: 'RFC 9155 and RFC 6151',
  unknownAlgorithm: 'RFC 5280 4.1.1.2',
  weakKey: 'NIST SP 800-131A',
  notYetValid: 'RFC 5280 6.1.3 (a)(2)',
  expired: 'RFC 5280 6.1.3 (a)(2)',
  emptyName: 'RFC 5280 4.1.2.6',
  unknownCritical: 'RFC 5280 6.1.4 (o) and 6.1.5 (f)',
  oldVersion: 'RFC 5280 6.1.4 (k)',
  notAnAuthority: 'RFC 5280 6.1.4 (k)',
  authorityOnly: 'RFC 5280 4.2.1.9 and 4.2.1.10',
  pathLength: 'RFC 5280 6.1.4 (m)',
  keyCertSign: 'RFC 5280 6.1.4 (n)',
  nameExcluded: 'RFC 5280 6.1.3 (c)',
  nameNotPermitted: 'RFC 5280 6.1.3 (b)',
  nameUnchecked: 'RFC 5280 4.2.1.10',
  constraintMalformed: 'RFC 5280 4.2.1.10',
  policyRequired: 'RFC 9618 5.2 (f)',
  policyNotAccepted: 'RFC 9618 5.5 (g)',
  policyMappingAny: 'RFC 5280 6.1.4 (a)',
  purpose: 'RFC 5280 4.2.1.12',
  purposeOfIssuer: 'RFC 5280 4.2.1.12',
  purposeKeyUsage: 'RFC 5280 4.2.1.3',
  timeStampingAlone: 'RFC 3161 2.3',
  nameMismatch: 'RFC 9525 6',
  revoked: 'RFC 5280 6.1.3 (a)(3)',
  revocationUnknown: 'RFC 5280 6.3.3',
  tooMuchWork: 'RFC 4158 2.3',
} as const

export type FaultCode = keyof typeof FAULT_CLAUSES

/** A fault of one certificate, wherever it stands. */
export interface CertificateFault {
  code: FaultCode
  clause: string
  /** one or more sentences */
  says: string
}

/** A fault of a path. */
export interface PathFault extends CertificateFault {
  /** which certificate of the path, the leaf being 0 */
  at: number
}

export function fault(code: FaultCode, says: string): CertificateFault {
  return { code, clause: FAULT_CLAUSES[code], says }
}

export function faultIn(at: number, code: FaultCode, says: string): PathFault {
  return { at, ...fault(code, says) }
}

/** `2026-03-01 09:30 UTC` */
export function when(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** At most three of a list, and how many there are beside. */
export function some(items: readonly (string | Oid)[]): string {
  const shown = items.slice(0, 3).map((item) => (item.length > 120 ? `${item.slice(0, 117)}...` : item))
  return items.length > 3 ? `${shown.join(', ')} and ${items.length - 3} more` : shown.join(', ')
}
