// A verification asked for in text or files, as people have them: each part may be PEM, hexadecimal, base64 or DER, several items
// one behind the other, with PKCS#7 files among them. What a part holds is told by its structure. Out comes the input of
// verifyCertificate, or for each part that cannot be read its name and a sentence.
import { parseCertificatesOnly } from '../cms/certificates-only.ts'
import { parseCrl, type ParsedCrl } from '../crl/parse.ts'
import { DerError } from '../der/reader.ts'
import { isOid } from '../der/writer.ts'
import { splitCertificateBytes, splitCertificateText, type CertificateTextItem, type CertificateTextKind } from '../pem/certificate-text.ts'
import { PemError } from '../pem/pem.ts'
import { parseCertificate, type Certificate } from '../x509/certificate.ts'
import { knowList } from './crl-scope.ts'
import { referenceName } from './names.ts'
import { isPurpose } from './purposes.ts'
import type { VerificationInput } from './verify.ts'

export type Source = string | Uint8Array

export interface VerificationTexts {
  /** the certificate in question first; more are taken for intermediates */
  leaf: readonly Source[]
  intermediates?: readonly Source[]
  roots: readonly Source[]
  crls?: readonly Source[]
  /** ISO 8601; the moment given beside when empty */
  time?: string
  purpose?: string
  /** a host, an IP address or an e-mail address */
  name?: string
  /** dotted identifiers; one of them is then required */
  policies?: readonly string[]
  requireRevocationLists?: boolean
}

export type TextField = 'leaf' | 'intermediates' | 'roots' | 'crls' | 'time' | 'purpose' | 'name' | 'policies'
export type TextFault = { field: TextField; says: string }

/** Of all parts together. */
export const MOST_CERTIFICATES = 1_000
export const MOST_LISTS = 100

/** Throws nothing for what the parts hold. */
export function readVerification(texts: VerificationTexts, now: Date): { input: VerificationInput } | { faults: TextFault[] } {
  const faults: TextFault[] = []
  const gathered = { certificates: 0, crls: [] as ParsedCrl[] }
  const read = (field: TextField, sources: readonly Source[] = []): Certificate[] => {
    try {
      return sources.flatMap((source) => certificatesIn(source, field, gathered))
    } catch (error) {
      if (!(error instanceof Unreadable || error instanceof PemError || error instanceof DerError)) throw error
      faults.push({ field, says: error.message })
      return []
    }
  }
  const [leaf, ...others] = read('leaf', texts.leaf)
  const intermediates = [...others, ...read('intermediates', texts.intermediates)]
  const roots = read('roots', texts.roots)
  read('crls', texts.crls)
  const failed = (field: TextField): boolean => faults.some((fault) => fault.field === field)
  if (leaf === undefined && !failed('leaf')) faults.push({ field: 'leaf', says: 'Give the certificate to verify' })
  if (roots.length === 0 && !failed('roots')) faults.push({ field: 'roots', says: 'Give at least one root to trust' })

  const at = texts.time === undefined || texts.time.trim() === '' ? now : timeOf(texts.time.trim())
  if (at === undefined) faults.push({ field: 'time', says: 'Give the time as 2026-03-01T09:30:00Z' })
  const purpose = texts.purpose ?? 'any'
  if (!isPurpose(purpose)) faults.push({ field: 'purpose', says: `"${purpose.slice(0, 80)}" is no purpose known here` })
  const named = texts.name?.trim() ?? ''
  const name = named === '' ? undefined : referenceName(named)
  if (named !== '' && name === undefined) faults.push({ field: 'name', says: 'Give a host name, an IP address or an e-mail address' })
  const policies = (texts.policies ?? []).map((policy) => policy.trim()).filter((policy) => policy !== '')
  const wrong = policies.find((policy) => !isOid(policy))
  if (wrong !== undefined)
    faults.push({ field: 'policies', says: `"${wrong.slice(0, 80)}" is no object identifier, such as 2.23.140.1.2.1` })

  if (leaf === undefined || at === undefined || !isPurpose(purpose) || faults.length > 0) return { faults }
  return {
    input: {
      leaf,
      intermediates,
      roots,
      crls: gathered.crls,
      at,
      purpose,
      name,
      requireRevocationLists: texts.requireRevocationLists ?? false,
      ...(policies.length === 0 ? {} : { initialPolicies: policies, requireExplicitPolicy: true }),
    },
  }
}

class Unreadable extends Error {}

const KIND_NAMES: { readonly [kind in CertificateTextKind]?: string } = {
  csr: 'a request',
  privateKey: 'a private key',
  publicKey: 'a public key',
}

/** Lists are welcome wherever certificates are, because they often travel together. */
function certificatesIn(source: Source, field: TextField, gathered: { certificates: number; crls: ParsedCrl[] }): Certificate[] {
  if (typeof source === 'string' && source.trim() === '') return []
  const items = typeof source === 'string' ? splitCertificateText(source) : splitCertificateBytes(source)
  return items.flatMap((item, at) => {
    try {
      return readItem(item, field, gathered)
    } catch (error) {
      if (!(error instanceof DerError)) throw error
      const place = [items.length > 1 ? `Item ${at + 1}` : '', error.path].filter((part) => part !== '').join(', ')
      throw new Unreadable(`${place === '' ? '' : `${place}: `}${error.fault} (byte ${error.offset})`)
    }
  })
}

function readItem(
  { kind, bytes }: CertificateTextItem,
  field: TextField,
  gathered: { certificates: number; crls: ParsedCrl[] },
): Certificate[] {
  const certificate = (der: Uint8Array): Certificate => {
    if ((gathered.certificates += 1) > MOST_CERTIFICATES) throw new Unreadable(`There are more than ${MOST_CERTIFICATES} certificates`)
    return parseCertificate(der)
  }
  const list = (der: Uint8Array): void => {
    if (gathered.crls.length >= MOST_LISTS) throw new Unreadable(`There are more than ${MOST_LISTS} revocation lists`)
    const crl = parseCrl(der)
    knowList(crl)
    gathered.crls.push(crl)
  }
  if (kind === 'crl') list(bytes)
  else if (kind === 'certificate' && field !== 'crls') return [certificate(bytes)]
  else if (kind === 'pkcs7') {
    const carried = parseCertificatesOnly(bytes)
    for (const each of carried.crls) list(each)
    return carried.certificates.map(certificate)
  } else
    throw new Unreadable(
      `There is ${kind === 'certificate' ? 'a certificate' : (KIND_NAMES[kind] ?? 'something')} where ${field === 'crls' ? 'revocation lists are' : 'certificates are'} expected`,
    )
  return []
}

/** A date alone is its first moment; a time without a zone is in UTC. */
function timeOf(text: string): Date | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))?(Z|[+-]\d\d:\d\d)?$/i.exec(text)
  if (match === null) return undefined
  const date = new Date(`${match[1]}T${match[2] ?? '00:00'}${(match[3] ?? 'Z').toUpperCase()}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
