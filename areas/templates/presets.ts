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

const keys: Rules['keys'] = ['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384', 'P-521', 'Ed25519', 'Ed448', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87']
const rules: Rules = { keys, allowedDomains: [], wildcards: false, maximumNames: 20 }
const base = { validityPeriod: 1, validityPeriodUnits: 'YEARS', renewalMode: 'MANUAL', ignoreCsrDetails: true } as const

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
      certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }, { sanField: 'IP', fieldValue: 'IP' }],
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
