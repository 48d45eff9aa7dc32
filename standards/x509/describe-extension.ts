// Extensions as plain text. Each kind has a row that turns its value into fields under their RFC names.
import { hexOf } from '../der/values.ts'
import { describeName, visible, type DescribedField } from './described-field.ts'
import type {
  AccessDescription,
  DistributionPoint,
  Extension,
  ExtensionType,
  ExtensionValues,
  GeneralSubtree,
  KnownExtension,
  PolicyInformation,
  PolicyQualifier,
} from './extension-types.ts'
import { generalNameText, type GeneralName } from './general-names.ts'
import { keyPurposeName } from './key-purposes.ts'
import { formatName, formatRdn } from './names.ts'
import { OIDS, describeOid } from './oids.ts'
import type { QcStatement } from './qc-statements.ts'
import type { SignedTimestamp } from './signed-timestamps.ts'

type Row<Type extends ExtensionType> = (value: ExtensionValues[Type]) => DescribedField[]

const optional = (label: string, value: string | number | undefined): DescribedField[] =>
  value === undefined ? [] : [{ label, value: String(value) }]
const optionalList = (label: string, children: DescribedField[] | undefined): DescribedField[] =>
  children === undefined ? [] : [{ label, children }]

function describeGeneralName(name: GeneralName): DescribedField {
  switch (name.type) {
    case 'directoryName':
      return describeName('directoryName', name.name)
    case 'otherName':
      return { label: 'otherName', value: visible(generalNameText(name, formatName)), note: describeOid(name.typeId) }
    case 'registeredID':
      return { label: 'registeredID', value: describeOid(name.value) }
    default:
      return { label: name.type, value: visible(generalNameText(name, formatName)) }
  }
}

const describeAccess = ({ accessMethod, accessLocation }: AccessDescription): DescribedField => ({
  label: describeOid(accessMethod),
  children: [describeGeneralName(accessLocation)],
})

function describeDistributionPoint(point: DistributionPoint): DescribedField {
  return {
    label: 'DistributionPoint',
    children: [
      ...optionalList('fullName', point.fullName?.map(describeGeneralName)),
      ...optional(
        'nameRelativeToCRLIssuer',
        point.nameRelativeToCRLIssuer === undefined ? undefined : visible(formatRdn(point.nameRelativeToCRLIssuer)),
      ),
      ...optional('reasons', point.reasons?.join(', ')),
      ...optionalList('cRLIssuer', point.cRLIssuer?.map(describeGeneralName)),
    ],
  }
}

function describePolicy({ policyIdentifier, policyQualifiers }: PolicyInformation): DescribedField {
  return {
    label: 'policyIdentifier',
    value: describeOid(policyIdentifier),
    ...(policyQualifiers === undefined ? {} : { children: policyQualifiers.map(describeQualifier) }),
  }
}

function describeQualifier(qualifier: PolicyQualifier): DescribedField {
  switch (qualifier.type) {
    case 'cps':
      return { label: 'cPSuri', value: visible(qualifier.uri) }
    case 'unknown':
      return { label: describeOid(qualifier.policyQualifierId), value: hexOf(qualifier.qualifier) }
    case 'userNotice': {
      const { noticeRef, explicitText } = qualifier
      return {
        label: 'userNotice',
        children: [
          ...optional('organization', noticeRef === undefined ? undefined : visible(noticeRef.organization.value)),
          ...optional('noticeNumbers', noticeRef?.noticeNumbers.join(', ')),
          ...optional('explicitText', explicitText === undefined ? undefined : visible(explicitText.value)),
        ],
      }
    }
  }
}

const describeSubtree = ({ base, minimum, maximum }: GeneralSubtree): DescribedField => ({
  ...describeGeneralName(base),
  ...(minimum === undefined && maximum === undefined ? {} : { note: `minimum ${minimum ?? 0}, maximum ${maximum ?? 'none'}` }),
})

const describePurpose = (oid: string): DescribedField => ({ label: 'KeyPurposeId', value: keyPurposeName(oid) ?? oid, note: oid })

function describeTimestamp(timestamp: SignedTimestamp): DescribedField {
  if (timestamp.version === 'unknown')
    return { label: 'SignedCertificateTimestamp', value: hexOf(timestamp.content), note: 'of an unknown version' }
  const milliseconds = Number(timestamp.timestamp)
  const time = Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(timestamp.timestamp)
  return {
    label: 'SignedCertificateTimestamp',
    children: [
      { label: 'version', value: 'v1' },
      { label: 'logId', value: hexOf(timestamp.logId) },
      { label: 'timestamp', value: time },
      ...optional('extensions', timestamp.extensions.length === 0 ? undefined : hexOf(timestamp.extensions)),
      {
        label: 'signature',
        value: hexOf(timestamp.signature),
        note: `hash ${timestamp.hash}, algorithm ${timestamp.signer} of RFC 5246 7.4.1.4.1`,
      },
    ],
  }
}

function describeStatement(statement: QcStatement): DescribedField {
  const label = describeOid(statement.type === 'unknown' ? statement.statementId : OIDS[statement.type])
  switch (statement.type) {
    case 'qcCompliance':
      return { label, note: 'a qualified certificate by the law of the European Union' }
    case 'qcSscd':
      return { label, note: 'the private key is in a qualified device' }
    case 'qcLimitValue':
      return { label, value: `${statement.amount} * 10^${statement.exponent} ${visible(String(statement.currency))}` }
    case 'qcRetentionPeriod':
      return { label, value: `${statement.years} years` }
    case 'qcPds':
      return {
        label,
        children: statement.locations.map(({ url, language }) => ({ label: 'PdsLocation', value: visible(url), note: visible(language) })),
      }
    case 'qcType':
      return { label, children: statement.types.map((type) => ({ label: describeOid(type) })) }
    case 'qcCcLegislation':
      return { label, value: visible(statement.countries.join(', ')) }
    case 'unknown':
      return { label, ...(statement.statementInfo === undefined ? {} : { value: hexOf(statement.statementInfo) }) }
  }
}

const ROWS: { readonly [Type in ExtensionType]: Row<Type> } = {
  basicConstraints: ({ cA, pathLenConstraint }) => [
    { label: 'cA', value: cA ? 'TRUE' : 'FALSE' },
    ...optional('pathLenConstraint', pathLenConstraint),
  ],
  keyUsage: ({ usages }) => usages.map((usage) => ({ label: usage })),
  extKeyUsage: ({ purposes }) => purposes.map(describePurpose),
  subjectAltName: ({ names }) => names.map(describeGeneralName),
  issuerAltName: ({ names }) => names.map(describeGeneralName),
  subjectKeyIdentifier: ({ keyIdentifier }) => [{ label: 'keyIdentifier', value: hexOf(keyIdentifier) }],
  authorityKeyIdentifier: ({ keyIdentifier, authorityCertIssuer, authorityCertSerialNumber }) => [
    ...optional('keyIdentifier', keyIdentifier === undefined ? undefined : hexOf(keyIdentifier)),
    ...optionalList('authorityCertIssuer', authorityCertIssuer?.map(describeGeneralName)),
    ...optional('authorityCertSerialNumber', authorityCertSerialNumber === undefined ? undefined : hexOf(authorityCertSerialNumber)),
  ],
  authorityInfoAccess: ({ descriptions }) => descriptions.map(describeAccess),
  subjectInfoAccess: ({ descriptions }) => descriptions.map(describeAccess),
  cRLDistributionPoints: ({ distributionPoints }) => distributionPoints.map(describeDistributionPoint),
  freshestCRL: ({ distributionPoints }) => distributionPoints.map(describeDistributionPoint),
  certificatePolicies: ({ policies }) => policies.map(describePolicy),
  microsoftApplicationPolicies: ({ policies }) => policies.map(describePolicy),
  policyMappings: ({ mappings }) =>
    mappings.map(({ issuerDomainPolicy, subjectDomainPolicy }) => ({
      label: 'PolicyMapping',
      children: [
        { label: 'issuerDomainPolicy', value: describeOid(issuerDomainPolicy) },
        { label: 'subjectDomainPolicy', value: describeOid(subjectDomainPolicy) },
      ],
    })),
  policyConstraints: ({ requireExplicitPolicy, inhibitPolicyMapping }) => [
    ...optional('requireExplicitPolicy', requireExplicitPolicy),
    ...optional('inhibitPolicyMapping', inhibitPolicyMapping),
  ],
  nameConstraints: ({ permittedSubtrees, excludedSubtrees }) => [
    ...optionalList('permittedSubtrees', permittedSubtrees?.map(describeSubtree)),
    ...optionalList('excludedSubtrees', excludedSubtrees?.map(describeSubtree)),
  ],
  inhibitAnyPolicy: ({ skipCerts }) => [{ label: 'skipCerts', value: String(skipCerts) }],
  tlsFeature: ({ features }) =>
    features.map((feature) => ({
      label: 'feature',
      value: String(feature),
      ...(feature === 5 ? { note: 'status_request, "must staple"' } : {}),
    })),
  ocspNoCheck: () => [{ label: 'NULL', note: 'clients do not ask for the status of this certificate' }],
  microsoftCertificateTemplate: ({ templateId, majorVersion, minorVersion }) => [
    { label: 'templateID', value: templateId },
    ...optional('templateMajorVersion', majorVersion),
    ...optional('templateMinorVersion', minorVersion),
  ],
  microsoftSecurityIdentifier: ({ sid }) => [{ label: 'objectSid', value: sid }],
  microsoftCertificateTemplateName: ({ name }) => [{ label: 'templateName', value: visible(name) }],
  microsoftCaVersion: ({ certificateIndex, keyIndex }) => [
    { label: 'certificateIndex', value: String(certificateIndex) },
    { label: 'keyIndex', value: String(keyIndex) },
  ],
  signedCertificateTimestampList: ({ timestamps }) => timestamps.map(describeTimestamp),
  precertificatePoison: () => [{ label: 'NULL', note: 'a precertificate: no client may accept it' }],
  qcStatements: ({ statements }) => statements.map(describeStatement),
  acmeIdentifier: ({ digest }) => [{ label: 'Authorization', value: hexOf(digest) }],
}

/** One extension with what it says; an unknown one as hex. */
export function describeExtension(extension: Extension): DescribedField {
  const critical = extension.critical ? { note: 'critical' } : {}
  if (extension.type === 'unknown') return { label: describeOid(extension.oid), value: hexOf(extension.value), ...critical }
  return { label: extension.type, ...critical, children: describeKnown(extension) }
}

function describeKnown<Type extends ExtensionType>(extension: KnownExtension<Type>): DescribedField[] {
  return ROWS[extension.type](extension)
}
