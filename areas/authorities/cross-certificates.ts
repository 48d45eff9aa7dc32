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
}

/** Those that are signed and not revoked, ended ones among them. Of two of one pair the one that holds longer. */
export async function crossCertificatesOf(db: Database, tenantId: string): Promise<CrossCertificate[]> {
  const rows = (await allCrossCertificates(db, tenantId)).filter(({ revoked_at: revokedAt }) => revokedAt === null)
  const longest = new Map<string, CrossCertificate>()
  for (const row of rows) {
    const pair = `${row.subject_text}\n${row.issuer_text}`
    const known = longest.get(pair)
    if (known !== undefined && known.notAfter >= row.not_after) continue
    longest.set(pair, { caId: row.ca_id ?? undefined, issuerId: row.issuer_id ?? undefined, subject: row.subject_text, issuer: row.issuer_text, notBefore: row.not_before, notAfter: row.not_after })
  }
  return [...longest.values()]
}
