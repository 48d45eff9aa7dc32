// What one certificate does wrong by itself, in the place where it stands in a path: known before any path is complete, so
// that building does not go on above a certificate through which no path can lead.
import { isSignatureAlgorithm, describeAlgorithm } from '../x509/algorithms.ts'
import type { ExtensionType } from '../x509/extension-types.ts'
import { extensionOid, findExtension } from '../x509/extensions.ts'
import { describeOid } from '../x509/oids.ts'
import { fault, some, when, type CertificateFault } from './fault.ts'
import type { Known } from './known.ts'
import { malformedConstraints } from './name-constraints.ts'
import { nameFaults, type ReferenceName } from './names.ts'
import { purposeFaults, purposeOfIssuerFaults, type Purpose } from './purposes.ts'
import type { Work } from './work.ts'

export interface CertificateQuestion {
  at: Date
  purpose: Purpose
  name?: ReferenceName | undefined
}

/** Where a certificate stands: first, or above another. */
export type Place = 'leaf' | 'issuer'

/** Extensions whose meaning is acted upon here, so that they may be critical. */
const PROCESSED: ReadonlySet<string> = new Set<ExtensionType>([
  'basicConstraints',
  'keyUsage',
  'extKeyUsage',
  'subjectAltName',
  'issuerAltName',
  'subjectKeyIdentifier',
  'authorityKeyIdentifier',
  'certificatePolicies',
  'policyMappings',
  'policyConstraints',
  'inhibitAnyPolicy',
  'nameConstraints',
  'cRLDistributionPoints',
  'freshestCRL',
])

/** Old algorithms by which a signature can be forged, or soon will be. */
const WEAK = [
  'sha1WithRSAEncryption',
  'md5WithRSAEncryption',
  'ecdsa-with-SHA1',
  '1.2.840.10040.4.3',
  '1.2.840.113549.1.1.2',
  '1.3.14.3.2.29',
]

/** Whether the signature is of a kind that is checked at all. */
export function isCheckable({ certificate }: Known): boolean {
  return isSignatureAlgorithm(certificate.signatureAlgorithm)
}

/** RFC 5280 6.1.3 (a) and 6.1.4 (k), (n), (o), as far as one certificate tells. Throws WorkExhausted. */
export function certificateFaults(known: Known, place: Place, question: CertificateQuestion, work: Work): CertificateFault[] {
  const { certificate, anchor } = known
  const faults: CertificateFault[] = []
  // Times in certificates are whole seconds (RFC 5280 4.1.2.5): the last one is valid to its end.
  const at = new Date(Math.floor(question.at.getTime() / 1000) * 1000)
  if (at < certificate.notBefore) faults.push(fault('notYetValid', `It is valid only from ${when(certificate.notBefore)}.`))
  if (at > certificate.notAfter) faults.push(fault('expired', `It expired on ${when(certificate.notAfter)}.`))

  // RFC 5280 6.1.1 (d): that a root is trusted does not rest on its signature.
  if (!anchor && !isCheckable(known)) {
    const algorithm = certificate.signatureAlgorithm
    faults.push(
      WEAK.includes(algorithm)
        ? fault('weakSignature', `It is signed by ${describeAlgorithm(algorithm)}, which can be forged.`)
        : fault('unknownAlgorithm', `It is signed by ${describeAlgorithm(algorithm)}, which is not known here.`),
    )
  }
  faults.push(...work.keyFaults(certificate.publicKey).map(({ message }) => fault('weakKey', message)))

  const unknown = certificate.extensions.filter(({ critical, type }) => critical && !PROCESSED.has(type))
  if (unknown.length > 0) {
    const named = some(unknown.map((extension) => describeOid(extensionOid(extension))))
    faults.push(fault('unknownCritical', `It has a critical extension that is not understood here: ${named}.`))
  }
  faults.push(...(place === 'leaf' ? leafFaults(known, question) : issuerFaults(known, question)))
  return faults
}

function leafFaults({ certificate }: Known, { purpose, name }: CertificateQuestion): CertificateFault[] {
  const { extensions } = certificate
  const faults: CertificateFault[] = []
  if (findExtension(extensions, 'basicConstraints')?.cA !== true) {
    if (findExtension(extensions, 'keyUsage')?.usages.includes('keyCertSign') === true)
      faults.push(fault('authorityOnly', 'It claims that its key may sign certificates, and it is no authority.'))
    if (findExtension(extensions, 'nameConstraints') !== undefined)
      faults.push(fault('authorityOnly', 'It constrains the names of others, and it is no authority.'))
  }
  return [...faults, ...purposeFaults(certificate, purpose), ...(name === undefined ? [] : nameFaults(certificate, name))]
}

function issuerFaults({ certificate, anchor }: Known, { purpose }: CertificateQuestion): CertificateFault[] {
  const { extensions, version, subject } = certificate
  const faults: CertificateFault[] = []
  const basic = findExtension(extensions, 'basicConstraints')
  const usages = findExtension(extensions, 'keyUsage')?.usages
  if (subject.length === 0) faults.push(fault('emptyName', 'It has no name, and an authority needs one.'))
  if (version < 3) {
    // Roots of version 1 are still about; that they are authorities is known from their being trusted.
    if (!anchor) faults.push(fault('oldVersion', `It is of version ${version}, which cannot say whether it is an authority.`))
  } else if (basic?.cA !== true) {
    faults.push(fault('notAnAuthority', 'It is not an authority: its basic constraints do not say so.'))
  }
  if (usages !== undefined && !usages.includes('keyCertSign')) {
    faults.push(
      fault('keyCertSign', `It may not sign certificates: its key usage is ${usages.length === 0 ? 'empty' : usages.join(', ')}.`),
    )
  }
  faults.push(...purposeOfIssuerFaults(certificate, purpose), ...malformedConstraints(certificate))
  return faults
}
