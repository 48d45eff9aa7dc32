// A certificate revocation list as a tree of plain text, as standards/x509/describe.ts does it for certificates.

import { parseCrl, type ParsedCrl } from '#standards/crl/parse.ts'
import { hexOf } from '#standards/der/values.ts'
import type { LintFinding } from '#standards/lint/finding.ts'
import { lintCrl } from '#standards/lint/lint-crl.ts'
import { describeAlgorithm } from '#standards/x509/algorithms.ts'
import { describeExtension } from '#standards/x509/describe-extension.ts'
import { describeName, type DescribedField } from '#standards/x509/described-field.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { extensionOid } from '#standards/x509/extensions.ts'
import { formatName } from '#standards/x509/names.ts'
import { describeOid, oidName } from '#standards/x509/oids.ts'

const entriesShown = 500

/** Throws DerError. */
export function describeCrl(der: Uint8Array): { title: string; field: DescribedField; findings: LintFinding[] } {
  const crl = parseCrl(der)
  const time = (date: Date) => date.toISOString().replace('.000', '')
  const children: DescribedField[] = [
    { label: 'version', value: `v${crl.version}` },
    { label: 'signature', value: describeAlgorithm(crl.signatureAlgorithm) },
    describeName('issuer', crl.issuer),
    { label: 'thisUpdate', value: time(crl.thisUpdate) },
    ...(crl.nextUpdate === undefined ? [] : [{ label: 'nextUpdate', value: time(crl.nextUpdate) }]),
    describeEntries(crl, time),
    ...(crl.extensions.length === 0
      ? []
      : [{ label: 'crlExtensions', children: crl.extensions.map((extension) => describeListExtension(extension, crl)) }]),
  ]
  return {
    title: `${formatName(crl.issuer)}${crl.crlNumber === undefined ? '' : `, number ${crl.crlNumber}`}`,
    findings: lintCrl(crl),
    field: {
      label: 'CertificateList',
      children: [
        { label: 'tbsCertList', children },
        { label: 'signatureAlgorithm', value: describeAlgorithm(crl.signatureAlgorithm) },
        { label: 'signatureValue', value: hexOf(crl.signature) },
      ],
    },
  }
}

function describeEntries(crl: ParsedCrl, time: (date: Date) => string): DescribedField {
  const shown: DescribedField[] = []
  for (const { serialNumber, negative, revocationDate, reason, invalidityDate } of crl.entries()) {
    if (shown.length === entriesShown) {
      shown.push({ label: '...', note: `${crl.entryCount - entriesShown} more entries are left out.` })
      break
    }
    shown.push({
      label: 'userCertificate',
      value: hexOf(serialNumber),
      ...(negative ? { note: 'a negative number, as it stands' } : {}),
      children: [
        { label: 'revocationDate', value: time(revocationDate) },
        { label: 'reasonCode', value: reason },
        ...(invalidityDate === undefined ? [] : [{ label: 'invalidityDate', value: time(invalidityDate) }]),
      ],
    })
  }
  const note = crl.entryCount === 1 ? '1 entry' : `${crl.entryCount} entries`
  return { label: 'revokedCertificates', note, ...(shown.length === 0 ? {} : { children: shown }) }
}

function describeListExtension(extension: Extension, crl: ParsedCrl): DescribedField {
  const oid = extensionOid(extension)
  const known = knownExtensions[oidName(oid) ?? '']?.(crl)
  return known === undefined
    ? describeExtension(extension)
    : { label: describeOid(oid), ...(extension.critical ? { note: 'critical' } : {}), ...known }
}

const knownExtensions: { readonly [label: string]: (crl: ParsedCrl) => Pick<DescribedField, 'value' | 'children'> | undefined } = {
  cRLNumber: ({ crlNumber }) => (crlNumber === undefined ? undefined : { value: String(crlNumber) }),
  deltaCRLIndicator: ({ deltaBase }) => (deltaBase === undefined ? undefined : { value: String(deltaBase) }),
  authorityKeyIdentifier: ({ authorityKeyIdentifier }) =>
    authorityKeyIdentifier === undefined ? undefined : { children: [{ label: 'keyIdentifier', value: hexOf(authorityKeyIdentifier) }] },
  issuingDistributionPoint: ({ issuingDistributionPoint: point }) =>
    point && {
      children: [
        ...point.uris.map((value) => ({ label: 'uniformResourceIdentifier', value })),
        { label: 'onlyContainsUserCerts', value: String(point.onlyContainsUserCerts) },
        { label: 'onlyContainsCACerts', value: String(point.onlyContainsCaCerts) },
        { label: 'indirectCRL', value: String(point.indirectCrl) },
      ],
    },
}
