// What a certificate may be used for: its extended key usage and key usage, and the extended key usage of the authorities
// above it, which limits what they may issue for. RFC 5280 leaves the last to the application; all browsers, Windows and
// OpenSSL read it so, and a private authority is often limited in no other way.
import type { Oid } from '../der/values.ts'
import type { Certificate } from '../x509/certificate.ts'
import type { KeyUsage } from '../x509/extension-types.ts'
import { findExtension } from '../x509/extensions.ts'
import { KEY_PURPOSES } from '../x509/key-purposes.ts'
import { describeOid } from '../x509/oids.ts'
import { fault, some, type CertificateFault } from './fault.ts'

interface PurposeRule {
  /** for people */
  label: string
  /** extended key usages, one of which is needed */
  purposes: readonly Oid[]
  /** key usages, one of which is needed where the extension is there */
  usages: readonly KeyUsage[]
  /** neither absence of the extension nor anyExtendedKeyUsage will do */
  explicit?: true
  /** the only purpose, and critical */
  alone?: true
  /** whether authorities above must have it, too */
  inherited: boolean
}

export const PURPOSES = {
  any: { label: 'any purpose', purposes: [], usages: [], inherited: false },
  serverAuth: {
    label: 'TLS servers',
    purposes: [KEY_PURPOSES.serverAuth],
    usages: ['digitalSignature', 'keyEncipherment', 'keyAgreement'],
    inherited: true,
  },
  clientAuth: { label: 'TLS clients', purposes: [KEY_PURPOSES.clientAuth], usages: ['digitalSignature', 'keyAgreement'], inherited: true },
  emailProtection: {
    label: 'e-mail',
    purposes: [KEY_PURPOSES.emailProtection],
    usages: ['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'keyAgreement'],
    inherited: true,
  },
  codeSigning: {
    label: 'signing code',
    purposes: [KEY_PURPOSES.codeSigning],
    usages: ['digitalSignature'],
    explicit: true,
    inherited: true,
  },
  timeStamping: {
    label: 'time stamps',
    purposes: [KEY_PURPOSES.timeStamping],
    usages: ['digitalSignature', 'nonRepudiation'],
    explicit: true,
    alone: true,
    inherited: true,
  },
  // Authorities are limited to what they issue for; that they sign the status of it is understood (RFC 6960 4.2.2.2).
  OCSPSigning: {
    label: 'signing OCSP answers',
    purposes: [KEY_PURPOSES.OCSPSigning],
    usages: ['digitalSignature', 'nonRepudiation'],
    explicit: true,
    inherited: false,
  },
  smartcardLogon: {
    label: 'smartcard logon',
    purposes: [KEY_PURPOSES.microsoftSmartcardLogon, KEY_PURPOSES.pkinitClientAuth],
    usages: ['digitalSignature'],
    explicit: true,
    inherited: true,
  },
} as const satisfies { readonly [name: string]: PurposeRule }

export type Purpose = keyof typeof PURPOSES
export const PURPOSE_NAMES = Object.keys(PURPOSES) as Purpose[]

export function isPurpose(text: string): text is Purpose {
  return Object.hasOwn(PURPOSES, text)
}

/** Whether the end certificate may be used for it. */
export function purposeFaults({ extensions }: Pick<Certificate, 'extensions'>, purpose: Purpose): CertificateFault[] {
  const rule: PurposeRule = PURPOSES[purpose]
  if (rule.purposes.length === 0) return []
  const faults: CertificateFault[] = []
  const extended = findExtension(extensions, 'extKeyUsage')
  const usages = findExtension(extensions, 'keyUsage')?.usages
  if (extended === undefined) {
    if (rule.explicit === true)
      faults.push(fault('purpose', `It names no purposes, and for ${rule.label} it has to name ${described(rule.purposes)}.`))
  } else if (!allows(extended.purposes, rule)) {
    faults.push(fault('purpose', `It is for ${described(extended.purposes)}, not for ${rule.label}.`))
  } else if (rule.alone === true && (extended.purposes.length > 1 || !extended.critical)) {
    faults.push(fault('timeStampingAlone', 'Time stamping has to be its only purpose, in a critical extension.'))
  }
  if (usages !== undefined && !rule.usages.some((usage) => usages.includes(usage))) {
    faults.push(
      fault('purposeKeyUsage', `Its key usage is ${usages.join(', ')}; for ${rule.label} one of ${rule.usages.join(', ')} is needed.`),
    )
  }
  return faults
}

/** Whether an authority may issue for it. */
export function purposeOfIssuerFaults({ extensions }: Pick<Certificate, 'extensions'>, purpose: Purpose): CertificateFault[] {
  const rule: PurposeRule = PURPOSES[purpose]
  const extended = findExtension(extensions, 'extKeyUsage')
  if (!rule.inherited || extended === undefined) return []
  if (extended.purposes.includes(KEY_PURPOSES.anyExtendedKeyUsage) || allows(extended.purposes, rule)) return []
  return [fault('purposeOfIssuer', `This authority may issue for ${described(extended.purposes)} only, not for ${rule.label}.`)]
}

function allows(purposes: readonly Oid[], { purposes: wanted, explicit }: PurposeRule): boolean {
  return wanted.some((purpose) => purposes.includes(purpose)) || (explicit !== true && purposes.includes(KEY_PURPOSES.anyExtendedKeyUsage))
}

const described = (purposes: readonly Oid[]): string => some(purposes.map(describeOid))
