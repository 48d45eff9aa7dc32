// Stores certificates of external issuers, so that their end is not forgotten. They have no authority, request or template here, and are not revoked or
// renewed here.

import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { generalNameText } from '#standards/x509/general-names.ts'
import { attributeValues, commonNameOf, escapeControls, formatName } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { Source } from '../../traits.ts'
import { unchanged, type CertificateRecord } from '../store.ts'
import { insertCertificates, knownByFingerprint } from './certificate-store.ts'
import { changeSaid } from './keeping-store.ts'
import { lockExternal, insertExternalKeys } from './key-store.ts'
import { traitsOfExternal } from './traits-of.ts'

/** `uploader` is responsible for the certificates. `holder` is the person in whose name they are, where that is known. */
export type ExternalDetails = {
  uploader: { userId: string; username: string }
  friendlyName: string
  contactEmail: string
  holder?: { userId: string; name: string }
  owner?: { userId: string; name: string }
  /** Where they came from; they were uploaded unless told. */
  source?: Source
}

/** Inserts the certificates that are not stored yet. Of two concurrent uploads the later one waits, so that each certificate is stored once. */
export async function insertExternal(
  db: Database,
  tenantId: string,
  certificates: readonly Certificate[],
  details: ExternalDetails,
  now: Date,
): Promise<CertificateRecord[]> {
  await lockExternal(db, tenantId)
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
  const { owner } = details
  if (owner !== undefined)
    for (const record of records) await changeSaid(db, tenantId, record, { owner: owner.name, owner_user_id: owner.userId })
  await insertExternalKeys(
    db,
    tenantId,
    records.map(({ id, certificate }) => ({ certificateId: id, publicKey: Buffer.from(parseCertificate(certificate).publicKey.spki) })),
  )
  return records
}

/** Shortens names for lists, because the index takes at most 2,700 bytes. The subject is stored whole. */
const longestName = 300
const listName = (name: string): string => {
  const text = escapeControls(name)
  return text.length <= longestName ? text : `${text.slice(0, longestName - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Finds the first name with a visible character, because a name may consist of blanks or invisible ones. */
const firstVisible = (names: readonly (string | undefined)[], otherwise: string): string =>
  names.find((name) => name !== undefined && /[^\s\p{Cf}]/u.test(name)) ?? otherwise

function recordOf(
  tenantId: string,
  certificate: Certificate,
  sha256: string,
  { uploader, friendlyName, contactEmail, holder, source = 'uploaded' }: ExternalDetails,
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
    ca_name: listName(firstVisible([commonNameOf(certificate.issuer)], issuer)),
    serial_hex: certificate.serialHex,
    request_id: null,
    template_id: null,
    template_name: '',
    class: 'UNKNOWN',
    entity: email !== '' && dns === undefined ? 'user' : 'device',
    // A subject may be empty (RFC 5280 4.2.1.6), and a list must have something to show.
    name: listName(firstVisible([commonNameOf(certificate.subject), dns, email, subject, ...sans], certificate.serialHex)),
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
    // Takes the begin of validity as the time of issue, because the certificate says no other.
    issued_at: certificate.notBefore,
    revoked_at: null,
    revocation_reason: null,
    fingerprint_sha256: sha256,
    certificate: Buffer.from(certificate.encoded),
    notices_sent: [],
    ...unchanged,
    traits: traitsOfExternal(certificate, source, now),
  }
}
