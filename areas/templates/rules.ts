// What a template may say, and the words it says it in. Each enumeration of the specification is one table: the wire value, and the text that
// people read. What comes out of a template and a request is decided in plan.ts.

import type { FieldFault } from '#core/contract/faults.ts'
import { readJson } from '#standards/json/read.ts'
import { keyPurposeName, KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { domainPatternFault, isDottedId, networkFault } from './names.ts'

export const validityUnits = ['UNKNOWN', 'HOURS', 'DAYS', 'MONTHS', 'YEARS'] as const
export type ValidityUnit = (typeof validityUnits)[number]

export const certificateClasses = {
  USER: { label: 'User', entities: ['user'] },
  DEVICE: { label: 'Device', entities: ['device'] },
  AUTONENROLLUSER: { label: 'Auto-enrolled user', entities: ['user'] },
  AUTONENROLLDEVICE: { label: 'Auto-enrolled device', entities: ['device'] },
  ANY: { label: 'Any', entities: ['user', 'device'] },
  UNKNOWN: { label: 'Unknown', entities: [] },
} as const
export type CertificateClassName = keyof typeof certificateClasses
export type Entity = 'user' | 'device'

/** The short form's type, as the specification derives it. */
export const certificateType = (name: CertificateClassName): string => `CERTIFICATE_TYPE_${name}`

export const renewalModes = {
  NONE: 'Not renewed',
  MANUAL: 'Renewed by hand',
  AUTOMATIC_SAME_KEY: 'Renewed automatically with the same key',
  AUTOMATIC_NEW_KEY: 'Renewed automatically with a new key',
} as const

/** What becomes of a name in a CSR for which the template has no place. */
export const namesWithoutPlace = {
  LEAVE_OUT: 'Leave it out of the certificate',
  REFUSE: 'Refuse the request',
} as const

/** OPERATOR: whoever may upload requests. ADMINISTRATOR: who manages templates besides. */
export const accessLevels = ['OPERATOR', 'ADMINISTRATOR'] as const

// RFC 5280 4.2.1.3, in the order of its bits.
export const keyUsages = {
  digitalSignature: 'Digital signature',
  nonRepudiation: 'Non-repudiation',
  keyEncipherment: 'Key encipherment',
  dataEncipherment: 'Data encipherment',
  keyAgreement: 'Key agreement',
  keyCertSign: 'Certificate signing',
  cRLSign: 'CRL signing',
  encipherOnly: 'Encipher only',
  decipherOnly: 'Decipher only',
} as const
export type KeyUsageName = keyof typeof keyUsages

/** Those that make an authority: a template for certificates of people and things never gives them. */
export const authorityUsages: readonly KeyUsageName[] = ['keyCertSign', 'cRLSign']

export const extendedUsages = {
  serverAuth: { label: 'TLS server auth', oid: KEY_PURPOSES.serverAuth },
  clientAuth: { label: 'TLS client auth', oid: KEY_PURPOSES.clientAuth },
  codeSigning: { label: 'Code signing', oid: KEY_PURPOSES.codeSigning },
  emailProtection: { label: 'Email protection', oid: KEY_PURPOSES.emailProtection },
  ipsecEndSystem: { label: 'IPsec end system', oid: KEY_PURPOSES.ipsecEndSystem },
  ipsecTunnel: { label: 'IPsec tunnel', oid: KEY_PURPOSES.ipsecTunnel },
  ipsecUser: { label: 'IPsec user', oid: KEY_PURPOSES.ipsecUser },
  timeStamping: { label: 'Timestamping', oid: KEY_PURPOSES.timeStamping },
  microsoftSmartcardLogon: { label: 'Smartcard logon', oid: KEY_PURPOSES.microsoftSmartcardLogon },
  pkinitKdc: { label: 'Kerberos domain controller', oid: KEY_PURPOSES.pkinitKdc },
  OCSPSigning: { label: 'OCSP signing', oid: KEY_PURPOSES.OCSPSigning },
  documentSigning: { label: 'Document signing', oid: KEY_PURPOSES.documentSigning },
} as const
export type ExtendedUsageName = keyof typeof extendedUsages

/** Usages that templates name by their number, in words where there are any (RFC 4334). */
const numberedUsages: Record<string, string> = {
  [KEY_PURPOSES.eapOverPPP]: 'EAP over PPP',
  [KEY_PURPOSES.eapOverLAN]: 'EAP over LAN',
}

/** What people read for a usage in a certificate: our word, the name of the standard, or the number. */
export const usageLabel = (oid: string): string =>
  Object.values(extendedUsages).find((row) => row.oid === oid)?.label ?? numberedUsages[oid] ?? keyPurposeName(oid) ?? oid

/** The specification's types, and after them those that it does not know yet. */
export const keyTypes = [
  'UNKNOWN_KEY_TYPE',
  'RSA',
  'EC_NIST',
  'EC_SECG',
  'EC_SEC2',
  'EC_BRAINPOOL',
  'ED25519',
  'ED448',
  'X25519',
  'X448',
  'ML_DSA',
  'SLH_DSA',
  'ML_KEM',
] as const
type KeyType = (typeof keyTypes)[number]

const rsa = { type: 'RSA', use: 'RSA' } as const
const nist = { type: 'EC_NIST', use: 'EC' } as const
const brainpool = { type: 'EC_BRAINPOOL', use: 'EC' } as const
const mlDsa = { type: 'ML_DSA', use: 'sign' } as const
const slhDsa = { type: 'SLH_DSA', use: 'sign' } as const
const mlKem = { type: 'ML_KEM', use: 'encapsulate' } as const

/** The kinds of key that a template can allow, and what a key of the kind can be used for. */
export const keyKinds = {
  'RSA-2048': { ...rsa, label: 'RSA 2048' },
  'RSA-3072': { ...rsa, label: 'RSA 3072' },
  'RSA-4096': { ...rsa, label: 'RSA 4096' },
  'RSA-8192': { ...rsa, label: 'RSA 8192' },
  'P-256': { ...nist, label: 'EC P-256' },
  'P-384': { ...nist, label: 'EC P-384' },
  'P-521': { ...nist, label: 'EC P-521' },
  Ed25519: { type: 'ED25519', use: 'sign', label: 'Ed25519' },
  Ed448: { type: 'ED448', use: 'sign', label: 'Ed448' },
  brainpoolP256r1: { ...brainpool, label: 'EC Brainpool P256r1' },
  brainpoolP384r1: { ...brainpool, label: 'EC Brainpool P384r1' },
  brainpoolP512r1: { ...brainpool, label: 'EC Brainpool P512r1' },
  secp256k1: { type: 'EC_SECG', use: 'EC', label: 'EC secp256k1' },
  'ML-DSA-44': { ...mlDsa, label: 'ML-DSA-44' },
  'ML-DSA-65': { ...mlDsa, label: 'ML-DSA-65' },
  'ML-DSA-87': { ...mlDsa, label: 'ML-DSA-87' },
  'SLH-DSA-SHA2-128s': { ...slhDsa, label: 'SLH-DSA-SHA2-128s' },
  'SLH-DSA-SHA2-128f': { ...slhDsa, label: 'SLH-DSA-SHA2-128f' },
  'SLH-DSA-SHA2-192s': { ...slhDsa, label: 'SLH-DSA-SHA2-192s' },
  'SLH-DSA-SHA2-192f': { ...slhDsa, label: 'SLH-DSA-SHA2-192f' },
  'SLH-DSA-SHA2-256s': { ...slhDsa, label: 'SLH-DSA-SHA2-256s' },
  'SLH-DSA-SHA2-256f': { ...slhDsa, label: 'SLH-DSA-SHA2-256f' },
  'SLH-DSA-SHAKE-128s': { ...slhDsa, label: 'SLH-DSA-SHAKE-128s' },
  'SLH-DSA-SHAKE-128f': { ...slhDsa, label: 'SLH-DSA-SHAKE-128f' },
  'SLH-DSA-SHAKE-192s': { ...slhDsa, label: 'SLH-DSA-SHAKE-192s' },
  'SLH-DSA-SHAKE-192f': { ...slhDsa, label: 'SLH-DSA-SHAKE-192f' },
  'SLH-DSA-SHAKE-256s': { ...slhDsa, label: 'SLH-DSA-SHAKE-256s' },
  'SLH-DSA-SHAKE-256f': { ...slhDsa, label: 'SLH-DSA-SHAKE-256f' },
  X25519: { type: 'X25519', use: 'agree', label: 'X25519' },
  X448: { type: 'X448', use: 'agree', label: 'X448' },
  'ML-KEM-512': { ...mlKem, label: 'ML-KEM-512' },
  'ML-KEM-768': { ...mlKem, label: 'ML-KEM-768' },
  'ML-KEM-1024': { ...mlKem, label: 'ML-KEM-1024' },
} as const
export type KeyKindName = keyof typeof keyKinds

export const subjectFields = {
  CN: 'Common name',
  GN: 'Given name',
  SN: 'Surname',
  serialNumber: 'Serial number',
  emailAddress: 'E-mail address',
  UID: 'User id',
  title: 'Title',
  OU: 'Organisational unit',
  O: 'Organisation',
  L: 'Locality',
  ST: 'State or province',
  C: 'Country',
} as const
export type SubjectFieldName = keyof typeof subjectFields

/** `made: false`: known on the wire, but no template makes such a name. */
export const sanFields = {
  OTHER_NAME: { label: 'Other name (user principal name)', made: true, kind: 'upn' },
  RFC822: { label: 'E-mail address', made: true, kind: 'email' },
  DNS: { label: 'DNS name', made: true, kind: 'dns' },
  X400_ADDRESS: { label: 'X.400 address', made: false, kind: 'text' },
  EDI_PARTY_NAME: { label: 'EDI party name', made: false, kind: 'text' },
  URI: { label: 'URI', made: true, kind: 'uri' },
  IP: { label: 'IP address', made: true, kind: 'ip' },
  REGISTERED_ID: { label: 'Registered id', made: true, kind: 'oid' },
  DIRECTORY_NAME: { label: 'Directory name', made: true, kind: 'directory' },
  SAN_TYPE_HARDWARE_MODULE_NAME: { label: 'Hardware module name', made: true, kind: 'hardware' },
} as const
export type SanFieldName = keyof typeof sanFields

/**
 * Where a value comes from. `fieldValue` of a subject or SAN entry names one of these; any other text stands in the certificate as it is.
 * `person`: for a user's certificate it comes from the person's record and cannot be typed. `optional`: a request that does not name it has none,
 * unless it comes from the record.
 */
export const valueSources = {
  CommonName: { label: 'Common name', person: true },
  GivenName: { label: 'Given name', person: true },
  Surname: { label: 'Surname', person: true },
  Email: { label: 'E-mail address', person: true },
  Username: { label: 'Username', person: true },
  UPN: { label: 'User principal name', person: true },
  UserId: { label: 'User id', person: true },
  Title: { label: 'Title', person: true, optional: true },
  Locality: { label: 'Locality', person: true, optional: true },
  SerialNumber: { label: 'Serial number', person: false },
  Organisation: { label: 'Organisation', person: false, optional: true },
  OrganisationalUnit: { label: 'Organisational unit', person: false, optional: true },
  StateOrProvince: { label: 'State or province', person: false, optional: true },
  Country: { label: 'Country (two letters)', person: false, optional: true },
  DNS: { label: 'DNS name', person: false },
  IP: { label: 'IP address', person: false },
  URI: { label: 'URI', person: false },
  RegisteredId: { label: 'Registered id (an object identifier)', person: false },
  DirectoryName: { label: 'Directory name (such as CN=host,O=Example)', person: false },
  HardwareModule: { label: 'Hardware module (type:serial, such as 1.3.6.1.4.1.99:0A1B)', person: false },
} as const
export type ValueSource = keyof typeof valueSources

export const isSource = (text: string): text is ValueSource => Object.hasOwn(valueSources, text)

export type SubjectEntry = { subjectField: SubjectFieldName; fieldValue: string }
export type SanEntry = { sanField: SanFieldName; fieldValue: string }

export type Extensions = {
  certificateSubjects: SubjectEntry[]
  certificateSans: SanEntry[]
  validityPeriod: number
  validityPeriodUnits: ValidityUnit
  renewalMode: keyof typeof renewalModes
  /** So many days before the end renewal begins. */
  renewalDays?: number | undefined
  ignoreCsrDetails: boolean
  /** Of a CSR whose names are read. Refused where absent. */
  namesWithoutPlace?: keyof typeof namesWithoutPlace | undefined
  /** The validity begins so many minutes before the certificate is issued, because not every clock is right. */
  backdatedMinutes?: number | undefined
  keyUsages: KeyUsageName[]
  extendedUsages: ExtendedUsageName[]
  /** Purposes that have no name here, as dotted identifiers. */
  customUsages?: string[] | undefined
  certificatePolicies?: { policyIdentifier: string; cps: string }[] | undefined
  /** The person's Windows security identifier, where the record has one. */
  securityIdentifier?: boolean | undefined
  /** The name by which Windows knows the template. */
  microsoftTemplateName?: string | undefined
  /** Certificates say which template they are of, so that Windows knows for which it has one. */
  microsoftTemplate?: boolean | undefined
  /** An OCSP signer's certificate is not itself asked after (RFC 6960 4.2.2.2.1). */
  ocspNoCheck?: boolean | undefined
  /** Keys are made here and kept, sealed, so that they can be recovered. */
  keyArchival?: boolean | undefined
  /** How many others must agree to a recovery; at least one. */
  recoveryApprovers?: number | undefined
}

export type Rules = {
  keys: KeyKindName[]
  allowedDomains: string[]
  /** Networks such as 10.0.0.0/8. Empty: any address where any domain is allowed, and none where domains are named. */
  allowedAddresses?: string[] | undefined
  wildcards: boolean
  maximumNames: number
  /** The key must be attested by a TPM. */
  attestation?: boolean | undefined
  /** Only the card desk asks with it, for keys made on cards. */
  cardsOnly?: boolean | undefined
}

export const mostBackdatedMinutes = 60
/** Where the template does not say. */
export const usualBackdatedMinutes = 1

/** New entries of the editor, as the specification gives them. */
export const newSubject: SubjectEntry = { subjectField: 'CN', fieldValue: 'CommonName' }
export const newSan: SanEntry = { sanField: 'DNS', fieldValue: 'DNS' }

export const defaultExtensions: Extensions = {
  certificateSubjects: [newSubject],
  certificateSans: [newSan],
  validityPeriod: 1,
  validityPeriodUnits: 'YEARS',
  renewalMode: 'MANUAL',
  ignoreCsrDetails: true,
  keyUsages: ['digitalSignature'],
  extendedUsages: [],
}

/** "Clear the template": everything back to its default but the unit. */
export const clearedExtensions = (current: Extensions): Extensions => ({
  ...defaultExtensions,
  validityPeriodUnits: current.validityPeriodUnits,
})

/** The rules out of their JSON string; undefined, so no rules, where the string cannot be read. For the console: the server keeps its own. */
export function parseCsrRules(text: string): Rules | undefined {
  try {
    const value: unknown = readJson(text)
    if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return undefined
    return {
      keys: value.keys.filter((name): name is KeyKindName => typeof name === 'string' && Object.hasOwn(keyKinds, name)),
      allowedDomains:
        'allowedDomains' in value && Array.isArray(value.allowedDomains)
          ? value.allowedDomains.filter((name) => typeof name === 'string')
          : [],
      ...('allowedAddresses' in value && Array.isArray(value.allowedAddresses)
        ? { allowedAddresses: value.allowedAddresses.filter((network) => typeof network === 'string') }
        : {}),
      wildcards: 'wildcards' in value && value.wildcards === true,
      maximumNames: 'maximumNames' in value && typeof value.maximumNames === 'number' ? value.maximumNames : 20,
      ...('attestation' in value && value.attestation === true ? { attestation: true } : {}),
      ...('cardsOnly' in value && value.cardsOnly === true ? { cardsOnly: true } : {}),
    }
  } catch {
    return undefined
  }
}

export type OrderedTemplate = { caName: string; templateName: string; licensedTemplateId: string }

/** By authority and name, then by the priority of the licensed template; without a priority last. */
export function orderTemplates<T extends OrderedTemplate>(rows: readonly T[], priorityOf: (row: T) => number | undefined): T[] {
  const byKey = rows.toSorted((a, b) => a.caName.localeCompare(b.caName) || a.templateName.localeCompare(b.templateName))
  return byKey.toSorted((a, b) => (priorityOf(a) ?? Infinity) - (priorityOf(b) ?? Infinity) || 0)
}

/** The list's one word for the keys of a template. */
export const asymmetricAlgorithm = (keys: readonly KeyKindName[]): string => keyTypesOf(keys).join(', ')

export const keyTypesOf = (keys: readonly KeyKindName[]): KeyType[] => [...new Set(keys.map((name) => keyKinds[name].type))]

/** `notBefore` plus the validity. Months and years go by the calendar; a day that the month lacks becomes its last. */
export function endOfValidity(notBefore: Date, period: number, unit: ValidityUnit): Date {
  const end = new Date(notBefore)
  if (unit === 'HOURS') end.setTime(end.getTime() + period * 3_600_000)
  else if (unit === 'DAYS') end.setTime(end.getTime() + period * 86_400_000)
  else {
    const months = unit === 'MONTHS' ? period : period * 12
    const day = end.getUTCDate()
    end.setUTCDate(1)
    end.setUTCMonth(end.getUTCMonth() + months)
    end.setUTCDate(Math.min(day, new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()))
  }
  // Both ends belong to the validity (RFC 5280 4.1.2.5), so a year ends one second before the next begins.
  return new Date(end.getTime() - 1000)
}

const anyUsage = '2.5.29.37.0'

/** What is wrong with a template before anything is asked of it. Empty when it can be saved. */
export function templateFaults(draft: { class: CertificateClassName; extensions: Extensions; rules: Rules }): FieldFault[] {
  const { extensions, rules } = draft
  const faults: FieldFault[] = []
  const add = (field: string, says: string) => void faults.push({ field, says })
  if (draft.class === 'UNKNOWN') add('class', 'Choose what the certificates are for')
  if (rules.cardsOnly === true && draft.class !== 'USER') add('rules.cardsOnly', 'Only certificates of people are put on smartcards')
  if (extensions.validityPeriodUnits === 'UNKNOWN') add('extensions.validityPeriodUnits', 'Choose hours, days, months or years')
  else if (endOfValidity(new Date(0), extensions.validityPeriod, extensions.validityPeriodUnits).getTime() > 100 * 366 * 86_400_000)
    add('extensions.validityPeriod', 'At most 100 years')
  else if (
    2 * 60_000 * (extensions.backdatedMinutes ?? usualBackdatedMinutes) >
    endOfValidity(new Date(0), extensions.validityPeriod, extensions.validityPeriodUnits).getTime() + 1000
  )
    add('extensions.backdatedMinutes', 'At most half of the validity lies before the certificate is issued')
  if (extensions.certificateSubjects.length === 0 && extensions.certificateSans.length === 0)
    add('extensions.certificateSubjects', 'Name the holder in the subject or in an alternative name')
  if (extensions.keyUsages.length === 0) add('extensions.keyUsages', 'Choose at least one key usage')
  const signing = extensions.keyUsages.filter((usage) => authorityUsages.includes(usage))
  if (signing.length > 0)
    add(
      'extensions.keyUsages',
      `${signing.map((usage) => keyUsages[usage]).join(' and ')} ${signing.length === 1 ? 'belongs' : 'belong'} to authorities. Create an authority instead`,
    )
  if (
    (extensions.keyUsages.includes('encipherOnly') || extensions.keyUsages.includes('decipherOnly')) &&
    !extensions.keyUsages.includes('keyAgreement')
  )
    add('extensions.keyUsages', 'Encipher only and decipher only mean nothing without key agreement')
  if (extensions.extendedUsages.includes('timeStamping') && extensions.extendedUsages.length > 1)
    add('extensions.extendedUsages', 'Timestamping stands alone (RFC 3161 2.3)')
  extensions.customUsages?.forEach((oid, at) => {
    if (!isDottedId(oid)) add(`extensions.customUsages.${at}`, `"${oid}" is not an object identifier such as 1.3.6.1.4.1.311.10.3.4`)
    else if (oid === anyUsage) add(`extensions.customUsages.${at}`, 'Any purpose (2.5.29.37.0) would undo the others. Name the purposes')
    else if (Object.values(extendedUsages).some((row) => row.oid === oid))
      add(`extensions.customUsages.${at}`, `${oid} is in the list above`)
  })
  if (extensions.extendedUsages.includes('timeStamping') && (extensions.customUsages?.length ?? 0) > 0)
    add('extensions.customUsages', 'Timestamping stands alone (RFC 3161 2.3)')
  extensions.certificatePolicies?.forEach(({ policyIdentifier, cps }, at) => {
    if (!isDottedId(policyIdentifier))
      add(
        `extensions.certificatePolicies.${at}.policyIdentifier`,
        `"${policyIdentifier}" is not an object identifier such as 2.23.140.1.2.1`,
      )
    else if (extensions.certificatePolicies?.findIndex((one) => one.policyIdentifier === policyIdentifier) !== at)
      add(`extensions.certificatePolicies.${at}.policyIdentifier`, 'This policy is named twice')
    if (cps !== '' && !/^https?:\/\/[\u0021-\u007e]+$/.test(cps))
      add(`extensions.certificatePolicies.${at}.cps`, 'Enter an address that begins with http:// or https://')
  })
  if (extensions.ocspNoCheck === true && !extensions.extendedUsages.includes('OCSPSigning'))
    add('extensions.ocspNoCheck', 'Only an OCSP signer may be exempt from the question whether it is revoked')
  if (extensions.keyArchival === true && extensions.keyUsages.includes('nonRepudiation'))
    add('extensions.keyArchival', 'A key that can be recovered proves nothing about who signed: take non-repudiation out')
  extensions.certificateSans.forEach(({ sanField }, at) => {
    if (!sanFields[sanField].made)
      add(`extensions.certificateSans.${at}.sanField`, `Names of the form ${sanFields[sanField].label} are not made here`)
  })
  extensions.certificateSubjects.forEach(({ subjectField, fieldValue }, at) => {
    if (subjectField === 'C' && !isSource(fieldValue) && !/^[A-Z]{2}$/.test(fieldValue))
      add(`extensions.certificateSubjects.${at}.fieldValue`, 'A country is two capital letters, such as AU')
  })
  rules.allowedDomains.forEach((pattern, at) => {
    const fault = domainPatternFault(pattern)
    if (fault !== undefined) add(`rules.allowedDomains.${at}`, fault)
  })
  rules.allowedAddresses?.forEach((network, at) => {
    const fault = networkFault(network)
    if (fault !== undefined) add(`rules.allowedAddresses.${at}`, fault)
  })
  if (rules.keys.length === 0) add('rules.keys', 'Allow at least one kind of key')
  return faults
}
