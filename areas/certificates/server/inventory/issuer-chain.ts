// Finds who issued a certificate, and what stands between it and its root. A certificate that was issued here names its authority; of one that was
// uploaded the signature tells whether an authority here made it.

import { listUsableIssuers, type UsableIssuer } from '#areas/authorities/licensing.ts'
import type { Database } from '#core/server/database.ts'
import { bytesEqual } from '#standards/der/values.ts'
import { checkIssuedBy, isSelfIssued, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import type { CertificateRecord } from '../store.ts'

/** DER. `above`: from the issuer upwards. `root`: its last, or the certificate itself, where that is signed by itself. */
export type Chain = { above: readonly Uint8Array[]; intermediates: readonly Uint8Array[]; root: Uint8Array | undefined }

export type KnownIssuer = { issuers: readonly UsableIssuer[]; issuer: UsableIssuer | undefined; chain: Chain }

export async function findIssuerOf(
  db: Database,
  tenantId: string,
  record: Pick<CertificateRecord, 'ca_id' | 'certificate'>,
  now: Date,
): Promise<KnownIssuer> {
  const issuers = await listUsableIssuers(db, tenantId, now)
  const parsed = parseCertificate(record.certificate)
  const issuer = record.ca_id === null ? signerOf(parsed, issuers) : issuers.find(({ caId }) => caId === record.ca_id)
  // A root stands above itself: its chain is empty.
  const above = issuer === undefined || bytesEqual(issuer.certificate, record.certificate) ? [] : issuer.chain
  return { issuers, issuer, chain: chainOf(parsed, above) }
}

/** Finds the authority whose name and key made the signature. Two may have one name, and a name alone proves nothing. */
export const signerOf = (certificate: Certificate, issuers: readonly UsableIssuer[]): UsableIssuer | undefined =>
  issuers.find(
    (issuer) =>
      bytesEqual(issuer.subjectEncoded, certificate.issuerEncoded) && checkIssuedBy(certificate, parseCertificate(issuer.certificate)).ok,
  )

function chainOf(leaf: Certificate, above: readonly Uint8Array[]): Chain {
  const last = above.at(-1)
  const top = last === undefined ? leaf : parseCertificate(last)
  const root = isSelfIssued(top) && checkIssuedBy(top, top).ok ? Buffer.from(top.encoded) : undefined
  return { above, intermediates: root === undefined ? above : above.slice(0, -1), root }
}
