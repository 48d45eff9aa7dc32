// From a CSR's bytes to what a plan looks at, and from a plan to what a certificate is made of. For servers: rules.ts and plan.ts know no bytes.

import { openCsr, proveCsr, proveCsrBytes, type CsrOptions, type OpenedCsr, type ProvenCsr, type UnfitCsr } from '#areas/authorities/csr.ts'
import { fieldsOf, finish, take } from '#standards/der/fields.ts'
import { DerError, readDer } from '#standards/der/reader.ts'
import { readOctetString, readOid } from '#standards/der/values.ts'
import { bmpString } from '#standards/der/writer.ts'
import { TEMPLATE_REVISION, templateOid } from '#standards/wstep/template-oid.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import type { Csr } from '#standards/x509/csr.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { extensionOid } from '#standards/x509/extensions.ts'
import { hardwareModuleName, otherNameText, userPrincipalName, type GeneralName } from '#standards/x509/general-names.ts'
import { KEY_PURPOSES, keyPurposeName } from '#standards/x509/key-purposes.ts'
import { attributeKeyword, attributeRule, formatName, nameOf, parseDistinguishedName, type Name } from '#standards/x509/names.ts'
import { OIDS, describeOid, oidName } from '#standards/x509/oids.ts'
import type { PossessionStatement } from '#standards/x509/possession.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { describeKey } from '#standards/x509/public-key.ts'
import type { CertificateDraft, PlanFinding, RequestedDetails } from './plan.ts'
import { keyKinds, subjectFields, type KeyKindName, type SanFieldName } from './rules.ts'

export type ReadRequest = {
  csr: Csr
  details: RequestedDetails
  key: KeyKindName | undefined
  keyText: string
  findings: PlanFinding[]
  /** Of a key that cannot sign, and so not proven by the request: whoever issues must check the statement. */
  statement?: PossessionStatement
}

/** Tells what is wrong with a CSR that is refused. */
export type UnfitRequest = UnfitCsr

/** Reads one CSR as `openCsr` does, and proves it. */
export function readRequest(text: string, options: CsrOptions = {}): ReadRequest | UnfitRequest {
  const opened = openCsr(text, options)
  return 'faults' in opened ? opened : proveRequest(opened)
}

/** Proves what was opened, and reads what a plan looks at. */
export function proveRequest(opened: OpenedCsr): ReadRequest | UnfitRequest {
  const proven = proveCsr(opened)
  return 'faults' in proven ? proven : detailedRequest(proven)
}

/** Reads a CSR that was kept, in DER, and proves it again: what counts as weak may have changed. */
export function readStoredRequest(der: Uint8Array): ReadRequest | UnfitRequest {
  const proven = proveCsrBytes(der, { statements: true })
  return 'faults' in proven ? proven : detailedRequest(proven)
}

function detailedRequest({ csr, statement, warnings }: ProvenCsr): ReadRequest {
  return {
    csr,
    details: detailsOf(csr),
    key: keyKindOf(csr.publicKey),
    keyText: describeKey(csr.publicKey),
    findings: warnings.map(({ code, message }) => ({ severity: 'warn' as const, code, message, field: 'csr' })),
    ...(statement === undefined ? {} : { statement }),
  }
}

/** The row of the key table that a key is one of. */
export function keyKindOf(key: PublicKeyInfo): KeyKindName | undefined {
  const name = key.algorithm === 'RSA' ? `RSA-${key.bits}` : key.algorithm === 'EC' ? key.curve : key.algorithm
  return name !== undefined && Object.hasOwn(keyKinds, name) ? (name as KeyKindName) : undefined
}

function detailsOf(csr: Csr): RequestedDetails {
  const details = {
    subject: namesIn(csr.subject),
    nameFaults: stringFaults(csr.subject),
    sans: [],
    keyUsages: [],
    extendedUsages: [],
    certificateAuthority: false,
    otherExtensions: [],
  } as {
    -readonly [K in keyof RequestedDetails]-?: NonNullable<RequestedDetails[K]> extends readonly (infer T)[] ? T[] : RequestedDetails[K]
  }
  for (const extension of csr.requestedExtensions) {
    if (extension.type === 'subjectAltName') {
      const strange = extension.names.filter(isUnknownOtherName)
      details.nameFaults.push(...strange.map(unknownOtherNameFault))
      details.sans.push(...extension.names.filter((name) => !isUnknownOtherName(name)).map(requestedName))
    } else if (extension.type === 'keyUsage') details.keyUsages.push(...extension.usages)
    else if (extension.type === 'extKeyUsage') details.extendedUsages.push(...extension.purposes.map((oid) => keyPurposeName(oid) ?? oid))
    else if (extension.type === 'basicConstraints' && extension.cA) details.certificateAuthority = true
    else
      details.otherExtensions.push(
        extension.type === 'unknown' ? (oidName(extension.oid) ?? extension.oid) : (oidName(extensionOid(extension)) ?? extension.type),
      )
  }
  return details
}

/** RFC 5280 4.1.2.4 and appendix A: a DirectoryString, or the one type that the attribute has. What a Teletex or Universal string says, programs do not agree upon. */
const stringFaults = (name: Name): string[] =>
  name.flat().flatMap(({ type, stringType }) => {
    const only = attributeRule(type)?.stringType
    const right =
      only === undefined ? directoryStrings.has(stringType) : stringType === only || (only === 'ia5String' && stringType === 'utf8String')
    return right || (only === undefined && attributeRule(type) === undefined)
      ? []
      : [
          `The request's ${attributeKeyword(type)} has a string type that it may not have (${stringType === 'der' ? 'no text at all' : stringType})`,
        ]
  })
const directoryStrings: ReadonlySet<string> = new Set(['utf8String', 'printableString', 'bmpString'])

/** A subject attribute by attribute. Unknown ones keep their identifier, so that a template has no place for them. */
const namesIn = (name: Name) => name.flat().map(({ type, value }) => ({ field: attributeKeyword(type), value }))

/** What a certificate names, as a plan reads a CSR: who renews it may have these names again. */
export function namesOfCertificate(der: Uint8Array): Pick<RequestedDetails, 'subject' | 'sans'> {
  const { subject, extensions } = parseCertificate(der)
  return namesAsked(subject, extensions)
}

/** The same of a subject and extensions that come in another kind of request. */
export function namesAsked(subject: Name, extensions: readonly Extension[]): Pick<RequestedDetails, 'subject' | 'sans'> {
  const names = extensions.flatMap((extension) => (extension.type === 'subjectAltName' ? extension.names : []))
  return { subject: namesIn(subject), sans: names.filter((name) => !isUnknownOtherName(name)).map(requestedName) }
}

const sanFieldOf: Record<GeneralName['type'], SanFieldName> = {
  otherName: 'OTHER_NAME',
  rfc822Name: 'RFC822',
  dNSName: 'DNS',
  x400Address: 'X400_ADDRESS',
  ediPartyName: 'EDI_PARTY_NAME',
  uniformResourceIdentifier: 'URI',
  iPAddress: 'IP',
  registeredID: 'REGISTERED_ID',
  directoryName: 'DIRECTORY_NAME',
}

/** An otherName may be anything; only two kinds have a place in a template. An SmtpUTF8Mailbox (RFC 9598) looks like a principal name and is none. */
const isUnknownOtherName = (name: GeneralName): name is Extract<GeneralName, { type: 'otherName' }> =>
  name.type === 'otherName' && name.typeId !== OIDS.userPrincipalName && name.typeId !== OIDS.hardwareModuleName

const unknownOtherNameFault = ({ typeId }: Extract<GeneralName, { type: 'otherName' }>): string =>
  `The request has an alternative name of the form ${describeOid(typeId)}, which is no user principal name and has no place in a template`

function requestedName(name: GeneralName): { field: SanFieldName; value: string } {
  const field = sanFieldOf[name.type]
  if (name.type === 'otherName' && name.typeId === OIDS.hardwareModuleName)
    return { field: 'SAN_TYPE_HARDWARE_MODULE_NAME', value: hardwareModuleText(name.value) ?? name.typeId }
  if (name.type === 'otherName') return { field, value: otherNameText(name) ?? name.typeId }
  if (name.type === 'directoryName') return { field, value: formatName(name.name) }
  return { field, value: 'value' in name ? name.value : name.type }
}

/** `type:serial`, as a template writes it; undefined where the value is something else. */
function hardwareModuleText(value: Uint8Array): string | undefined {
  try {
    const fields = fieldsOf(readDer(value))
    const type = readOid(take(fields, 'hwType'))
    const serial = readOctetString(take(fields, 'hwSerialNum'))
    finish(fields)
    return `${type}:${Buffer.from(serial).toString('hex').toUpperCase()}`
  } catch (error) {
    if (error instanceof DerError) return undefined
    throw error
  }
}

/** The subject and the extensions of what a template and a request amount to; the authority adds its own (key identifiers and addresses). */
export function certificateParts(draft: CertificateDraft): { subject: Name; extensions: Extension[] } {
  // A name begins with what is most significant; the table of fields ends with it.
  const subject = nameOf(
    ...draft.subject
      .toSorted((a, b) => significance.indexOf(b.field) - significance.indexOf(a.field))
      .map(({ field, value }) => [field, value] as const),
  )
  const names = draft.sans.map(generalNameOf)
  const purposes = [...draft.extendedUsages.map((name) => KEY_PURPOSES[name]), ...(draft.customUsages ?? [])]
  const extensions: Extension[] = [
    { type: 'basicConstraints', critical: true, cA: false },
    { type: 'keyUsage', critical: true, usages: draft.keyUsages },
    // RFC 5280 4.2.1.6: critical where the subject is empty.
    ...(names.length > 0 ? [{ type: 'subjectAltName' as const, critical: subject.length === 0, names }] : []),
    // RFC 3161 2.3 wants a timestamp's purpose critical.
    ...(purposes.length > 0 ? [{ type: 'extKeyUsage' as const, critical: draft.extendedUsages.includes('timeStamping'), purposes }] : []),
    ...(draft.policies === undefined
      ? []
      : [{ type: 'certificatePolicies' as const, critical: false, policies: draft.policies.map(policyOf) }]),
    ...(draft.ocspNoCheck === true ? [{ type: 'ocspNoCheck' as const, critical: false }] : []),
    ...(draft.microsoftTemplateName === undefined
      ? []
      : [
          {
            type: 'unknown' as const,
            oid: OIDS.microsoftCertificateTemplateName,
            critical: false,
            value: bmpString(draft.microsoftTemplateName),
          },
        ]),
    ...(draft.microsoftTemplate === undefined ? [] : [windowsTemplate(draft.microsoftTemplate)]),
    ...(draft.securityIdentifier === undefined
      ? []
      : [{ type: 'microsoftSecurityIdentifier' as const, critical: false, sid: draft.securityIdentifier }]),
  ]
  return { subject, extensions }
}

/** As Windows writes it into its requests, and finds it in its certificates. */
export const windowsTemplate = (templateId: string): Extension => ({
  type: 'microsoftCertificateTemplate',
  critical: false,
  templateId: templateOid(templateId),
  majorVersion: TEMPLATE_REVISION.major,
  minorVersion: TEMPLATE_REVISION.minor,
})

const policyOf = ({ policyIdentifier, cps }: { policyIdentifier: string; cps: string }) => ({
  policyIdentifier,
  ...(cps === '' ? {} : { policyQualifiers: [{ type: 'cps' as const, uri: cps }] }),
})

const significance = Object.keys(subjectFields)

function generalNameOf({ sanField, value }: CertificateDraft['sans'][number]): GeneralName {
  switch (sanField) {
    case 'DNS':
      return { type: 'dNSName', value }
    case 'RFC822':
      return { type: 'rfc822Name', value }
    case 'IP':
      return { type: 'iPAddress', value }
    case 'URI':
      return { type: 'uniformResourceIdentifier', value }
    case 'OTHER_NAME':
      return userPrincipalName(value)
    case 'REGISTERED_ID':
      return { type: 'registeredID', value }
    case 'DIRECTORY_NAME':
      return { type: 'directoryName', name: parseDistinguishedName(value) }
    case 'SAN_TYPE_HARDWARE_MODULE_NAME': {
      const [type = '', serial = ''] = value.split(':')
      return hardwareModuleName(type, Buffer.from(serial, 'hex'))
    }
    default:
      throw new TypeError(`No template makes names of the form ${sanField}`)
  }
}
