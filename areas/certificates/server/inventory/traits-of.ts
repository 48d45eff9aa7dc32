// Finds out what kind of certificate one is (traits.ts): of one that is issued here from its request, of others from their bytes.

import type { Finding } from '#areas/templates/preview.ts'
import { keyKindOf } from '#areas/templates/requests.ts'
import { extendedUsages, type ExtendedUsageName } from '#areas/templates/rules.ts'
import { lintCertificate } from '#standards/lint/lint.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { parsePublicKey } from '#standards/x509/public-key.ts'
import { traitsNumber, type KeyName, type LintResult, type Source, type UsageName } from '../../traits.ts'
import type { RequestRecord } from '../store.ts'

const nameOfKey = (key: PublicKeyInfo): KeyName =>
  keyKindOf(key) ?? ((key.algorithm === 'RSA' || key.algorithm === 'RSASSA-PSS') && key.bits < 2048 ? 'weakRSA' : 'other')

const usagesByOid = new Map<string, UsageName>(
  (Object.keys(extendedUsages) as ExtendedUsageName[]).map((name) => [extendedUsages[name].oid, name]),
)

/** Those of the plan speak of the request, not of the certificate. */
const ofRequest = new Set(['csrDetailIgnored'])

const worst = (findings: readonly Pick<Finding, 'severity' | 'code'>[]): LintResult => {
  const ofCertificate = findings.filter(({ code }) => !ofRequest.has(code))
  return ofCertificate.some(({ severity }) => severity !== 'warn') ? 'errors' : ofCertificate.length > 0 ? 'warnings' : 'clean'
}

const sourceOf = ({ renews, plan }: Pick<RequestRecord, 'renews' | 'plan'>): Source =>
  renews !== null ? 'renewal' : plan.byRule === true ? 'rule' : 'requested'

type Asked = Pick<RequestRecord, 'renews' | 'plan' | 'findings' | 'public_key'>

/** Of one that is issued now: thousands a second, so that its bytes are not read once more. */
export const traitsOfRequest = (request: Asked): number =>
  traitsNumber({
    key: request.public_key === null ? 'other' : nameOfKey(parsePublicKey(request.public_key)),
    source: sourceOf(request),
    lint: worst(request.findings),
    usages: [
      ...request.plan.draft.extendedUsages,
      ...((request.plan.extensions.customUsages ?? []).length === 0 ? [] : (['other'] as const)),
    ],
  })

/** Of one that was issued here before its kind was kept. */
export const traitsOfIssued = (request: Asked | undefined, der: Uint8Array): number =>
  traitsOfParsed(
    parseCertificate(der),
    request === undefined ? 'requested' : sourceOf(request),
    request === undefined ? 'clean' : worst(request.findings),
  )

/** What nothing was checked of when it was issued is checked now. */
export const traitsOfExternal = (certificate: Certificate, source: Source, now: Date): number =>
  traitsOfParsed(certificate, source, worst(lintCertificate(certificate.encoded, { now })))

const traitsOfParsed = ({ publicKey, extensions }: Certificate, source: Source, lint: LintResult): number =>
  traitsNumber({
    key: nameOfKey(publicKey),
    source,
    lint,
    usages: (findExtension(extensions, 'extKeyUsage')?.purposes ?? []).map((oid) => usagesByOid.get(oid) ?? 'other'),
  })
