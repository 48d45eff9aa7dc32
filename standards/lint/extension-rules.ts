// Rules about extensions, and about how they fit together.
import { readDer, type DerValue } from '../der/reader.ts'
import { bytesEqual, endsWithZeroBit, isContext } from '../der/values.ts'
import { oidContent } from '../der/writer.ts'
import { KEY_USAGES, type Extension, type ExtensionType, type KeyUsage } from '../x509/extension-types.ts'
import { findExtension } from '../x509/extensions.ts'
import { KEY_PURPOSES } from '../x509/key-purposes.ts'
import { OIDS, describeOid } from '../x509/oids.ts'
import type { KeyAlgorithm } from '../x509/public-key-info.ts'
import { rawKeyUse } from '../x509/raw-keys.ts'
import { when, type Fault, type LintProfile, type LintRule, type LintSubject } from './finding.ts'

const usagesOf = ({ certificate }: LintSubject): readonly KeyUsage[] | undefined =>
  findExtension(certificate.extensions, 'keyUsage')?.usages
const purposesOf = ({ certificate }: LintSubject): readonly string[] => findExtension(certificate.extensions, 'extKeyUsage')?.purposes ?? []
const constraintsOf = ({ certificate }: LintSubject): Extract<Extension, { type: 'basicConstraints' }> | undefined =>
  findExtension(certificate.extensions, 'basicConstraints')

const KEY_USAGE = oidContent(OIDS.keyUsage)

/** The bytes of one extension's value as they stand in the tbsCertificate. */
function extensionContent(tbs: DerValue, identifier: Uint8Array): Uint8Array | undefined {
  const list = tbs.children.find((child) => isContext(child, 3))?.children[0]
  const found = list?.children.find(({ children: [id] }) => id !== undefined && bytesEqual(id.content, identifier))
  return found?.children.at(-1)?.content
}

type Unfit = { usages: readonly KeyUsage[]; source: string }
const SIGNS_ONLY = ['keyEncipherment', 'dataEncipherment', 'keyAgreement', 'encipherOnly', 'decipherOnly'] as const
const AGREES_ONLY = ['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment', 'keyCertSign', 'cRLSign'] as const
/** A KEM key's certificate says keyEncipherment and nothing else. */
const ENCAPSULATES_ONLY = KEY_USAGES.filter((usage) => usage !== 'keyEncipherment')

/** What a key of this kind cannot do, whatever the certificate says. */
function unfitUsages(algorithm: KeyAlgorithm): Unfit | undefined {
  if (algorithm === 'RSA') return { usages: ['keyAgreement'], source: 'RFC 3279 2.3.1' }
  if (algorithm === 'RSASSA-PSS') return { usages: SIGNS_ONLY, source: 'RFC 4055 1.2' }
  if (algorithm === 'EC') return { usages: ['keyEncipherment', 'dataEncipherment'], source: 'RFC 8813 3' }
  switch (rawKeyUse(algorithm)) {
    case 'sign':
      return {
        usages: SIGNS_ONLY,
        source: algorithm.startsWith('ML-DSA') ? 'RFC 9881 5' : algorithm.startsWith('SLH-DSA') ? 'RFC 9909' : 'RFC 9295 3',
      }
    case 'agree':
      return { usages: AGREES_ONLY, source: 'RFC 9295 3' }
    case 'encapsulate':
      return { usages: ENCAPSULATES_ONLY, source: 'RFC 9935 5' }
    case undefined:
      return undefined
  }
}

/** How RFC 5280 (and RFC 6960, RFC 7633) want each extension marked. */
const CRITICALITY: { readonly [type in ExtensionType]?: { critical: boolean; source: string } } = {
  subjectKeyIdentifier: { critical: false, source: 'RFC 5280 4.2.1.2' },
  authorityKeyIdentifier: { critical: false, source: 'RFC 5280 4.2.1.1' },
  authorityInfoAccess: { critical: false, source: 'RFC 5280 4.2.2.1' },
  subjectInfoAccess: { critical: false, source: 'RFC 5280 4.2.2.2' },
  freshestCRL: { critical: false, source: 'RFC 5280 4.2.1.15' },
  nameConstraints: { critical: true, source: 'RFC 5280 4.2.1.10' },
  policyConstraints: { critical: true, source: 'RFC 5280 4.2.1.11' },
  inhibitAnyPolicy: { critical: true, source: 'RFC 5280 4.2.1.14' },
}

const NEEDED_PURPOSE: { readonly [profile in LintProfile]?: { purpose: string; name: string } } = {
  tlsServer: { purpose: KEY_PURPOSES.serverAuth, name: 'serverAuth' },
  tlsClient: { purpose: KEY_PURPOSES.clientAuth, name: 'clientAuth' },
}

function* addressFaults({ certificate: { extensions } }: LintSubject): Iterable<Fault> {
  const lists = [
    [
      'cRLDistributionPoints',
      findExtension(extensions, 'cRLDistributionPoints')?.distributionPoints.flatMap((point) => point.fullName ?? []),
    ],
    ['authorityInfoAccess', findExtension(extensions, 'authorityInfoAccess')?.descriptions.map((each) => each.accessLocation)],
  ] as const
  for (const [field, names] of lists) {
    for (const name of names ?? []) {
      if (name.type === 'uniformResourceIdentifier' && !/^(http|ldap):\/\/[^/]/i.test(name.value)) {
        yield { field, message: `"${name.value.slice(0, 80)}" is no http or ldap address; under https the check would need itself.` }
      }
    }
  }
}

export const EXTENSION_RULES: readonly LintRule[] = [
  {
    code: 'e_ca_without_key_cert_sign',
    source: 'RFC 5280 4.2.1.3',
    check: (subject) =>
      when(
        subject.isCa && usagesOf(subject)?.includes('keyCertSign') === false,
        'keyUsage',
        'A certificate authority needs the key usage keyCertSign.',
      ),
  },
  {
    code: 'e_ca_without_key_usage',
    source: 'RFC 5280 4.2.1.3',
    check: (subject) =>
      when(subject.isCa && usagesOf(subject) === undefined, 'keyUsage', 'A certificate authority needs the extension keyUsage.'),
  },
  {
    code: 'e_key_cert_sign_without_ca',
    source: 'RFC 5280 4.2.1.9',
    check: (subject) =>
      when(
        !subject.isCa && usagesOf(subject)?.includes('keyCertSign') === true,
        'keyUsage',
        'Only a certificate authority may have the key usage keyCertSign.',
      ),
  },
  {
    code: 'e_path_length_without_ca',
    source: 'RFC 5280 4.2.1.9',
    check: (subject) =>
      when(
        !subject.isCa && constraintsOf(subject)?.pathLenConstraint !== undefined,
        'basicConstraints',
        'Only a certificate authority may have a path length.',
      ),
  },
  {
    code: 'e_ca_basic_constraints_not_critical',
    source: 'RFC 5280 4.2.1.9',
    check: (subject) =>
      when(
        subject.isCa && constraintsOf(subject)?.critical === false,
        'basicConstraints',
        'The basicConstraints of a certificate authority must be critical.',
      ),
  },
  {
    code: 'e_key_usage_empty',
    source: 'RFC 5280 4.2.1.3',
    check: (subject) => when(usagesOf(subject)?.length === 0, 'keyUsage', 'The extension keyUsage must name at least one usage.'),
  },
  {
    code: 'e_key_usage_encoding',
    source: 'X.690 11.2.2',
    check: ({ encoded }) => {
      const bits = extensionContent(encoded, KEY_USAGE)
      return when(
        bits !== undefined && endsWithZeroBit(readDer(bits)),
        'keyUsage',
        'The bits of keyUsage end with a zero bit, which DER forbids.',
      )
    },
  },
  {
    code: 'w_key_usage_not_critical',
    source: 'RFC 5280 4.2.1.3',
    check: ({ certificate }) =>
      when(findExtension(certificate.extensions, 'keyUsage')?.critical === false, 'keyUsage', 'The extension keyUsage should be critical.'),
  },
  {
    code: 'e_key_usage_unfit',
    source: 'RFC 8813 3',
    *check(subject) {
      const { algorithm } = subject.certificate.publicKey
      const unfit = unfitUsages(algorithm)
      for (const usage of usagesOf(subject) ?? []) {
        if (unfit?.usages.includes(usage) === true)
          yield { field: 'keyUsage', message: `A key for ${algorithm} cannot be used for ${usage} (${unfit.source}).` }
      }
    },
  },
  {
    code: 'e_key_usage_only_without_agreement',
    source: 'RFC 5280 4.2.1.3',
    check: (subject) =>
      when(
        usagesOf(subject)?.some((usage) => usage === 'encipherOnly' || usage === 'decipherOnly') === true &&
          usagesOf(subject)?.includes('keyAgreement') === false,
        'keyUsage',
        'The usages encipherOnly and decipherOnly mean nothing without keyAgreement.',
      ),
  },
  {
    code: 'w_purpose_any',
    source: 'RFC 5280 4.2.1.12',
    check: (subject) =>
      when(
        purposesOf(subject).includes(KEY_PURPOSES.anyExtendedKeyUsage),
        'extKeyUsage',
        'The purpose anyExtendedKeyUsage allows everything.',
      ),
  },
  {
    code: 'w_purpose_duplicate',
    source: 'RFC 5280 4.2.1.12',
    check: (subject) =>
      when(new Set(purposesOf(subject)).size < purposesOf(subject).length, 'extKeyUsage', 'A purpose stands twice in extKeyUsage.'),
  },
  {
    code: 'e_purpose_missing',
    source: 'RFC 5280 4.2.1.12',
    check: (subject) => {
      const needed = NEEDED_PURPOSE[subject.profile]
      const purposes = purposesOf(subject)
      const missing = needed !== undefined && !purposes.includes(needed.purpose) && !purposes.includes(KEY_PURPOSES.anyExtendedKeyUsage)
      return when(missing, 'extKeyUsage', `The purpose ${needed?.name} is missing.`)
    },
  },
  {
    code: 'e_profile_ca',
    source: 'RFC 5280 4.2.1.9',
    check: ({ profile, isCa }) => [
      ...when(profile === 'ca' && !isCa, 'basicConstraints', 'The certificate is meant for an authority, but does not say so.'),
      ...when(
        (profile === 'tlsServer' || profile === 'tlsClient') && isCa,
        'basicConstraints',
        'The certificate is not meant for an authority, but says so.',
      ),
    ],
  },
  {
    code: 'e_ca_subject_key_identifier_missing',
    source: 'RFC 5280 4.2.1.2',
    check: ({ isCa, certificate }) =>
      when(
        isCa && findExtension(certificate.extensions, 'subjectKeyIdentifier') === undefined,
        'subjectKeyIdentifier',
        'A certificate authority needs a subjectKeyIdentifier.',
      ),
  },
  {
    code: 'w_subject_key_identifier_missing',
    source: 'RFC 5280 4.2.1.2',
    check: ({ isCa, certificate }) =>
      when(
        !isCa && findExtension(certificate.extensions, 'subjectKeyIdentifier') === undefined,
        'subjectKeyIdentifier',
        'The subjectKeyIdentifier is missing.',
      ),
  },
  {
    code: 'e_authority_key_identifier_missing',
    source: 'RFC 5280 4.2.1.1',
    check: ({ selfIssued, certificate }) =>
      when(
        !selfIssued && findExtension(certificate.extensions, 'authorityKeyIdentifier')?.keyIdentifier === undefined,
        'authorityKeyIdentifier',
        'The authorityKeyIdentifier with the key of the issuer is missing.',
      ),
  },
  {
    code: 'e_extension_criticality',
    source: 'RFC 5280 4.2',
    *check({ certificate: { extensions } }) {
      for (const { type, critical } of extensions) {
        const rule = type === 'unknown' ? undefined : CRITICALITY[type]
        if (rule !== undefined && rule.critical !== critical) {
          yield { field: type, message: `The extension ${type} must ${rule.critical ? '' : 'not '}be critical (${rule.source}).` }
        }
      }
    },
  },
  {
    code: 'e_unknown_critical_extension',
    source: 'RFC 5280 4.2',
    *check({ certificate: { extensions } }) {
      for (const each of extensions) {
        if (each.type === 'unknown' && each.critical)
          yield {
            field: `extensions.${each.oid}`,
            message: `The extension ${describeOid(each.oid)} is critical and not known here: most programs will refuse the certificate.`,
          }
      }
    },
  },
  {
    code: 'e_name_constraints_without_ca',
    source: 'RFC 5280 4.2.1.10',
    check: ({ isCa, certificate }) =>
      when(
        !isCa && findExtension(certificate.extensions, 'nameConstraints') !== undefined,
        'nameConstraints',
        'Only a certificate authority may have name constraints.',
      ),
  },
  {
    code: 'e_name_constraints_minimum',
    source: 'RFC 5280 4.2.1.10',
    check: ({ certificate }) => {
      const found = findExtension(certificate.extensions, 'nameConstraints')
      const subtrees = [...(found?.permittedSubtrees ?? []), ...(found?.excludedSubtrees ?? [])]
      return when(
        subtrees.some((each) => (each.minimum ?? 0) !== 0 || each.maximum !== undefined),
        'nameConstraints',
        'A name constraint must not have a minimum or maximum.',
      )
    },
  },
  {
    code: 'w_name_constraints_leading_dot',
    source: 'RFC 5280 4.2.1.10',
    check: ({ certificate }) => {
      const found = findExtension(certificate.extensions, 'nameConstraints')
      const bases = [...(found?.permittedSubtrees ?? []), ...(found?.excludedSubtrees ?? [])].map(({ base }) => base)
      return when(
        bases.some((base) => base.type === 'dNSName' && base.value.startsWith('.')),
        'nameConstraints',
        'A name constraint for DNS names begins with a dot: some programs take it for what lies below the domain, others for a mistake.',
      )
    },
  },
  {
    code: 'e_policy_duplicate',
    source: 'RFC 5280 4.2.1.4',
    check: ({ certificate }) => {
      const identifiers = (findExtension(certificate.extensions, 'certificatePolicies')?.policies ?? []).map(
        (each) => each.policyIdentifier,
      )
      return when(new Set(identifiers).size < identifiers.length, 'certificatePolicies', 'A certificate policy stands twice.')
    },
  },
  {
    code: 'e_policy_text_too_long',
    source: 'RFC 5280 4.2.1.4',
    check: ({ certificate }) => {
      const qualifiers = (findExtension(certificate.extensions, 'certificatePolicies')?.policies ?? []).flatMap(
        (each) => each.policyQualifiers ?? [],
      )
      return when(
        qualifiers.some((each) => each.type === 'userNotice' && (each.explicitText?.value.length ?? 0) > 200),
        'certificatePolicies',
        'The text of a user notice has more than 200 characters.',
      )
    },
  },
  {
    code: 'w_ocsp_signer_without_no_check',
    source: 'RFC 6960 4.2.2.2.1',
    check: (subject) =>
      when(
        purposesOf(subject).includes(KEY_PURPOSES.OCSPSigning) &&
          findExtension(subject.certificate.extensions, 'ocspNoCheck') === undefined,
        'ocspNoCheck',
        'A responder certificate without ocspNoCheck makes clients ask about it, again and again.',
      ),
  },
  { code: 'w_address_not_http', source: 'RFC 5280 8', check: addressFaults },
]
