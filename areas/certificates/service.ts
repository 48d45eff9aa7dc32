// What rooms above ask of the certificates: one by its address, its revocation in their own transaction, and how many there are.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { certificateStatus, lifetimeOf, readReference, type CertificateReference, type CertificateStatus } from './rules.ts'
import {
  certificateById,
  certificateBySerial,
  certificatesById,
  changeCertificates,
  revokeCertificates,
} from './server/inventory/certificate-store.ts'
import { knownByFingerprint } from './server/inventory/certificate-store.ts'
import { certificatesNamed, type InventoryFilter } from './server/inventory/inventory-store.ts'
import { countCertificates as countIn } from './server/inventory/listing.ts'
import { recordCompromises } from './server/inventory/refused-keys.ts'
import type { CertificateRecord } from './server/store.ts'

export { countsToRevoke, renewalFacts, revocationFacts, selectCertificates } from './server/inventory/chosen-store.ts'
export type { InventoryFilter } from './server/inventory/inventory-store.ts'
export { knownByFingerprint } from './server/inventory/certificate-store.ts'
export { insertExternal } from './server/inventory/external.ts'
export { signerOf } from './server/inventory/issuer-chain.ts'
export { countByAuthority as countsByAuthority, countByStatus } from './server/inventory/count-store.ts'
export { pathFor } from './server/requests/notices.ts'
export { siblingsElsewhere, siblingsOf } from './server/inventory/siblings.ts'
export { reportOn } from './server/inventory/report-store.ts'

export type Certificate = {
  id: string
  /** Undefined for a certificate of an authority that is not ours. */
  caId: string | undefined
  caName: string
  serialHex: string
  subject: string
  name: string
  templateId: string | undefined
  templateName: string
  requestId: string | undefined
  requesterId: string | undefined
  holderUserId: string | undefined
  validFrom: Date
  validTo: Date
  status: CertificateStatus
  revoked: { reason: RevocationReason; at: Date } | undefined
  /** How many others must agree to its revocation, as the template said when it was issued. */
  revocationApprovers: number
  /** DER. */
  certificate: Uint8Array
}

const presentCertificate = (record: CertificateRecord, now: Date): Certificate => ({
  id: record.id,
  caId: record.ca_id ?? undefined,
  caName: record.ca_name,
  serialHex: record.serial_hex,
  subject: record.subject,
  name: record.name,
  templateId: record.template_id ?? undefined,
  templateName: record.template_name,
  requestId: record.request_id ?? undefined,
  requesterId: record.requester_id ?? undefined,
  holderUserId: record.holder_user_id ?? undefined,
  validFrom: record.not_before,
  validTo: record.not_after,
  status: certificateStatus(lifetimeOf(record), now),
  revoked:
    record.revoked_at === null || record.revocation_reason === null
      ? undefined
      : { reason: record.revocation_reason, at: record.revoked_at },
  revocationApprovers: record.revocation_approvers,
  certificate: record.certificate,
})

/** By our id, by `{caId}:{serial}`, by authority and serial, or by a serial that is unique. Undefined for a missing one and for another tenancy's alike. */
export async function findCertificate(
  db: Database,
  tenantId: string,
  reference: CertificateReference,
  now: Date,
): Promise<Certificate | undefined> {
  const record = await findRecord(db, tenantId, reference)
  return record && presentCertificate(record, now)
}

export async function findRecord(db: Database, tenantId: string, reference: CertificateReference): Promise<CertificateRecord | undefined> {
  const read = readReference(reference)
  if (read === undefined) return undefined
  return 'id' in read ? certificateById(db, tenantId, read.id) : certificateBySerial(db, tenantId, read.caId, read.serialHex)
}

/** The inventory's side of revocations, in their own transaction; a compromised key is remembered for good. What was on hold is revoked since then. Answers how many certificates there were. */
export async function setAllRevoked(
  db: Database,
  tenantId: string,
  certificateIds: readonly string[],
  { reason, at }: { reason: RevocationReason; at: Date },
): Promise<number> {
  const changed = await revokeCertificates(db, tenantId, certificateIds, { reason, at })
  if (reason === 'keyCompromise') await recordCompromises(db, tenantId, await certificatesById(db, tenantId, certificateIds), at)
  return changed
}

/** Says of a certificate of another issuer that a new one has come in its place: its end concerns nobody any more. */
export const markExternalReplaced = async (db: Database, tenantId: string, certificateId: string, at: Date): Promise<void> =>
  void (await changeCertificates(db, tenantId, [certificateId], { replaced_at: at }))

/** The inventory's side of the end of a hold. */
export const setReleased = async (db: Database, tenantId: string, certificateId: string): Promise<void> =>
  void (await changeCertificates(db, tenantId, [certificateId], { revoked_at: null, revocation_reason: null }))

/** At most so many of one device are shown. */
const mostOfDevice = 200

/** The certificates in the name of a device, or with its serial number in the subject, the last to end first. */
export async function certificatesOfDevice(
  { db, tenantId, now }: Tenancy,
  { names, serial }: { names: readonly string[]; serial: string },
): Promise<Certificate[]> {
  const found = new Map<string, Certificate>()
  for (const text of [...names, serial].filter((one) => one !== ''))
    for (const record of await certificatesNamed(db, tenantId, text, mostOfDevice, now))
      if (names.includes(record.device_name.toLowerCase()) || (serial !== '' && record.device_serial.toUpperCase() === serial))
        found.set(record.id, presentCertificate(record, now))
  return [...found.values()]
}

/** Those of these SHA-256 that there are, by it. */
export async function certificatesByFingerprint(
  { db, tenantId, now }: Tenancy,
  fingerprints: readonly string[],
): Promise<Map<string, Certificate>> {
  const ids = await knownByFingerprint(db, tenantId, [...new Set(fingerprints)])
  const certificates = await findCertificates(
    db,
    tenantId,
    [...ids.values()].map(({ id }) => id),
    now,
  )
  return new Map(
    [...ids].flatMap(([fingerprint, { id }]) => {
      const certificate = certificates.get(id)
      return certificate === undefined ? [] : [[fingerprint, certificate] as const]
    }),
  )
}

/** Those of these ids that there are, by id. */
export const findCertificates = async (
  db: Database,
  tenantId: string,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, Certificate>> =>
  new Map((await certificatesById(db, tenantId, ids)).map((record) => [record.id, presentCertificate(record, now)]))

/** The approval that a certificate's revocation needs. */
export const revocationRuleOf = ({ revocationApprovers }: Pick<Certificate, 'revocationApprovers'>) => ({
  needed: revocationApprovers,
  permission: 'certRevokeView',
})

/** How many certificates match, by a text or a stretch of time counted up to 10,001: for the pictures of the home page, whose links lead to lists of the same filter. */
export const countCertificates = (db: Database, tenantId: string, filter: Partial<InventoryFilter>, now: Date): Promise<number> =>
  countIn(db, tenantId, { text: '', ...filter }, now)

export { findPlace as findRequestPlace } from './server/requests/work.ts'
