// From pasted text to trees of fields. It runs in a worker (workbench.ts) that is stopped when it takes too long.

import { proveCsrBytes } from '#areas/authorities/csr.ts'
import { keyKindOf } from '#areas/templates/requests.ts'
import { parseCsrRules, type Rules } from '#areas/templates/rules.ts'
import { DerError } from '#standards/der/reader.ts'
import { lintCertificate, lintCsr } from '#standards/lint/lint.ts'
import { splitCertificateText, type CertificateTextItem } from '#standards/pem/certificate-text.ts'
import { encodePem, PemError } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { parseCsr, type Csr } from '#standards/x509/csr.ts'
import { describeDer } from '#standards/x509/describe-der.ts'
import { describeMalformed, outlineOf } from '#standards/x509/describe-malformed.ts'
import { describe, describePublicKey } from '#standards/x509/describe.ts'
import { visible, type DescribedField } from '#standards/x509/described-field.ts'
import { generalNameText } from '#standards/x509/general-names.ts'
import { commonNameOf, formatName, type Name } from '#standards/x509/names.ts'
import { describeKey, parsePublicKey } from '#standards/x509/public-key.ts'
import { checkRequestRules, deepestField, kindNames, longestValue, mostFields, mostItems, type DecodedKind } from '../rules.ts'
import { describeCms } from './describe-cms.ts'
import { describeCrl } from './describe-crl.ts'
import { certificatesOfResponse, describeOcspRequest, describeOcspResponse } from './describe-ocsp.ts'
import { describePkcs12, openedPkcs12 } from './describe-pkcs12.ts'
import { kindOfItem } from './kinds.ts'

export type Finding = { severity: 'warn' | 'error' | 'fatal'; code: string; field: string; message: string }
export type Item = {
  kind: DecodedKind
  title: string
  bytes: number
  decoded: boolean
  fault?: { says: string; offset?: number; path?: string }
  fields: DescribedField[]
  structure: DescribedField[]
  findings: Finding[]
  rulesChecked: boolean
  pem?: string
}
export type Decoded = { items: Item[]; omitted: number } | { unreadable: string }

type Reading = { title: string; fields: DescribedField[]; findings?: Finding[]; rulesChecked?: boolean; pemLabel?: string }

/** Never throws for what came in. */
export async function decodeText({
  text,
  rules: rulesText,
  password = '',
}: {
  text: string
  rules: string
  password?: string
}): Promise<Decoded> {
  const rules = parseCsrRules(rulesText)
  const asked: Asked = { rules, rulesUnreadable: rulesText.trim() !== '' && rules === undefined, password }
  let found: CertificateTextItem[]
  try {
    found = splitCertificateText(text)
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError) return { unreadable: error.message }
    throw error
  }
  const shown = found.slice(0, mostItems)
  const budget = Math.max(50, Math.floor(mostFields / shown.length / 2))
  const items: Item[] = []
  for (const item of shown) items.push(await decodeItem(item, asked, budget))
  return { items, omitted: found.length - shown.length }
}

/** Of these not even the bytes are shown. */
const holdsKeys: readonly DecodedKind[] = ['privateKey', 'pkcs12']

async function decodeItem(found: CertificateTextItem, asked: Asked, budget: number): Promise<Item> {
  const { bytes } = found
  const kind = kindOfItem(found)
  const item: Item = {
    kind,
    title: kindNames[kind],
    bytes: bytes.length,
    decoded: false,
    fields: [],
    structure: [],
    findings: [],
    rulesChecked: false,
  }
  if (!holdsKeys.includes(kind)) item.structure = structureOf(bytes, budget)
  try {
    const { title, fields, findings = [], rulesChecked = false, pemLabel } = await readers[kind](bytes, asked)
    const left = { fields: budget }
    return {
      ...item,
      title: visible(title).slice(0, 500),
      decoded: true,
      fields: fields.map((field) => bounded(field, left)),
      findings: findings.slice(0, 200),
      rulesChecked,
      ...(pemLabel === undefined ? {} : { pem: encodePem(pemLabel, bytes) }),
    }
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    const fault = { says: error.fault, offset: error.offset, ...(error.path === '' ? {} : { path: error.path }) }
    const malformed = outlineOf(bytes) === kind ? describeMalformed(bytes) : undefined
    if (malformed === undefined) return { ...item, fault }
    return {
      ...item,
      fault,
      fields: [bounded(malformed.field, { fields: budget })],
      // What is wrong with no single field is wrong with the whole, such as two algorithms that differ.
      findings: (malformed.faults.length > 0 ? malformed.faults : [{ field: error.path, message: `${error.fault}.` }])
        .slice(0, 200)
        .map(({ field, message }) => ({ severity: 'fatal' as const, code: 'f_structure', field, message: visible(message) })),
    }
  }
}

type Asked = {
  rules: Rules | undefined
  /** There is text where rules should be. */ rulesUnreadable: boolean
  /** Of PKCS#12 files; none where it is empty. */ password: string
}

const readers: Record<DecodedKind, (bytes: Uint8Array, asked: Asked) => Reading | Promise<Reading>> = {
  certificate(bytes) {
    const certificate = parseCertificate(bytes)
    return {
      title: titleOf(certificate.subject),
      fields: [describe(certificate)],
      findings: lintCertificate(bytes).map(presentFinding),
      pemLabel: 'CERTIFICATE',
    }
  },
  csr(bytes, { rules, rulesUnreadable }) {
    const csr = parseCsr(bytes)
    const findings = [
      ...lintCsr(bytes)
        .filter(({ code }) => !foundByProof.has(code))
        .map(presentFinding),
      ...refusalsOf(bytes),
    ]
    if (rules !== undefined)
      findings.push(
        ...checkRequestRules({ key: keyKindOf(csr.publicKey), keyText: describeKey(csr.publicKey), names: namesAskedBy(csr) }, rules),
      )
    if (rulesUnreadable)
      findings.push({
        severity: 'warn',
        code: 'rules_unreadable',
        field: 'csrRules',
        message: say`The rules are not the JSON of a template’s rules, and were not looked at`,
      })
    return {
      title: titleOf(csr.subject),
      fields: [describe(csr)],
      findings,
      rulesChecked: rules !== undefined,
      pemLabel: 'CERTIFICATE REQUEST',
    }
  },
  crl(bytes) {
    const { title, field, findings } = describeCrl(bytes)
    return { title, fields: [field], findings: findings.map(presentFinding), pemLabel: 'X509 CRL' }
  },
  pkcs7(bytes) {
    const { title, label, fields, certificates, crls, faults } = describeCms(bytes)
    const children = [
      ...fields,
      ...(certificates.length === 0
        ? []
        : [
            {
              label: 'certificates',
              note: `${certificates.length}`,
              children: certificates.map((certificate) =>
                describeOrFault(certificate, 'Certificate', (der) => describe(parseCertificate(der))),
              ),
            },
          ]),
      ...(crls.length === 0
        ? []
        : [
            {
              label: 'crls',
              note: `${crls.length}`,
              children: crls.map((crl) => describeOrFault(crl, 'CertificateList', (der) => describeCrl(der).field)),
            },
          ]),
    ]
    const findings = faults.map((message): Finding => ({ severity: 'error', code: 'e_cms_signature', field: 'signerInfos', message }))
    return { title, fields: [{ label, children }], findings, pemLabel: 'PKCS7' }
  },
  async pkcs12(bytes, { password }) {
    const { title, field } = describePkcs12(bytes)
    if (password === '') return { title, fields: [field] }
    const opened = await openedPkcs12(bytes, password)
    if ('refused' in opened)
      return { title, fields: [field], findings: [{ severity: 'error', code: 'e_pkcs12', field: 'password', message: opened.refused }] }
    return { title, fields: [opened.field, field] }
  },
  ocspRequest(bytes) {
    const { title, field } = describeOcspRequest(bytes)
    return { title, fields: [field], pemLabel: 'OCSP REQUEST' }
  },
  ocspResponse(bytes) {
    const { title, field } = describeOcspResponse(bytes)
    const certificates = certificatesOfResponse(bytes).map((certificate) =>
      describeOrFault(certificate, 'Certificate', (der) => describe(parseCertificate(der))),
    )
    return { title, fields: [field, ...certificates], pemLabel: 'OCSP RESPONSE' }
  },
  publicKey(bytes) {
    const key = parsePublicKey(bytes)
    return { title: describeKey(key), fields: [describePublicKey('SubjectPublicKeyInfo', key)], pemLabel: 'PUBLIC KEY' }
  },
  privateKey() {
    throw new DerError('This is a private key. It is not shown. Whoever has seen it can use it: keep it secret', 0)
  },
  unknown(bytes) {
    return { title: kindNames.unknown, fields: [describeDer(bytes)] }
  },
}

const titleOf = (name: Name): string => commonNameOf(name) ?? (name.length === 0 ? 'Without a subject' : formatName(name))

const presentFinding = ({ severity, code, field, message }: Finding): Finding => ({ severity, code, field, message })

/** Lint finds these in a request, too; what proves it says more of them, and the same as where a certificate is asked for. */
const foundByProof: ReadonlySet<string> = new Set(['e_request_signature', 'e_key_weak'])

/** Looks at a request as every door does that takes one. A finding stands beside the part of the request that it is about. */
function refusalsOf(bytes: Uint8Array): Finding[] {
  const read = proveCsrBytes(bytes)
  if (!('faults' in read)) return []
  return read.faults.map(({ code, severity, says }) => ({
    severity,
    code,
    field: code === 'possessionUnproven' ? 'signature' : code === 'csrTooLong' ? 'attributes' : 'subjectPKInfo',
    message: says,
  }))
}

/** The names that a request asks for: its common name and its subjectAltNames, each once. */
function namesAskedBy(csr: Csr): { type: 'dns' | 'other'; value: string }[] {
  const names = csr.requestedExtensions.flatMap((extension) => (extension.type === 'subjectAltName' ? extension.names : []))
  return names.map((name) =>
    name.type === 'dNSName' ? { type: 'dns', value: name.value } : { type: 'other', value: generalNameText(name, formatName) },
  )
}

function structureOf(bytes: Uint8Array, budget: number): DescribedField[] {
  try {
    return [bounded(describeDer(bytes, budget), { fields: budget })]
  } catch (error) {
    if (error instanceof DerError) return []
    throw error
  }
}

function describeOrFault(der: Uint8Array, label: string, read: (der: Uint8Array) => DescribedField): DescribedField {
  try {
    return read(der)
  } catch (error) {
    if (error instanceof DerError) return { label, note: error.message }
    throw error
  }
}

/** At most so many fields, none of them endless or endlessly deep. */
function bounded(field: DescribedField, left: { fields: number }, depth = 1): DescribedField {
  left.fields -= 1
  const { children, value } = field
  const short = value !== undefined && value.length > longestValue ? `${value.slice(0, longestValue)}...` : value
  const { children: _children, value: _value, ...rest } = field
  if (children === undefined) return { ...rest, ...(short === undefined ? {} : { value: short }) }
  const listed: DescribedField[] = []
  for (const child of children) {
    if (left.fields <= 0) {
      listed.push({ label: '...', note: 'The rest is left out.' })
      break
    }
    if (depth >= deepestField) {
      listed.push({ label: '...', note: 'What is nested deeper is left out.' })
      break
    }
    listed.push(bounded(child, left, depth + 1))
  }
  return { ...rest, ...(short === undefined ? {} : { value: short }), children: listed }
}
