// Rules about serial number, validity, key and signature.
import { TAG, type DerValue } from '../der/reader.ts'
import { isContext, isUniversal, readTime } from '../der/values.ts'
import { isSignatureAlgorithm } from '../x509/algorithms.ts'
import { checkPublicKey } from '../x509/key-checks.ts'
import type { KeyFinding } from '../x509/key-finding.ts'
import type { PublicKeyInfo } from '../x509/public-key-info.ts'
import { longLifeRemark } from './authority-life.ts'
import { when, type Fault, type LintRule } from './finding.ts'

const DAY = 24 * 60 * 60 * 1000
/** CA/Browser Forum Baseline Requirements 6.3.2; browsers refuse longer ones. */
const TLS_SERVER_DAYS = 398

export function* keyFaults(key: PublicKeyInfo, severity: KeyFinding['severity']): Iterable<Fault> {
  for (const found of checkPublicKey(key)) if (found.severity === severity) yield { field: 'subjectPublicKeyInfo', message: found.message }
}

/** notBefore and notAfter as they are encoded. */
function validityTimes({ children }: DerValue): { field: string; value: DerValue }[] {
  const versionComesFirst = children[0] !== undefined && isContext(children[0], 0)
  const validity = children[versionComesFirst ? 4 : 3]
  return (validity?.children ?? []).map((value, index) => ({ field: index === 0 ? 'notBefore' : 'notAfter', value }))
}

export const CERTIFICATE_RULES: readonly LintRule[] = [
  {
    code: 'e_serial_number_not_positive',
    source: 'RFC 5280 4.1.2.2',
    check: ({ certificate: { serialContent } }) =>
      when(
        (serialContent[0] ?? 0) >= 0x80 || serialContent.every((byte) => byte === 0),
        'serialNumber',
        'The serial number must be greater than zero.',
      ),
  },
  {
    code: 'e_serial_number_too_long',
    source: 'RFC 5280 4.1.2.2',
    check: ({ certificate: { serialContent } }) =>
      when(serialContent.length > 20, 'serialNumber', `The serial number has ${serialContent.length} bytes; at most 20 are allowed.`),
  },
  {
    code: 'w_serial_number_short',
    source: 'CA/B BR 7.1',
    check: ({ certificate: { serialNumber } }) =>
      when(serialNumber.length < 8, 'serialNumber', 'The serial number has less than 64 bits, and can be guessed.'),
  },
  {
    code: 'e_validity_order',
    source: 'RFC 5280 4.1.2.5',
    check: ({ certificate: { notBefore, notAfter } }) => when(notAfter <= notBefore, 'notAfter', 'The certificate ends before it begins.'),
  },
  {
    code: 'e_validity_time_type',
    source: 'RFC 5280 4.1.2.5',
    *check({ encoded }) {
      for (const { field, value } of validityTimes(encoded)) {
        if (isUniversal(value, TAG.generalizedTime) && readTime(value).getUTCFullYear() < 2050) {
          yield { field, message: `${field} is a GeneralizedTime; dates through 2049 must be UTCTime.` }
        }
      }
    },
  },
  {
    code: 'w_validity_expired',
    source: 'RFC 5280 4.1.2.5',
    check: ({ certificate: { notAfter }, now }) => when(now !== undefined && notAfter < now, 'notAfter', 'The certificate has ended.'),
  },
  {
    code: 'w_validity_tls_server_long',
    source: 'CA/B BR 6.3.2',
    check: ({ certificate: { notBefore, notAfter }, profile }) =>
      when(
        profile === 'tlsServer' && notAfter.getTime() - notBefore.getTime() > TLS_SERVER_DAYS * DAY,
        'notAfter',
        `The certificate is valid for more than ${TLS_SERVER_DAYS} days, which browsers refuse from public authorities.`,
      ),
  },
  {
    code: 'w_validity_authority_long',
    source: 'RFC 3647 4.6.3',
    check({ certificate: { notBefore, notAfter }, isCa, selfIssued }) {
      const message = isCa ? longLifeRemark(selfIssued ? 'root' : 'subordinate', notBefore, notAfter) : undefined
      return message === undefined ? [] : [{ field: 'notAfter', message }]
    },
  },
  { code: 'e_key_weak', source: 'CA/B BR 6.1.1.3', check: ({ certificate }) => keyFaults(certificate.publicKey, 'error') },
  { code: 'w_key_unusual', source: 'CA/B BR 6.1.6', check: ({ certificate }) => keyFaults(certificate.publicKey, 'warn') },
  {
    code: 'e_signature_weak',
    source: 'RFC 6194, RFC 6151',
    check: ({ certificate: { signatureAlgorithm } }) =>
      when(/sha1|md5/i.test(signatureAlgorithm), 'signatureAlgorithm', `The signature algorithm ${signatureAlgorithm} is broken.`),
  },
  {
    code: 'w_signature_unknown',
    source: 'RFC 5280 4.1.1.2',
    check: ({ certificate: { signatureAlgorithm } }) =>
      when(
        !isSignatureAlgorithm(signatureAlgorithm) && !/sha1|md5/i.test(signatureAlgorithm),
        'signatureAlgorithm',
        `The signature algorithm ${signatureAlgorithm} is not known here.`,
      ),
  },
  {
    code: 'w_version_not_3',
    source: 'RFC 5280 4.1.2.1',
    check: ({ certificate: { version } }) =>
      when(version !== 3, 'version', `The certificate is of version ${version}; without extensions it says nothing of its purpose.`),
  },
  {
    code: 'w_self_signed_leaf',
    source: 'RFC 5280 3.2',
    check: ({ selfIssued, isCa }) =>
      when(selfIssued && !isCa, 'issuer', 'The certificate is its own issuer, but no certificate authority.'),
  },
]
