// An authority's certificate in the words of the contract.

import { describeAlgorithm } from '#standards/x509/algorithms.ts'
import type { TbsCertificate } from '#standards/x509/certificate.ts'
import type { GeneralSubtree } from '#standards/x509/extension-types.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { generalNameText } from '#standards/x509/general-names.ts'
import { formatName } from '#standards/x509/names.ts'
import { describeKey } from '#standards/x509/public-key.ts'

export function factsOf(certificate: TbsCertificate) {
  const constraints = findExtension(certificate.extensions, 'nameConstraints')
  const pathLength = findExtension(certificate.extensions, 'basicConstraints')?.pathLenConstraint
  return {
    subject: formatName(certificate.subject),
    issuer: formatName(certificate.issuer),
    notBefore: certificate.notBefore.toISOString(),
    notAfter: certificate.notAfter.toISOString(),
    key: describeKey(certificate.publicKey),
    signatureAlgorithm: describeAlgorithm(certificate.signatureAlgorithm),
    keyUsages: findExtension(certificate.extensions, 'keyUsage')?.usages ?? [],
    ...(pathLength === undefined ? {} : { pathLength }),
    permittedNames: (constraints?.permittedSubtrees ?? []).map(subtreeText),
    excludedNames: (constraints?.excludedSubtrees ?? []).map(subtreeText),
  }
}

const subtreeText = ({ base }: GeneralSubtree) => ({ type: base.type, value: generalNameText(base, formatName) })
