// The moment in which a certificate is taken back: its serial at the authority, with the revision that makes kept OCSP answers old, and the
// certificate's own row, all in one transaction.

import type { Database } from '#core/server/database.ts'
import type { Emit } from '#core/server/serve.ts'
import { markRevoked } from '#areas/authorities/service.ts'
import { setRevoked } from '#areas/certificates/service.ts'
import { atOwner, ownerOf, tellOwner } from '#areas/licensing/service.ts'
import type { revocation } from '../contract.ts'
import type { FailureCode } from '../rules.ts'
import type { RevocationRecord } from './store.ts'

export type Settled = { state: 'revoked' } | { state: 'failed'; failureCode: FailureCode }

type Order = Pick<RevocationRecord, 'tenant_id' | 'certificate_id' | 'ca_id' | 'serial_hex' | 'reason' | 'invalidity_date'>

export async function settle(db: Database, order: Order, now: Date): Promise<Settled> {
  const { tenant_id: tenantId, ca_id: caId, certificate_id: certificateId, serial_hex: serialHex, reason } = order
  if (caId === null) return { state: 'failed', failureCode: 'notIssuedHere' }
  // X.509 and OCSP times have whole seconds: every place that tells the time tells the same.
  const at = new Date(Math.floor(now.getTime() / 1000) * 1000)
  // Serials and what becomes of them are the authority's owner's, whoever asked for the certificate.
  const ownerId = await ownerOf(db, tenantId, caId, now)
  const marked = await atOwner(db, tenantId, ownerId, async () => {
    const outcome = await markRevoked(db, { tenantId: ownerId, caId, serialHex, reason, at, invalidityDate: order.invalidity_date ?? undefined })
    if (outcome === 'revoked' && ownerId !== tenantId) await tellOwner(db, ownerId, 'licensedRevoked', { caId, serialNumber: serialHex, tenantId, reason }, now)
    return outcome
  })
  if (marked === 'unknown') return { state: 'failed', failureCode: 'unknownSerial' }
  if (marked === 'already') return { state: 'failed', failureCode: 'alreadyRevoked' }
  await setRevoked(db, tenantId, certificateId, { reason, at })
  return { state: 'revoked' }
}

/** The event that says what became of it. */
export function emitSettled(emit: Emit<typeof revocation>, row: RevocationRecord): void {
  const about = row.certificate_id
  const ids = { revocationId: row.id, certificateId: row.certificate_id }
  if (row.state === 'revoked' && row.ca_id !== null) emit('revoked', { ...ids, caId: row.ca_id, serialNumber: row.serial_hex, reason: row.reason }, about)
  if (row.state === 'failed') emit('failed', { ...ids, failureCode: row.failure_code ?? '' }, about)
  if (row.state === 'denied') emit('denied', ids, about)
}
