// Templates that are right from the start: what the set-up wizard makes, and what the editor offers as a beginning.

import type { CertificateClassName, Extensions, Rules } from './rules.ts'

export type TemplatePreset = {
  templateName: string
  displayName: string
  says: string
  class: CertificateClassName
  selfServiceEligible: boolean
  issueApprovers: number
  extensions: Extensions
  rules: Rules
}

const keys: Rules['keys'] = [
  'RSA-2048',
  'RSA-3072',
  'RSA-4096',
  'P-256',
  'P-384',
  'P-521',
  'Ed25519',
  'Ed448',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
]
const rules: Rules = { keys, allowedDomains: [], wildcards: false, maximumNames: 20 }
const base = {
  validityPeriod: 1,
  validityPeriodUnits: 'YEARS',
  renewalMode: 'MANUAL',
  ignoreCsrDetails: true,
  namesWithoutPlace: 'LEAVE_OUT',
} as const

export const templatePresets: readonly TemplatePreset[] = [
  {
    templateName: 'TLSServer',
    displayName: 'TLS server',
    says: 'Web sites and other services that others connect to',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 1,
    extensions: {
      ...base,
      ignoreCsrDetails: false,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [
        { sanField: 'DNS', fieldValue: 'DNS' },
        { sanField: 'IP', fieldValue: 'IP' },
      ],
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedUsages: ['serverAuth'],
    },
    rules,
  },
  {
    templateName: 'TLSClient',
    displayName: 'TLS client',
    says: 'Services that prove themselves to others',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 1,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['clientAuth'],
    },
    rules,
  },
  {
    templateName: 'User',
    displayName: 'User',
    says: 'A person: signing in, signing and receiving mail',
    class: 'USER',
    selfServiceEligible: true,
    issueApprovers: 1,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'RFC822', fieldValue: 'Email' }],
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedUsages: ['clientAuth', 'emailProtection'],
    },
    rules,
  },
  {
    templateName: 'Smartcard',
    displayName: 'Smartcard',
    says: 'A person’s card. Nobody else has to agree, because the card desk sees the person',
    class: 'USER',
    selfServiceEligible: false,
    issueApprovers: 0,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'RFC822', fieldValue: 'Email' }],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['clientAuth', 'emailProtection'],
    },
    rules: { ...rules, keys: ['RSA-2048', 'RSA-3072', 'P-256', 'P-384'], cardsOnly: true },
  },
  {
    templateName: 'Device',
    displayName: 'Device',
    says: 'Machines that both connect and are connected to',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 0,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedUsages: ['serverAuth', 'clientAuth'],
    },
    rules,
  },
]

/** What an authority does not begin with, and many need. */
const furtherPresets: readonly TemplatePreset[] = [
  {
    templateName: 'SmartcardLogon',
    displayName: 'Smartcard logon',
    says: 'A person’s card for signing in to Windows and Kerberos',
    class: 'USER',
    selfServiceEligible: false,
    issueApprovers: 1,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'OTHER_NAME', fieldValue: 'UPN' }],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['clientAuth', 'microsoftSmartcardLogon'],
      securityIdentifier: true,
    },
    rules: { ...rules, keys: ['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384'] },
  },
  {
    templateName: 'SecureMail',
    displayName: 'S/MIME',
    says: 'A person’s signed and encrypted mail',
    class: 'USER',
    selfServiceEligible: true,
    issueApprovers: 1,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'RFC822', fieldValue: 'Email' }],
      keyUsages: ['digitalSignature', 'keyEncipherment', 'keyAgreement'],
      extendedUsages: ['emailProtection'],
    },
    rules: { ...rules, keys: ['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384', 'P-521'] },
  },
  {
    templateName: 'CodeSigning',
    displayName: 'Code signing',
    says: 'Programs and scripts that say who made them',
    class: 'USER',
    selfServiceEligible: false,
    issueApprovers: 2,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['codeSigning'],
    },
    rules: { ...rules, keys: ['RSA-3072', 'RSA-4096', 'P-256', 'P-384', 'P-521'] },
  },
  {
    templateName: 'OcspSigner',
    displayName: 'OCSP signer',
    says: 'A service that answers for the authority whether certificates hold',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 2,
    extensions: {
      ...base,
      validityPeriod: 30,
      validityPeriodUnits: 'DAYS',
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['OCSPSigning'],
      ocspNoCheck: true,
    },
    rules,
  },
  {
    templateName: 'DomainController',
    displayName: 'Domain controller',
    says: 'Active Directory: Kerberos logon with smartcards, and LDAP over TLS',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 1,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedUsages: ['serverAuth', 'clientAuth', 'microsoftSmartcardLogon', 'pkinitKdc'],
      microsoftTemplateName: 'DomainController',
    },
    rules: { ...rules, keys: ['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384'] },
  },
  {
    templateName: 'Radius',
    displayName: 'RADIUS',
    says: 'The server that lets people and machines onto the network (802.1X)',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 1,
    extensions: {
      ...base,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      // 1.3.6.1.5.5.7.3.13 and .14: EAP over PPP and over LAN (RFC 4334).
      extendedUsages: ['serverAuth'],
      customUsages: ['1.3.6.1.5.5.7.3.13', '1.3.6.1.5.5.7.3.14'],
    },
    rules: { ...rules, keys: ['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384'] },
  },
  {
    templateName: 'TimeStamping',
    displayName: 'Time stamping',
    says: 'A service that confirms when something was there (RFC 3161)',
    class: 'DEVICE',
    selfServiceEligible: false,
    issueApprovers: 2,
    extensions: {
      ...base,
      validityPeriod: 5,
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['timeStamping'],
    },
    rules: { ...rules, keys: ['RSA-3072', 'RSA-4096', 'P-256', 'P-384', 'P-521'] },
  },
]

export const allPresets: readonly TemplatePreset[] = [...templatePresets, ...furtherPresets]
