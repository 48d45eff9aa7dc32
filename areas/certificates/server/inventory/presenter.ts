// What leaves the server, field by field: rows of lists, and the specification's certificate details.

import type * as z from 'zod'
import type { Issuer } from '#areas/authorities/service.ts'
import type { Planned } from '#areas/templates/preview.ts'
import { extendedUsages, usageLabel } from '#areas/templates/rules.ts'
import type { Database } from '#core/server/database.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { parseCsr } from '#standards/x509/csr.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { certificateStatus, lifetimeOf, requestStatus } from '../../rules.ts'
import type { CertificateDetails, CertificateRow, RequestRow } from '../../shapes.ts'
import { readTraits } from '../../traits.ts'
import type { CertificateRecord, RequestRecord } from '../store.ts'
import { endedAmong } from './certificate-store.ts'
import type { ListRow } from './inventory-store.ts'

export const presentRow = (record: ListRow, now: Date): z.input<typeof CertificateRow> => ({
  certificateId: record.id,
  ...(record.ca_id === null ? {} : { caId: record.ca_id }),
  caName: record.ca_name,
  serialNumber: record.serial_hex,
  name: record.name,
  subject: record.subject,
  sans: record.sans,
  email: record.email,
  ...(record.template_id === null ? {} : { templateId: record.template_id }),
  templateName: record.template_name,
  class: record.class,
  status: certificateStatus(lifetimeOf(record), now),
  onHold: record.revoked_at !== null && isHold(record.revocation_reason),
  ...(record.revocation_reason === null ? {} : { revocationReason: record.revocation_reason }),
  ...(record.renewed_by === null ? {} : { renewedBy: record.renewed_by }),
  replaced: record.replaced_at !== null,
  holder: record.holder !== '' ? record.holder : record.device_name,
  owner: record.owner,
  ...(record.owner_user_id === null ? {} : { ownerId: record.owner_user_id }),
  tags: record.tags,
  ...presentTraits(record.traits),
  notBefore: record.not_before.toISOString(),
  notAfter: record.not_after.toISOString(),
  issuedAt: record.issued_at.toISOString(),
})

function presentTraits(traits: number) {
  const read = readTraits(traits)
  return read === undefined ? {} : { traits: read }
}

type VoteState = { approvals: number; needed: number; mayVote: boolean }

/** Rows of requests, each with how far its approval is and whether its certificate was taken back. */
export async function presentRequests(
  db: Database,
  tenantId: string,
  requests: readonly RequestRecord[],
  approvals: ReadonlyMap<string, VoteState>,
): Promise<z.input<typeof RequestRow>[]> {
  const ended = await endedAmong(
    db,
    tenantId,
    requests.flatMap(({ certificate_id }) => certificate_id ?? []),
  )
  return requests
    .map((request) => ({ request, end: ended.get(request.certificate_id ?? '') }))
    .map(({ request, end }) => ({
      requestId: request.id,
      status: requestStatus(request.stage, end?.revoked !== undefined, request.serial_hex === null),
      onHold: isHold(end?.revoked),
      ...(request.stage === 'withdrawn' ? { withdrawn: true } : {}),
      renewed: end?.renewed === true,
      ...(request.renews === null ? {} : { renews: request.renews }),
      templateName: request.template_name,
      caId: request.ca_id,
      caName: request.ca_name,
      class: request.class,
      entity: request.entity,
      subject: request.subject,
      requesterId: request.requester_id,
      requester: request.requester,
      ...(request.plan.byRule === true && request.comment !== '' ? { askedBy: request.comment } : {}),
      createdAt: request.created_at.toISOString(),
      updatedAt: request.updated_at.toISOString(),
      approvals: approvals.get(request.id)?.approvals ?? 0,
      needed: approvals.get(request.id)?.needed ?? request.approvers_needed,
      ...(request.certificate_id === null ? {} : { certificateId: request.certificate_id }),
      ...(request.stage !== 'issued' || request.serial_hex === null ? {} : { serialNumber: request.serial_hex }),
    }))
}

export const presentPlan = ({ notBefore, notAfter, ...planned }: Planned) => ({
  ...planned,
  notBefore: notBefore.toISOString(),
  notAfter: notAfter.toISOString(),
})

/** The usages and addresses inside a certificate. */
export function insideOf(der: Uint8Array) {
  const parsed = parseCertificate(der)
  const points = findExtension(parsed.extensions, 'cRLDistributionPoints')?.distributionPoints ?? []
  const access = findExtension(parsed.extensions, 'authorityInfoAccess')?.descriptions ?? []
  const purposes = findExtension(parsed.extensions, 'extKeyUsage')?.purposes ?? []
  const uriOf = (name: { type: string; value?: unknown } | undefined) =>
    name?.type === 'uniformResourceIdentifier' && typeof name.value === 'string' ? name.value : ''
  return {
    parsed,
    keyUsages: [...(findExtension(parsed.extensions, 'keyUsage')?.usages ?? [])],
    purposes,
    purposeNames: purposes.map(usageLabel),
    crl: uriOf(points[0]?.fullName?.[0]),
    ocsp: uriOf(access.find(({ accessMethod }) => accessMethod === OIDS.ocsp)?.accessLocation),
  }
}

/** The request as PEM; none where a challenge stands in it, which is a password that still opens a door. */
export function shownCsr(csr: Uint8Array | null): string {
  if (csr === null || parseCsr(csr).attributes.some(({ type }) => type === OIDS.challengePassword)) return ''
  return encodePem('CERTIFICATE REQUEST', csr)
}

/** The specification's collect view of a request: every name is there, empty where nothing is known yet. */
export function detailsOf(
  request: RequestRecord,
  certificate: CertificateRecord | undefined,
  issuer: Issuer | undefined,
): Omit<z.input<typeof CertificateDetails>, 'votes' | 'withdrawable' | 'steps'> {
  const inside = certificate === undefined ? undefined : insideOf(certificate.certificate)
  const external = certificate?.ca_id === null
  const email = request.plan.draft.sans.find(({ sanField }) => sanField === 'RFC822')?.value ?? ''
  const pem = certificate === undefined ? '' : encodePem('CERTIFICATE', certificate.certificate)
  return {
    csr: shownCsr(request.csr),
    caName: external ? certificate.ca_name : request.ca_name,
    template: request.template_name,
    certificate: pem,
    serialNumber: certificate?.serial_hex ?? '',
    status: requestStatus(request.stage, certificate?.revoked_at != null, external),
    friendly_name: request.friendly_name,
    server: request.entity === 'device' ? (certificate?.device_name ?? request.plan.draft.sans[0]?.value ?? '') : '',
    function: request.entity,
    vendor: 'Chancery',
    created_at: request.created_at.toISOString(),
    updated_at: request.updated_at.toISOString(),
    ca_id: request.ca_id,
    ca_owner: request.tenant_id,
    name: certificate?.name ?? request.subject,
    ca_certificate: issuer === undefined || external ? '' : encodePem('CERTIFICATE', issuer.certificate),
    crl_location: inside?.crl ?? issuer?.addresses.crl ?? '',
    ocsp_enabled: (inside?.ocsp ?? issuer?.addresses.ocsp ?? '') !== '',
    certificate_logon_ca: request.plan.draft.extendedUsages.includes('microsoftSmartcardLogon'),
    tenant_id: request.tenant_id,
    csr_id: request.csr === null ? '' : request.id,
    class: request.class,
    email,
    device_id: certificate?.device_name ?? '',
    subject: request.subject,
    version: inside === undefined ? '' : String(inside.parsed.version),
    valid_from: certificate?.not_before.toISOString() ?? '',
    valid_to: certificate?.not_after.toISOString() ?? '',
    template_id: request.template_id,
    key_usage: inside?.keyUsages ?? request.plan.draft.keyUsages,
    eku: inside?.purposeNames ?? request.plan.draft.extendedUsages.map((name) => extendedUsages[name].label),
    signature_algorithm: inside?.parsed.signatureAlgorithm ?? '',
    cert_base64: certificate?.certificate.toString('base64') ?? '',
    contact_email: request.contact_email,
    revocation_reason: certificate?.revocation_reason ?? '',
    revocation_date: certificate?.revoked_at?.toISOString() ?? '',
    eku_oid: inside?.purposes ?? request.plan.draft.extendedUsages.map((name) => extendedUsages[name].oid),
    card_serial: '',
    request_id: request.id,
    certificate_id: certificate?.id ?? '',
    error: request.stage === 'withdrawn' ? '' : request.error,
    ...(request.stage === 'withdrawn' ? { withdrawn: true } : {}),
  }
}
