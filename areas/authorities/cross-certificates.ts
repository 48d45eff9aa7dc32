// What rooms above may ask of the certificates that authorities give one another besides: who vouches for whom, and until when.

import type { Database } from '#core/server/database.ts'
import { allCrossCertificates } from './server/certificate-store.ts'

export type CrossCertificate = {
  /** Whose it is, and who gave it; undefined for an authority that is not here. */
  caId: string | undefined
  issuerId: string | undefined
  subject: string
  issuer: string
  notBefore: Date
  notAfter: Date
  /** DER. */
  certificate: Uint8Array
}

/** Those that are signed and not revoked, ended ones among them. Of two of one pair the one that holds longer. */
export async function crossCertificatesOf(db: Database, tenantId: string): Promise<CrossCertificate[]> {
  const rows = (await allCrossCertificates(db, tenantId)).filter(({ revoked_at: revokedAt }) => revokedAt === null)
  const longest = new Map<string, CrossCertificate>()
  for (const row of rows) {
    const pair = `${row.subject_text}\n${row.issuer_text}`
    const known = longest.get(pair)
    if (row.certificate === null || (known !== undefined && known.notAfter >= row.not_after)) continue
    const { subject_text: subject, issuer_text: issuer, not_before: notBefore, not_after: notAfter, certificate } = row
    longest.set(pair, {
      caId: row.ca_id ?? undefined,
      issuerId: row.issuer_id ?? undefined,
      subject,
      issuer,
      notBefore,
      notAfter,
      certificate,
    })
  }
  return [...longest.values()]
}
