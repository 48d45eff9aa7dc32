// Looks a certificate over before it is signed, when there is still time to say no. What the reader refuses is one fatal
// finding; everything else is a table of rules, each with its source.
import { DerError, readDer } from '../der/reader.ts'
import { isSelfIssued, parseCertificate, parseTbsCertificate } from '../x509/certificate.ts'
import { parseCsr, verifyCsr } from '../x509/csr.ts'
import { findExtension } from '../x509/extensions.ts'
import { CERTIFICATE_RULES, keyFaults } from './certificate-rules.ts'
import { EXTENSION_RULES } from './extension-rules.ts'
import { finding, type LintFinding, type LintProfile, type LintRule, type LintSubject } from './finding.ts'
import { CERTIFICATE_NAME_RULES, NAME_RULES } from './name-rules.ts'

export interface LintContext {
  /** `any` unless said: then the certificate's own purposes decide */
  profile?: LintProfile
  /** with it, a certificate that has ended is a finding */
  now?: Date
}

/** The rules for certificates, in the order of their findings. */
export const LINT_RULES: readonly LintRule[] = [
  ...CERTIFICATE_RULES,
  ...CERTIFICATE_NAME_RULES,
  ...NAME_RULES.map((rule): LintRule => ({ ...rule, check: ({ certificate }) => rule.check(certificate) })),
  ...EXTENSION_RULES,
]

const STRUCTURE = { code: 'f_structure', source: 'RFC 5280 4.1' } as const
const REQUEST_STRUCTURE = { code: 'f_request_structure', source: 'RFC 2986 4' } as const
const REQUEST_SIGNATURE = { code: 'e_request_signature', source: 'RFC 2986 3' } as const
const REQUEST_KEY_WEAK = { code: 'e_key_weak', source: 'CA/B BR 6.1.1.3' } as const
const REQUEST_KEY_UNUSUAL = { code: 'w_key_unusual', source: 'CA/B BR 6.1.6' } as const

/** All findings on a certificate, signed or not (its tbsCertificate alone). Never throws on what it is given to read. */
export function lintCertificate(tbsOrCertificate: Uint8Array, { profile = 'any', now }: LintContext = {}): LintFinding[] {
  let subject: LintSubject
  try {
    const outer = readDer(tbsOrCertificate)
    const [first] = outer.children
    const signed = outer.children.length === 3 && first !== undefined
    if (!signed) outer.path = 'tbsCertificate'
    const certificate = signed ? parseCertificate(tbsOrCertificate) : parseTbsCertificate(outer)
    const isCa = findExtension(certificate.extensions, 'basicConstraints')?.cA === true
    subject = { certificate, encoded: signed ? first : outer, profile, now, isCa, selfIssued: isSelfIssued(certificate) }
  } catch (error) {
    if (error instanceof DerError) return [finding(STRUCTURE, { field: error.path, message: `${error.fault}.` })]
    throw error
  }
  const findings: LintFinding[] = []
  for (const rule of LINT_RULES) for (const fault of rule.check(subject)) findings.push(finding(rule, fault))
  return findings
}

/** All findings on a certification request: its names, its key and its proof of possession. */
export function lintCsr(der: Uint8Array): LintFinding[] {
  let csr: ReturnType<typeof parseCsr>
  try {
    csr = parseCsr(der)
  } catch (error) {
    if (error instanceof DerError) return [finding(REQUEST_STRUCTURE, { field: error.path, message: `${error.fault}.` })]
    throw error
  }
  const proof = verifyCsr(csr)
  const named = { subject: csr.subject, extensions: csr.requestedExtensions }
  return [
    ...(proof.ok ? [] : [finding(REQUEST_SIGNATURE, { field: 'signature', message: proof.reason })]),
    ...Array.from(keyFaults(csr.publicKey, 'error'), (fault) => finding(REQUEST_KEY_WEAK, fault)),
    ...Array.from(keyFaults(csr.publicKey, 'warn'), (fault) => finding(REQUEST_KEY_UNUSUAL, fault)),
    ...NAME_RULES.flatMap((rule) => Array.from(rule.check(named), (fault) => finding(rule, fault))),
  ]
}

/** Whether the findings forbid signing: any that is more than a warning. */
export function refuses(findings: readonly LintFinding[]): boolean {
  return findings.some(({ severity }) => severity !== 'warn')
}
