// The proof for keys that cannot sign (RFC 9883): another certificate of the same subject, which this tenancy gave and which is good today.

import { refusal } from '#areas/authorities/refusals.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { Database } from '#core/server/database.ts'
import { hexOf } from '#standards/der/values.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import type { Csr } from '#standards/x509/csr.ts'
import { verifyPossession, type PossessionStatement } from '#standards/x509/possession.ts'
import { certificateStatus, lifetimeOf } from '../../rules.ts'
import { certificateBySerial } from '../inventory/certificate-store.ts'

/** Tells why the statement proves nothing; undefined for a good one. */
export async function possessionFault(
  db: Database,
  tenantId: string,
  csr: Csr,
  statement: PossessionStatement,
  now: Date,
): Promise<Refusal | undefined> {
  const record = await certificateBySerial(db, tenantId, undefined, hexOf(statement.serialNumber))
  if (record === undefined || record.ca_id === null) return refusal('possessionCertificateMissing', undefined)
  const status = certificateStatus(lifetimeOf(record), now)
  if (status !== 'active' && status !== 'expiring') return refusal('possessionCertificateNotValid', undefined)
  const check = verifyPossession(csr, statement, parseCertificate(record.certificate))
  return check.ok ? undefined : refusal('possessionUnproven', { reason: check.reason })
}
