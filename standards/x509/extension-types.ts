// What each certificate extension says, as plain values. Names are those of the RFCs' ASN.1.
import type { Oid, StringType } from '../der/values.ts'
import type { GeneralName } from './general-names.ts'
import type { RDN } from './names.ts'
import type { QcStatement } from './qc-statements.ts'
import type { SignedTimestamp } from './signed-timestamps.ts'

/** In the order of their bits (RFC 5280 4.2.1.3). */
export const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const
export type KeyUsage = (typeof KEY_USAGES)[number]

/** In the order of their bits (RFC 5280 4.2.1.13). */
export const REASON_FLAGS = [
  'unused',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  'privilegeWithdrawn',
  'aACompromise',
] as const
export type ReasonFlag = (typeof REASON_FLAGS)[number]

export interface AccessDescription {
  accessMethod: Oid
  accessLocation: GeneralName
}

export interface DistributionPoint {
  fullName?: GeneralName[]
  nameRelativeToCRLIssuer?: RDN
  reasons?: ReasonFlag[]
  cRLIssuer?: GeneralName[]
}

export interface DisplayText {
  stringType: Extract<StringType, 'utf8String' | 'ia5String' | 'visibleString' | 'bmpString'>
  value: string
}

export type PolicyQualifier =
  | { type: 'cps'; uri: string }
  | { type: 'userNotice'; noticeRef?: { organization: DisplayText; noticeNumbers: bigint[] }; explicitText?: DisplayText }
  /** `qualifier` is the DER value */
  | { type: 'unknown'; policyQualifierId: Oid; qualifier: Uint8Array }

export interface PolicyInformation {
  policyIdentifier: Oid
  policyQualifiers?: PolicyQualifier[]
}

export interface GeneralSubtree {
  base: GeneralName
  /** 0 unless written; RFC 5280 allows nothing else */
  minimum?: number
  maximum?: number
}

/** The value of each extension we know, beside `critical`. */
export interface ExtensionValues {
  basicConstraints: { cA: boolean; pathLenConstraint?: number }
  keyUsage: { usages: KeyUsage[] }
  extKeyUsage: { purposes: Oid[] }
  subjectAltName: { names: GeneralName[] }
  issuerAltName: { names: GeneralName[] }
  subjectKeyIdentifier: { keyIdentifier: Uint8Array }
  /** `authorityCertSerialNumber` is unsigned */
  authorityKeyIdentifier: { keyIdentifier?: Uint8Array; authorityCertIssuer?: GeneralName[]; authorityCertSerialNumber?: Uint8Array }
  authorityInfoAccess: { descriptions: AccessDescription[] }
  subjectInfoAccess: { descriptions: AccessDescription[] }
  cRLDistributionPoints: { distributionPoints: DistributionPoint[] }
  freshestCRL: { distributionPoints: DistributionPoint[] }
  certificatePolicies: { policies: PolicyInformation[] }
  microsoftApplicationPolicies: { policies: PolicyInformation[] }
  policyMappings: { mappings: { issuerDomainPolicy: Oid; subjectDomainPolicy: Oid }[] }
  policyConstraints: { requireExplicitPolicy?: number; inhibitPolicyMapping?: number }
  nameConstraints: { permittedSubtrees?: GeneralSubtree[]; excludedSubtrees?: GeneralSubtree[] }
  inhibitAnyPolicy: { skipCerts: number }
  /** TLS extension numbers; 5 is status_request, "must staple" (RFC 7633) */
  tlsFeature: { features: number[] }
  ocspNoCheck: object
  microsoftCertificateTemplate: { templateId: Oid; majorVersion?: number; minorVersion?: number }
  /** a Windows account's SID such as `S-1-5-21-...` (KB5014754) */
  microsoftSecurityIdentifier: { sid: string }
  /** the name of a template of version 1; a BMPString unless said */
  microsoftCertificateTemplateName: { name: string; stringType?: Exclude<StringType, 'bmpString'> }
  /** how often the authority's certificate and its key were renewed */
  microsoftCaVersion: { certificateIndex: number; keyIndex: number }
  /** at least one */
  signedCertificateTimestampList: { timestamps: SignedTimestamp[] }
  precertificatePoison: object
  qcStatements: { statements: QcStatement[] }
  /** the SHA-256 of an ACME key authorisation (RFC 8737 3) */
  acmeIdentifier: { digest: Uint8Array }
}

export type ExtensionType = keyof ExtensionValues

/** One extension of a kind we know. */
export type KnownExtension<Type extends ExtensionType = ExtensionType> = {
  [Each in Type]: { type: Each; critical: boolean } & ExtensionValues[Each]
}[Type]

/** `value` is the content of extnValue, the DER of the extension. */
export interface UnknownExtension {
  type: 'unknown'
  oid: Oid
  critical: boolean
  value: Uint8Array
}

export type Extension = KnownExtension | UnknownExtension
