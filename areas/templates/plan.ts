// What would come out of a template and a request: a draft of the certificate, or a fault for each field that is wrong. The template says which
// names there are and where each comes from; a person's own names come from the person's record and from nowhere else; the CSR gives its key,
// and its names only where the template reads them. Nothing gets into a certificate because a request asked for it.

import { refusal } from '#areas/authorities/refusals.ts'
import type { Refusal, RefusalParams } from '#core/contract/refusal.ts'
import { checkNameText } from '#standards/lint/name-text.ts'
import { visible } from '#standards/x509/described-field.ts'
import { X509Error } from '#standards/x509/error.ts'
import { encodeName, escapeControls, parseDistinguishedName } from '#standards/x509/names.ts'
import {
  addressFault,
  charactersIn,
  clipped,
  dnsFault,
  emailFault,
  hardwareModuleFault,
  hostsIn,
  isAllowedAddress,
  isAllowedDomain,
  lengthFault,
  lookalikeFault,
  registeredIdFault,
  reservedAddressFault,
  uriFault,
  uriHost,
} from './names.ts'
import {
  authorityUsages,
  certificateClasses,
  extendedUsages,
  isSource,
  keyKinds,
  keyUsages,
  sanFields,
  subjectFields,
  valueSources,
  type CertificateClassName,
  type Entity,
  type ExtendedUsageName,
  type Extensions,
  type KeyKindName,
  type KeyUsageName,
  type Rules,
  type SanFieldName,
  type SubjectFieldName,
  type ValueSource,
} from './rules.ts'

export type PlannedTemplate = {
  /** None before it is kept. */ id?: string
  class: CertificateClassName
  extensions: Extensions
  rules: Rules
}

export type Values = Partial<Record<string, readonly string[]>>

/** A CSR as far as a plan looks at it. Types and usages that have no name here come as dotted identifiers. */
export type RequestedDetails = {
  subject: readonly { field: string; value: string }[]
  sans: readonly { field: SanFieldName; value: string }[]
  keyUsages: readonly string[]
  extendedUsages: readonly string[]
  certificateAuthority: boolean
  /** Extensions that are none of the above, by name or identifier. */
  otherExtensions: readonly string[]
  /** Names in string types that their standard does not allow, a sentence each. */
  nameFaults?: readonly string[]
}

export type Wish = {
  entity: Entity
  key: KeyKindName | undefined
  /** What people call the key, for the refusal of one that the template does not allow. */
  keyText: string
  /** From the person's record: cannot be typed. */
  record: Values
  typed: Values
  csr?: RequestedDetails | undefined
  /** A protocol has proven what is typed: the CSR names nothing besides. */
  proven?: boolean
  /** A TPM has attested the key. */
  attested?: boolean
}

export type PlanFinding = { severity: 'warn'; code: string; message: string; field: string }

export type CertificateDraft = {
  subject: { field: SubjectFieldName; value: string }[]
  sans: { sanField: SanFieldName; value: string }[]
  keyUsages: KeyUsageName[]
  extendedUsages: ExtendedUsageName[]
  customUsages?: string[]
  policies?: { policyIdentifier: string; cps: string }[]
  securityIdentifier?: string
  microsoftTemplateName?: string
  /** The id of the template. */
  microsoftTemplate?: string
  ocspNoCheck?: boolean
}

export type Plan = { draft: CertificateDraft; findings: PlanFinding[] } | { faults: Refusal[]; findings: PlanFinding[] }

/** Extensions that a CSR may carry without meaning anything: the authority makes its own. */
const harmlessExtensions = new Set([
  'subjectKeyIdentifier',
  'basicConstraints',
  'microsoftCertificateTemplateName',
  'microsoftCertificateTemplate',
  'microsoftApplicationPolicies',
])

export function planCertificate(template: PlannedTemplate, wish: Wish): Plan {
  const faults: Refusal[] = []
  const findings: PlanFinding[] = []
  // A sentence may quote what anybody wrote, and is shown and written down.
  const safe = (says: string): string => visible(escapeControls(says.toWellFormed()))
  const refuse: Refuse = ({ params, ...found }) =>
    void faults.push({ ...found, says: safe(found.says), ...(params === undefined ? {} : { params: safeParams(params, safe) }) })
  const warn = (code: string, field: string, message: string) =>
    void findings.push({ severity: 'warn', code, field, message: safe(message) })

  const entities: readonly Entity[] = certificateClasses[template.class].entities
  if (!entities.includes(wish.entity)) refuse(refusal('entityNotAllowed', { entity: wish.entity }))
  refuseKey(template, wish, refuse)
  if (template.extensions.keyArchival === true && wish.csr !== undefined) refuse(refusal('keyMadeElsewhere', undefined))
  if (template.rules.attestation === true && wish.attested !== true) refuse(refusal('keyNotAttested', undefined, fieldOfKey(wish)))
  const allowedUsages = keyUsagesFor(template.extensions.keyUsages, wish.key)
  if (allowedUsages.length === 0 && wish.key !== undefined)
    refuse(
      refusal(
        'keyWithoutUse',
        { key: wish.keyText, usages: template.extensions.keyUsages.map((name) => keyUsages[name].toLowerCase()).join(', ') },
        fieldOfKey(wish),
      ),
    )
  if (wish.csr !== undefined) refuseDemands(template, wish.csr, allowedUsages, refuse, warn)

  const values = gatherValues(template, wish, refuse)
  const subject = template.extensions.certificateSubjects.flatMap(({ subjectField, fieldValue }) => {
    const all = valuesOf(fieldValue, values)
    const most = subjectField === 'OU' ? 4 : 1
    if (all.length > most) tellOfTooMany({ template, wish, subjectField, fieldValue, most, count: all.length, refuse, warn })
    return all.slice(0, most).map((value) => ({ field: subjectField, value }))
  })
  const sans = unique(
    template.extensions.certificateSans.flatMap(({ sanField, fieldValue }) =>
      valuesOf(fieldValue, values).map((value) => ({ sanField, value: spelling(sanField, value) })),
    ),
  )

  refuseMissing(template, wish, values, refuse)
  for (const { sanField, value } of sans) refuseName(template, wish, sanField, value, fieldOfSan(template, sanField, wish), refuse)
  for (const { field, value } of subject) refuseSubject(template, wish, field, value, sans, refuse)
  if (sans.length > template.rules.maximumNames) refuse(refusal('tooManyNames', { most: template.rules.maximumNames, count: sans.length }))
  if (faults.length === 0 && subject.length === 0 && sans.length === 0) refuse(refusal('nobodyNamed', undefined))

  warnOfMailInSubject(subject, sans, warn)
  const draft: CertificateDraft = {
    subject,
    sans,
    keyUsages: allowedUsages,
    extendedUsages: [...template.extensions.extendedUsages],
    ...furtherOf(template, wish, warn),
  }
  return faults.length > 0 ? { faults: onceEach(faults), findings } : { draft, findings }
}

const safeParams = (params: RefusalParams, safe: (text: string) => string): RefusalParams =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? safe(value) : value]))

/** What a template gives besides names and usages; empty ones are left out. */
function furtherOf({ id, extensions }: PlannedTemplate, wish: Wish, warn: Warn): Partial<CertificateDraft> {
  const {
    customUsages = [],
    certificatePolicies = [],
    microsoftTemplateName = '',
    microsoftTemplate = false,
    ocspNoCheck = false,
    securityIdentifier = false,
  } = extensions
  const sid = wish.entity === 'user' ? wish.record['SecurityIdentifier']?.[0] : undefined
  if (securityIdentifier && sid === undefined)
    warn(
      'noSecurityIdentifier',
      'userId',
      'The record has no Windows security identifier: the certificate comes without one, and a domain controller in strong mapping mode will not accept it for logon',
    )
  return {
    ...(customUsages.length === 0 ? {} : { customUsages: [...customUsages] }),
    ...(certificatePolicies.length === 0 ? {} : { policies: certificatePolicies.map((policy) => ({ ...policy })) }),
    ...(microsoftTemplateName === '' ? {} : { microsoftTemplateName }),
    ...(microsoftTemplate && id !== undefined ? { microsoftTemplate: id } : {}),
    ...(ocspNoCheck ? { ocspNoCheck } : {}),
    ...(securityIdentifier && sid !== undefined ? { securityIdentifier: sid } : {}),
  }
}

/** RFC 5280 4.1.2.6: an e-mail address belongs into the alternative names. In the subject alone many programs do not find it, and some still look there. */
function warnOfMailInSubject(subject: CertificateDraft['subject'], sans: CertificateDraft['sans'], warn: Warn): void {
  const named = new Set(sans.filter(({ sanField }) => sanField === 'RFC822').map(({ value }) => value.toLowerCase()))
  for (const { field, value } of subject)
    if (field === 'emailAddress' && !named.has(value.toLowerCase()))
      warn(
        'mailOnlyInSubject',
        'templateId',
        `The e-mail address ${clipped(value)} stands only in the subject, where programs do not look for it (RFC 5280 4.1.2.6)`,
      )
}

/** Refuses more values than a subject has room for, and warns where a record has them. What is an alternative name as well, stands there with all its values. */
function tellOfTooMany({
  template,
  wish,
  subjectField,
  fieldValue,
  most,
  count,
  refuse,
  warn,
}: {
  template: PlannedTemplate
  wish: Wish
  subjectField: SubjectFieldName
  fieldValue: string
  most: number
  count: number
  refuse: Refuse
  warn: Warn
}): void {
  if (!isSource(fieldValue) || template.extensions.certificateSans.some((entry) => entry.fieldValue === fieldValue)) return
  const found = refusal('attributeTooMany', { label: subjectFields[subjectField], most, count }, `values.${fieldValue}`)
  if (wish.entity === 'user' && valueSources[fieldValue].person) warn('attributeTooMany', 'userId', found.says)
  else refuse((wish.typed[fieldValue]?.length ?? 0) > 0 ? found : { ...found, field: 'csr' })
}

type Refuse = (found: Refusal) => void
type Warn = (code: string, field: string, message: string) => void

/** A key without a request is one that is made here, and chosen in a field of its own. */
const fieldOfKey = ({ csr }: Wish): string => (csr === undefined ? 'key' : 'csr')

function refuseKey({ rules }: PlannedTemplate, wish: Wish, refuse: Refuse): void {
  if (wish.key !== undefined && rules.keys.includes(wish.key)) return
  const allowed = rules.keys.map((name) => keyKinds[name].label).join(', ')
  refuse(refusal('keyKindNotAllowed', { key: wish.keyText, allowed }, fieldOfKey(wish)))
}

const encipherment: readonly KeyUsageName[] = ['keyEncipherment', 'dataEncipherment']
const agreement: readonly KeyUsageName[] = ['keyAgreement', 'encipherOnly', 'decipherOnly']
const signing: readonly KeyUsageName[] = ['digitalSignature', 'nonRepudiation', 'keyCertSign', 'cRLSign']

/** What a key cannot do: RFC 8813 3 for EC, RFC 9295 3 for the Edwards curves, RFC 9881 5 for ML-DSA, RFC 9909 for SLH-DSA, RFC 9935 5 for ML-KEM. */
const impossibleUsages: Record<(typeof keyKinds)[KeyKindName]['use'], readonly KeyUsageName[]> = {
  RSA: agreement,
  EC: encipherment,
  sign: [...encipherment, ...agreement],
  agree: [...signing, ...encipherment],
  encapsulate: [...signing, 'dataEncipherment', ...agreement],
}

/** Those of the usages that a key of this kind can do, in their order. */
export function keyUsagesFor(usages: readonly KeyUsageName[], key: KeyKindName | undefined): KeyUsageName[] {
  const impossible = key === undefined ? [] : impossibleUsages[keyKinds[key].use]
  return usages.filter((usage) => !impossible.includes(usage))
}

/** What a CSR asks for beyond its key and names. An authority is refused always; the rest where the template reads the CSR, and passed over with a word where not. */
function refuseDemands(
  { extensions }: PlannedTemplate,
  csr: RequestedDetails,
  allowedUsages: readonly KeyUsageName[],
  refuse: Refuse,
  warn: Warn,
): void {
  if (csr.certificateAuthority) refuse(refusal('asksForAuthority', undefined))
  const signing = csr.keyUsages.filter((usage) => authorityUsages.some((forbidden) => forbidden === usage))
  if (signing.length > 0) refuse(refusal('asksForAuthorityUsage', { usages: signing.join(' and ') }))
  // keyEncipherment asked of a curve is meant well and means nothing: it is judged by what the template would give, not by the key.
  const usages = csr.keyUsages.filter(
    (usage) =>
      !signing.includes(usage) && !allowedUsages.some((name) => name === usage) && !extensions.keyUsages.some((name) => name === usage),
  )
  const purposes = csr.extendedUsages.filter(
    (usage) =>
      !extensions.extendedUsages.some((name) => name === usage || extendedUsages[name].oid === usage) &&
      extensions.customUsages?.includes(usage) !== true,
  )
  const others = csr.otherExtensions.filter((name) => !harmlessExtensions.has(name))
  const demands = [
    ...usages.map((usage) => `the key usage ${wordOf(keyUsages, usage)}`),
    ...purposes.map((usage) => `the extended usage ${labelOf(usage)}`),
    ...others.map((name) => `the extension ${clipped(name)}`),
  ]
  for (const demand of demands) {
    if (extensions.ignoreCsrDetails) warn('csrDetailIgnored', 'csr', `The request asks for ${demand}; the template does not give it`)
    else refuse(refusal('asksForMore', { demand }))
  }
}

const wordOf = (table: Record<string, string>, name: string): string => table[name] ?? clipped(name)
const labelOf = (name: string): string =>
  Object.hasOwn(extendedUsages, name) ? extendedUsages[name as ExtendedUsageName].label : clipped(name)

/** For each source its values: from the person's record, else from the CSR where the template reads it, else as typed. */
function gatherValues({ extensions }: PlannedTemplate, wish: Wish, refuse: Refuse): Map<ValueSource, readonly string[]> {
  const values = new Map<ValueSource, readonly string[]>()
  const asked = sourcesOf(extensions)
  for (const [name, typed] of Object.entries(wish.typed)) {
    if (typed === undefined || typed.every((text) => text.trim() === '')) continue
    if (!isSource(name) || !asked.has(name)) refuse(refusal('valueWithoutPlace', undefined, `values.${name}`))
  }
  const csr = extensions.ignoreCsrDetails ? undefined : wish.csr
  const proven = new Set(Object.values(wish.typed).flatMap((texts) => (texts ?? []).map((text) => text.trim().toLowerCase())))
  const counts = (value: string) => wish.proven !== true || proven.has(value.toLowerCase())
  const fromCsr = csr === undefined ? new Map<ValueSource, string[]>() : readCsr(extensions, csr, counts, refuse)
  for (const source of asked) {
    const typed = (wish.typed[source] ?? []).map((text) => text.trim()).filter((text) => text !== '')
    const requested = fromCsr.get(source) ?? []
    if (wish.entity === 'user' && valueSources[source].person) {
      const own = (wish.record[source] ?? []).filter((text) => text !== '')
      const notOfPerson = (texts: readonly string[]) =>
        texts.filter((text) => !own.some((value) => value.toLowerCase() === text.toLowerCase()))
      const label = valueSources[source].label.toLowerCase()
      for (const text of notOfPerson(typed)) refuse(refusal('valueNotOfPerson', { value: clipped(text), label }, `values.${source}`))
      for (const text of notOfPerson(requested)) refuse(refusal('valueNotOfPerson', { value: clipped(text), label }, 'csr'))
      values.set(source, own)
    } else values.set(source, requested.length > 0 && typed.length === 0 ? requested : typed)
  }
  const names = values.get('DNS') ?? []
  // A device is called by its first DNS name unless somebody says otherwise.
  if (
    wish.entity === 'device' &&
    asked.has('CommonName') &&
    values.get('CommonName')?.length === 0 &&
    names[0] !== undefined &&
    names[0].length <= 64
  )
    values.set('CommonName', [names[0]])
  return values
}

/** The sources that a template's entries name. */
const sourcesOf = ({
  certificateSubjects,
  certificateSans,
}: Pick<Extensions, 'certificateSubjects' | 'certificateSans'>): Set<ValueSource> =>
  new Set([...certificateSubjects, ...certificateSans].map(({ fieldValue }) => fieldValue).filter(isSource))

/** `counts`: whether a name is taken. One that is not is left out, and `omitted` tells of it. */
function readCsr(
  extensions: Extensions,
  csr: RequestedDetails,
  counts: (value: string) => boolean,
  refuse: Refuse,
): Map<ValueSource, string[]> {
  const found = new Map<ValueSource, string[]>()
  const seen = new Set<string>()
  const put = (source: ValueSource, value: string) => {
    if (!counts(value)) return
    seen.add(`${source} ${value.toLowerCase()}`)
    const values = found.get(source)
    if (values === undefined) found.set(source, [value])
    else values.push(value)
  }
  // What is left out is told by `omitted`.
  const leaveOut = extensions.namesWithoutPlace === 'LEAVE_OUT'
  for (const reason of csr.nameFaults ?? []) refuse(refusal('attributeUnfit', { reason }))
  for (const { field, value } of csr.subject) {
    const entries = extensions.certificateSubjects.filter((entry) => entry.subjectField === field)
    const entry = entries[0]
    if (entry === undefined) {
      if (!leaveOut) refuse(refusal('attributeWithoutPlace', { field: clipped(field), value: clipped(value) }))
    } else if (isSource(entry.fieldValue)) {
      put(entry.fieldValue, value)
      if (field !== 'OU' && csr.subject.find((one) => one.field === field)?.value !== value) refuse(refusal('attributeTwice', { field }))
    } else if (!entries.some(({ fieldValue }) => fieldValue === value))
      refuse(refusal('attributeOther', { field, value: clipped(value), wanted: entry.fieldValue }))
  }
  for (const { field, value } of csr.sans) {
    const entry = extensions.certificateSans.find(({ sanField }) => sanField === field)
    if (entry === undefined) {
      if (!leaveOut) refuse(refusal('alternativeNameWithoutPlace', { field, value: clipped(value) }))
    } else if (isSource(entry.fieldValue)) {
      if (!seen.has(`${entry.fieldValue} ${value.toLowerCase()}`)) put(entry.fieldValue, value)
    } else if (entry.fieldValue !== value)
      refuse(refusal('alternativeNameOther', { field, value: clipped(value), wanted: entry.fieldValue }))
  }
  return found
}

const valuesOf = (fieldValue: string, values: ReadonlyMap<ValueSource, readonly string[]>): readonly string[] =>
  isSource(fieldValue) ? (values.get(fieldValue) ?? []) : [fieldValue]

const spelling = (field: SanFieldName, value: string): string => (field === 'DNS' ? value.toLowerCase() : value)

function unique(sans: { sanField: SanFieldName; value: string }[]): { sanField: SanFieldName; value: string }[] {
  return [...new Map(sans.map((san) => [`${san.sanField} ${san.value}`, san])).values()]
}

/** Every typed or recorded source that the template needs must have a value: IP, URI and a second alternative name are free. */
function refuseMissing(template: PlannedTemplate, wish: Wish, values: ReadonlyMap<ValueSource, readonly string[]>, refuse: Refuse): void {
  for (const { source, required, from, label } of askedValues(template, wish.entity)) {
    if (!required || (values.get(source)?.length ?? 0) > 0) continue
    if (from === 'record') refuse(refusal('valueNotInRecord', { label: label.toLowerCase() }))
    else
      refuse(
        refusal(
          template.extensions.ignoreCsrDetails && wish.csr !== undefined ? 'valueMissingBesideCsr' : 'valueMissing',
          { label },
          `values.${source}`,
        ),
      )
  }
}

export type AskedValue = { source: ValueSource; label: string; from: 'typed' | 'record'; required: boolean; many: boolean }

/** What a request form asks for, in the template's order. */
export function askedValues({ extensions }: Pick<PlannedTemplate, 'extensions'>, entity: Entity): AskedValue[] {
  const firstSan = extensions.certificateSans.find(({ fieldValue }) => isSource(fieldValue))
  return [...sourcesOf(extensions)].map((source) => {
    const many =
      extensions.certificateSans.some(({ fieldValue }) => fieldValue === source) ||
      extensions.certificateSubjects.some(({ subjectField, fieldValue }) => subjectField === 'OU' && fieldValue === source)
    const named = extensions.certificateSubjects.some(({ fieldValue }) => fieldValue === source)
    const fromRecord = entity === 'user' && valueSources[source].person
    // A device's common name falls back to its first DNS name.
    const fallsBack =
      entity === 'device' && source === 'CommonName' && extensions.certificateSans.some(({ fieldValue }) => fieldValue === 'DNS')
    return {
      source,
      label: valueSources[source].label,
      from: fromRecord ? ('record' as const) : ('typed' as const),
      required: !fallsBack && ((named && (fromRecord || !mayLack(source))) || firstSan?.fieldValue === source),
      many: many && !fromRecord,
    }
  })
}

const mayLack = (source: ValueSource): boolean => 'optional' in valueSources[source]

const fieldOfSan = ({ extensions }: PlannedTemplate, field: SanFieldName, wish: Wish): string => {
  const source = extensions.certificateSans.find(({ sanField }) => sanField === field)?.fieldValue ?? ''
  return isSource(source) && (wish.typed[source]?.length ?? 0) > 0
    ? `values.${source}`
    : wish.csr !== undefined && !extensions.ignoreCsrDetails
      ? 'csr'
      : `values.${source}`
}

/** Refuses a name where `reason` is a sentence. Whoever asked for the name replaces the field. */
const unfit = (reason: string | undefined): Refusal | undefined => (reason === undefined ? undefined : refusal('nameUnfit', { reason }))

const nameFaults: Record<(typeof sanFields)[SanFieldName]['kind'], (value: string, rules: Rules) => Refusal | undefined> = {
  dns: (value, rules) => unfit(dnsFault(value, { wildcard: rules.wildcards })) ?? externalDomains(value, value, rules),
  ip: (value, rules) => unfit(addressFault(value) ?? reservedAddressFault(value)) ?? addressRefusal(value, rules),
  email: (value, rules) => unfit(emailFault(value)) ?? externalDomains(domainOf(value), value, rules),
  uri: (value, rules) => unfit(uriFault(value)) ?? externalDomains(uriHost(value) ?? '', uriHost(value) ?? value, rules),
  upn: (value, rules) =>
    unfit(emailFault(value)?.replace('an e-mail address', 'a user principal name')) ?? externalDomains(domainOf(value), value, rules),
  oid: (value) => unfit(registeredIdFault(value)),
  hardware: (value) => unfit(hardwareModuleFault(value)),
  directory: (value) => unfit(directoryNameFault(value)),
  text: () => undefined,
}

/** Why the rules of a template refuse a name before there is a request: an order of a protocol names what will be asked for. */
export const orderedNameRefusal = (rules: Rules, sanField: 'DNS' | 'IP', value: string): Refusal | undefined =>
  nameFaults[sanFields[sanField].kind](value, rules)

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** Bytes in place of a text (`CN=#0c01...`) are not taken: they could say what no check here reads. */
function directoryNameFault(value: string): string | undefined {
  const wrong = (why: string) => `"${clipped(value)}" is not a directory name such as CN=host,O=Example: ${why}`
  if (/=\s*#/.test(value)) return wrong('write values as text')
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(value)) return wrong('it has control characters')
  try {
    const name = parseDistinguishedName(value)
    encodeName(name)
    return name.length === 0 ? wrong('it is empty') : undefined
  } catch (error) {
    if (error instanceof X509Error) return wrong(error.message)
    throw error
  }
}

/** `name` is what is quoted of it. */
const externalDomains = (domain: string, name: string, { allowedDomains }: Rules): Refusal | undefined =>
  isAllowedDomain(domain, allowedDomains)
    ? undefined
    : refusal('nameNotAllowed', { name: clipped(name), allowed: firstFew(allowedDomains) })

const firstFew = (all: readonly string[]): string => `${all.slice(0, 5).join(', ')}${all.length > 5 ? ' and more' : ''}`

/** Whoever names domains has limited the names: addresses are then allowed by their networks alone. */
function addressRefusal(address: string, { allowedDomains, allowedAddresses = [] }: Rules): Refusal | undefined {
  if (allowedAddresses.length === 0)
    return allowedDomains.length === 0 ? undefined : refusal('addressAmongDomains', { address: clipped(address) })
  return isAllowedAddress(address, allowedAddresses)
    ? undefined
    : refusal('addressNotAllowed', { address: clipped(address), allowed: firstFew(allowedAddresses) })
}

function refuseName(template: PlannedTemplate, wish: Wish, sanField: SanFieldName, value: string, field: string, refuse: Refuse): void {
  // What stands in a person's record was put there by those who keep records; the domains hold for what is asked for.
  const source = template.extensions.certificateSans.find((entry) => entry.sanField === sanField)?.fieldValue ?? ''
  const recorded = wish.entity === 'user' && isSource(source) && valueSources[source].person
  const rules = recorded ? { ...template.rules, allowedDomains: [], allowedAddresses: [] } : template.rules
  const fault = nameFaults[sanFields[sanField].kind](value, rules) ?? unfit(lengthFault(value))
  if (fault !== undefined) refuse({ ...fault, field })
}

/** Upper bounds of X.520 (RFC 5280 appendix A.1); a name that looks like a host must be one of the alternative names. */
const upperBounds: Record<SubjectFieldName, number> = {
  CN: 64,
  GN: 16,
  SN: 40,
  serialNumber: 64,
  emailAddress: 255,
  UID: 256,
  title: 64,
  OU: 64,
  O: 64,
  L: 128,
  ST: 128,
  C: 2,
}

function refuseSubject(
  template: PlannedTemplate,
  wish: Wish,
  field: SubjectFieldName,
  value: string,
  sans: readonly { sanField: SanFieldName; value: string }[],
  refuse: Refuse,
): void {
  const source = template.extensions.certificateSubjects.find(({ subjectField }) => subjectField === field)?.fieldValue ?? ''
  const recorded = isSource(source) && wish.entity === 'user' && valueSources[source].person
  const at = recorded
    ? 'userId'
    : isSource(source) && (wish.typed[source]?.length ?? 0) > 0
      ? `values.${source}`
      : wish.csr !== undefined && !template.extensions.ignoreCsrDetails
        ? 'csr'
        : `values.${source}`
  const label = subjectFields[field]
  const count = charactersIn(value)
  if (count > upperBounds[field]) refuse(refusal('attributeTooLong', { label, most: upperBounds[field], count }, at))
  if (value.trim() === '') refuse(refusal('attributeEmpty', { label }, at))
  else {
    const text = unfit(checkNameText(label, value) ?? (recorded ? undefined : lookalikeFault(value)))
    if (text !== undefined) refuse({ ...text, field: at })
  }
  if (field === 'C' && !/^[A-Z]{2}$/.test(value)) refuse(refusal('countryUnfit', undefined, at))
  if (field === 'emailAddress') {
    const fault = unfit(emailFault(value)) ?? (recorded ? undefined : externalDomains(domainOf(value), value, template.rules))
    if (fault !== undefined) refuse({ ...fault, field: at })
  }
  const free = wish.entity === 'device' || (isSource(source) && !recorded)
  const misread = field === 'CN' && free ? commonNameRefusal(template, value, sans, wish.entity) : undefined
  if (misread !== undefined) refuse({ ...misread, field: at })
}

/** What programs take for the name of a server in a common name is allowed there as an alternative name would be, and stands among those of a server. */
function commonNameRefusal(
  { extensions, rules }: PlannedTemplate,
  name: string,
  sans: readonly { value: string }[],
  entity: Entity,
): Refusal | undefined {
  if (sans.some(({ value }) => value.toLowerCase() === name.toLowerCase())) return undefined
  if (entity === 'device' && extensions.extendedUsages.includes('serverAuth')) return refusal('commonNameOfServer', { name: clipped(name) })
  const hosts = hostsIn(name)
  const fault = hosts.map((host) => hostFault(host, rules)).find((found) => found !== undefined)
  if (fault !== undefined || hosts.length === 0) return fault
  // RFC 5280 4.2.1.12: without the extension any purpose will do.
  const anyPurpose = extensions.extendedUsages.length === 0 && (extensions.customUsages ?? []).length === 0
  return anyPurpose ? refusal('commonNameOfAnyPurpose', { name: clipped(name) }) : undefined
}

function hostFault(host: string, rules: Rules): Refusal | undefined {
  if (addressFault(host) === undefined) return addressRefusal(host, rules)
  return (host.includes('*') ? unfit(dnsFault(host, { wildcard: rules.wildcards })) : undefined) ?? externalDomains(host, host, rules)
}

function onceEach(faults: readonly Refusal[]): Refusal[] {
  return [...new Map(faults.map((fault) => [`${fault.field} ${fault.says}`, fault])).values()].slice(0, 50)
}
