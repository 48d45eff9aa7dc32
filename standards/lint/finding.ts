import type { DerValue } from '../der/reader.ts'
// The shape of what lint says, and of a rule. A rule is a row in a table: its code begins with the letter of its
// severity (w, e, f), so that a log or a saved exception says at once how grave it was.
import type { TbsCertificate } from '../x509/certificate.ts'

/** `warn` is shown; `error` and `fatal` refuse. `fatal` is what cannot even be read. */
export type LintSeverity = 'warn' | 'error' | 'fatal'
export type LintProfile = 'tlsServer' | 'tlsClient' | 'ca' | 'any'

export interface LintFinding {
  /** such as `e_serial_number_not_positive` */
  code: string
  severity: LintSeverity
  /** a plain sentence for the person who asked for the certificate */
  message: string
  /** such as `RFC 5280 4.1.2.2` */
  source: string
  /** such as `subject.CN` or `subjectAltName.names[2]` */
  field: string
}

export interface LintSubject {
  certificate: TbsCertificate
  /** the tbsCertificate as it stands, for rules about the encoding */
  encoded: DerValue
  profile: LintProfile
  now: Date | undefined
  isCa: boolean
  selfIssued: boolean
}

export interface Fault {
  message: string
  field: string
}

export interface LintRule {
  code: `${'w' | 'e' | 'f'}_${string}`
  source: string
  /** every fault of this kind, in the order of the certificate */
  check: (subject: LintSubject) => Iterable<Fault>
}

const SEVERITIES: { readonly [letter: string]: LintSeverity } = { w: 'warn', e: 'error', f: 'fatal' }

export function finding(rule: Pick<LintRule, 'code' | 'source'>, fault: Fault): LintFinding {
  return { code: rule.code, severity: SEVERITIES[rule.code.charAt(0)] ?? 'error', source: rule.source, ...fault }
}

/** One fault when the condition holds. */
export function when(condition: boolean, field: string, message: string): Fault[] {
  return condition ? [{ field, message }] : []
}
