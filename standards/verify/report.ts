import { fingerprint, type Certificate } from '../x509/certificate.ts'
// A verification as plain values and text: for an answer as JSON, for a screen and for a terminal. Names come out of hostile
// bytes, so control and bidirectional characters are made visible, and nothing is longer than a person can read.
import { visible } from '../x509/described-field.ts'
import { formatName } from '../x509/names.ts'
import { describeKey } from '../x509/public-key.ts'
import type { CertificateFault } from './fault.ts'
import type { RevocationState } from './revocation.ts'
import type { Verification, VerificationInput, VerifiedPath } from './verify.ts'

export interface ReportedFault {
  code: string
  clause: string
  says: string
}

export interface ReportedCertificate {
  role: 'leaf' | 'intermediate' | 'root'
  subject: string
  issuer: string
  /** lower-case hex */
  serialNumber: string
  /** ISO 8601 */
  notBefore: string
  notAfter: string
  key: string
  signatureAlgorithm: string
  /** lower-case hex of the SHA-256 */
  fingerprint: string
  revocation: RevocationState
  /** empty where nothing is wrong with it in this path */
  faults: ReportedFault[]
}

export interface ReportedPath {
  /** whether it ends at a trusted root */
  complete: boolean
  /** leaf first */
  certificates: ReportedCertificate[]
  /** dotted identifiers; `2.5.29.32.0` is any policy */
  policies: string[]
}

export interface VerificationReport {
  verdict: 'valid' | 'invalid'
  /** the verdict in a sentence */
  says: string
  /** ISO 8601, the moment that was asked about */
  at: string
  purpose: string
  path?: ReportedPath
  /** of an invalid certificate: what is wrong with the likeliest path, the root's side first */
  reasons: (ReportedFault & { certificate: string })[]
  rejected: ReportedPath[]
  omitted: number
  gaveUp?: ReportedFault
  /** of those whose revocation lists were looked at: the signer first, then its issuers */
  signers: ReportedSigner[][]
}

/** lower-case hex */
export type ReportedSigner = Pick<ReportedCertificate, 'serialNumber' | 'fingerprint'>

const LONGEST_NAME = 500
const LONGEST_SENTENCE = 2_000
const MOST_POLICIES = 100

export function reportVerification(
  { verdict, path, rejected, omitted, gaveUp, signers }: Verification,
  { at, purpose = 'any', leaf }: VerificationInput,
): VerificationReport {
  const [likeliest] = rejected
  const reasons =
    verdict === 'valid'
      ? []
      : (likeliest?.faults ?? []).map((fault) => {
          const certificate = likeliest?.certificates[fault.at]
          return { certificate: certificate === undefined ? '' : nameOf(certificate), ...reportFault(fault) }
        })
  if (verdict === 'invalid' && gaveUp !== undefined) reasons.push({ certificate: nameOf(leaf), ...reportFault(gaveUp) })
  return {
    verdict,
    says: path === undefined ? refusal(rejected) : approval(path),
    at: at.toISOString(),
    purpose,
    ...(path === undefined ? {} : { path: reportPath(path, true) }),
    reasons,
    rejected: rejected.map((each) => reportPath(each, each.complete)),
    omitted,
    ...(gaveUp === undefined ? {} : { gaveUp: reportFault(gaveUp) }),
    signers: signers.map((certificates) =>
      certificates.map((certificate) => ({ serialNumber: certificate.serialHex, fingerprint: fingerprint(certificate) })),
    ),
  }
}

const refusal = (rejected: readonly VerifiedPath[]): string =>
  rejected.some(({ complete }) => complete) ? 'The certificate is not valid.' : 'The certificate leads to no trusted root.'

/** Valid is less than people take it for where nobody could say whether it was revoked. */
function approval({ revocation }: VerifiedPath): string {
  const below = revocation.slice(0, -1)
  if (!below.includes('notChecked')) return 'The certificate is valid.'
  return below.every((state) => state === 'notChecked')
    ? 'The path is valid; revocation was not checked.'
    : 'The path is valid; revocation was checked for a part of it only.'
}

function reportPath({ certificates, complete, faults, policies, revocation }: VerifiedPath, trusted: boolean): ReportedPath {
  return {
    complete,
    certificates: certificates.map((certificate, at) => ({
      role: trusted && at === certificates.length - 1 ? 'root' : at === 0 ? 'leaf' : 'intermediate',
      subject: nameOf(certificate),
      issuer: shown(formatName(certificate.issuer)),
      serialNumber: certificate.serialHex,
      notBefore: certificate.notBefore.toISOString(),
      notAfter: certificate.notAfter.toISOString(),
      key: shown(describeKey(certificate.publicKey)),
      signatureAlgorithm: certificate.signatureAlgorithm,
      fingerprint: fingerprint(certificate),
      revocation: revocation[at] ?? 'notChecked',
      faults: faults.filter((fault) => fault.at === at).map(reportFault),
    })),
    policies: policies.slice(0, MOST_POLICIES),
  }
}

const reportFault = ({ code, clause, says }: CertificateFault): ReportedFault => ({
  code,
  clause,
  says: visible(says).slice(0, LONGEST_SENTENCE),
})
const nameOf = ({ subject }: Certificate): string => (subject.length === 0 ? '(no subject)' : shown(formatName(subject)))
const shown = (text: string): string => visible(text).slice(0, LONGEST_NAME)

/** The report for a terminal. */
export function formatReport(report: VerificationReport): string {
  const { says, at, purpose, path, rejected, omitted, gaveUp } = report
  const lines = [says, `Asked for ${at}, purpose ${purpose}.`]
  if (path !== undefined) {
    lines.push('', 'The path:', ...formatPath(path))
    if (path.certificates.some(({ role, revocation }) => role !== 'root' && revocation === 'notChecked'))
      lines.push('', 'Where no revocation is named, it was not checked: no revocation list at hand speaks of that certificate.')
    if (path.policies.length > 0) lines.push(`Policies: ${path.policies.join(', ')}`)
  } else {
    for (const [index, each] of rejected.entries())
      lines.push('', `Refused path ${index + 1} of ${rejected.length + omitted}:`, ...formatPath(each))
    if (gaveUp !== undefined) lines.push('', gaveUp.says)
  }
  return `${lines.join('\n')}\n`
}

function formatPath({ certificates }: ReportedPath): string[] {
  return certificates.flatMap(({ subject, notAfter, key, revocation, faults }, at) => [
    `${'  '.repeat(at)}${faults.length === 0 ? '\u2713' : '\u2717'} ${subject}  (${key}, to ${notAfter.slice(0, 10)}${revocation === 'notChecked' ? '' : `, revocation: ${revocation}`})`,
    ...faults.map(({ says, clause }) => `${'  '.repeat(at)}    ${says} [${clause}]`),
  ])
}
