// The inventory's row of a certificate, out of its request and its bytes.

import { hash } from 'node:crypto'
import type { Issuer } from '#areas/authorities/service.ts'
import { traitsOfRequest } from '../inventory/traits-of.ts'
import { unchanged, type CertificateRecord, type RequestPlan, type RequestRecord } from '../store.ts'

const commonNameIn = (draft: RequestPlan['draft']) => draft.subject.find(({ field }) => field === 'CN')?.value

/** What a certificate goes by: its common name, else the first of what else names its holder. */
export const nameOf = ({ plan: { draft } }: Pick<RequestRecord, 'plan'>, serialHex: string): string =>
  commonNameIn(draft) ?? draft.sans[0]?.value ?? draft.subject[0]?.value ?? serialHex

export type NewCertificate = {
  id: string
  serialHex: string
  der: Uint8Array
  holder: string
  validity: { notBefore: Date; notAfter: Date }
  now: Date
}

export function certificateRecordOf(
  request: RequestRecord,
  issuer: Issuer,
  { id, serialHex, der, holder, validity, now }: NewCertificate,
): CertificateRecord {
  const { draft, extensions } = request.plan
  const first = (field: string) => draft.sans.find(({ sanField }) => sanField === field)?.value
  const commonName = commonNameIn(draft)
  return {
    tenant_id: request.tenant_id,
    id,
    ca_id: issuer.caId,
    ca_name: issuer.friendlyName,
    serial_hex: serialHex,
    request_id: request.id,
    template_id: request.template_id,
    template_name: request.template_name,
    class: request.class,
    entity: request.entity,
    name: nameOf(request, serialHex),
    subject: request.subject,
    sans: draft.sans.map(({ value }) => value),
    email: first('RFC822') ?? draft.subject.find(({ field }) => field === 'emailAddress')?.value ?? '',
    holder_user_id: request.holder_user_id,
    holder,
    device_name: request.entity === 'device' ? (first('DNS') ?? commonName ?? '') : '',
    device_serial: draft.subject.find(({ field }) => field === 'serialNumber')?.value ?? '',
    requester_id: request.requester_id,
    requester: request.requester,
    friendly_name: request.friendly_name,
    contact_email: request.contact_email,
    renewal_mode: extensions.renewalMode,
    revocation_approvers: request.revocation_approvers,
    not_before: validity.notBefore,
    not_after: validity.notAfter,
    issued_at: now,
    revoked_at: null,
    revocation_reason: null,
    fingerprint_sha256: hash('sha256', der),
    certificate: Buffer.from(der),
    notices_sent: [],
    ...unchanged,
    traits: traitsOfRequest(request),
  }
}
