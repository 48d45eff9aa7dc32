// Certificates that others issued, kept beside ours so that their end is not forgotten. They have no authority here, no request and no
// template; nobody here revokes or renews them.

import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { generalNameText } from '#standards/x509/general-names.ts'
import { attributeValues, commonNameOf, escapeControls, formatName } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { CertificateRecord } from '../store.ts'
import { insertCertificates, knownByFingerprint } from './certificate-store.ts'
import { holdForeign, insertForeignKeys } from './key-store.ts'

/** `uploader`: who answers for it. `holder`: whose it is, where that is known. */
export type ForeignDetails = {
  uploader: { userId: string; username: string }
  friendlyName: string
  contactEmail: string
  holder?: { userId: string; name: string }
}

/** Adds those that are not there yet. Two uploads at once keep each certificate once: the later one waits, and then finds it. */
export async function insertForeign(
  db: Database,
  tenantId: string,
  certificates: readonly Certificate[],
  details: ForeignDetails,
  now: Date,
): Promise<CertificateRecord[]> {
  await holdForeign(db, tenantId)
  const known = await knownByFingerprint(
    db,
    tenantId,
    certificates.map((certificate) => fingerprint(certificate)),
  )
  const fresh = new Map(certificates.map((certificate) => [fingerprint(certificate), certificate]))
  const records = [...fresh]
    .filter(([sha256]) => !known.has(sha256))
    .map(([sha256, certificate]) => recordOf(tenantId, certificate, sha256, details, now))
  await insertCertificates(db, records)
  await insertForeignKeys(
    db,
    tenantId,
    records.map(({ id, certificate }) => ({ certificateId: id, publicKey: Buffer.from(parseCertificate(certificate).publicKey.spki) })),
  )
  return records
}

/** More characters of a name no list shows, and its index takes no more than 2,700 bytes. The subject is kept whole. */
const longestName = 300
const listName = (name: string): string => {
  const text = escapeControls(name)
  return text.length <= longestName ? text : `${text.slice(0, longestName - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The first that shows: a name may be made of blanks, or of what no eye sees. */
const firstShown = (names: readonly (string | undefined)[], otherwise: string): string =>
  names.find((name) => name !== undefined && /[^\s\p{Cf}]/u.test(name)) ?? otherwise

function recordOf(
  tenantId: string,
  certificate: Certificate,
  sha256: string,
  { uploader, friendlyName, contactEmail, holder }: ForeignDetails,
  now: Date,
): CertificateRecord {
  const names = findExtension(certificate.extensions, 'subjectAltName')?.names ?? []
  const textOf = (name: (typeof names)[number]) => escapeControls(generalNameText(name, formatName))
  const first = (type: (typeof names)[number]['type']) => names.filter((name) => name.type === type).map(textOf)[0]
  const email = first('rfc822Name') ?? attributeValues(certificate.subject, OIDS.emailAddress).map(escapeControls)[0] ?? ''
  const dns = first('dNSName')
  const sans = names.map(textOf)
  const subject = formatName(certificate.subject)
  const issuer = formatName(certificate.issuer)
  return {
    tenant_id: tenantId,
    id: timeOrderedId(now),
    ca_id: null,
    ca_name: listName(firstShown([commonNameOf(certificate.issuer)], issuer)),
    serial_hex: certificate.serialHex,
    request_id: null,
    template_id: null,
    template_name: '',
    class: 'UNKNOWN',
    entity: email !== '' && dns === undefined ? 'user' : 'device',
    // A subject may be empty (RFC 5280 4.2.1.6), and a list must have something to show.
    name: listName(firstShown([commonNameOf(certificate.subject), dns, email, subject, ...sans], certificate.serialHex)),
    subject,
    sans,
    email,
    holder_user_id: holder?.userId ?? null,
    holder: holder?.name ?? '',
    device_name: dns ?? '',
    device_serial: '',
    requester_id: uploader.userId,
    requester: uploader.username,
    friendly_name: friendlyName,
    contact_email: contactEmail,
    renewal_mode: 'NONE',
    revocation_approvers: 0,
    not_before: certificate.notBefore,
    not_after: certificate.notAfter,
    // When others issued it, as far as it tells.
    issued_at: certificate.notBefore,
    revoked_at: null,
    revocation_reason: null,
    fingerprint_sha256: sha256,
    certificate: Buffer.from(certificate.encoded),
    notices_sent: [],
    renewed_by: null,
  }
}
