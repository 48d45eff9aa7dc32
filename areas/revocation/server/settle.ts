// The moment in which certificates are taken back: their serials at the authority, with the revision that makes kept OCSP answers old, and the
// certificates' own rows, all in one transaction.

import { wholeSecond } from '#areas/authorities/rules.ts'
import { markAllRevoked, releaseHold } from '#areas/authorities/service.ts'
import { findCertificates, setAllRevoked, setReleased } from '#areas/certificates/service.ts'
import { atOwner, ownerOf, tellOwner } from '#areas/licensing/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Emit } from '#core/server/serve.ts'
import type { revocation } from '../contract.ts'
import { actionOf, isRelease, type FailureCode } from '../rules.ts'
import type { RevocationRecord } from './store.ts'

export type Settled = { state: 'revoked' | 'released' } | { state: 'failed'; failureCode: FailureCode }

type Order = Pick<RevocationRecord, 'tenant_id' | 'certificate_id' | 'ca_id' | 'serial_hex' | 'reason' | 'invalidity_date'>

export const settle = async (db: Database, order: Order, now: Date): Promise<Settled> =>
  isRelease(order) ? settleRelease(db, order, now) : settleOne(db, order, now)

const settleOne = async (db: Database, order: Order, now: Date): Promise<Settled> =>
  (await settleAll(db, order.tenant_id, [order], now)).get(order.certificate_id) ?? { state: 'failed', failureCode: 'unknownSerial' }

/** Certificates of one tenancy, each named once. Answers by their ids. */
export async function settleAll(db: Database, tenantId: string, orders: readonly Order[], now: Date): Promise<Map<string, Settled>> {
  // X.509 and OCSP times have whole seconds: every place that tells the time tells the same.
  const at = wholeSecond(now)
  const settled = new Map<string, Settled>()
  // In the order of the authorities: two that revoke at once do not wait for each other in a circle.
  const byAuthority = [...Map.groupBy(orders, ({ ca_id: id }) => id)].toSorted(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1))
  for (const [caId, ofAuthority] of byAuthority) {
    if (caId === null) {
      for (const order of ofAuthority) settled.set(order.certificate_id, { state: 'failed', failureCode: 'notIssuedHere' })
      continue
    }
    // Serials and what becomes of them are the authority's owner's, whoever asked for the certificate.
    const ownerId = await ownerOf(db, tenantId, caId, now)
    const marked = await atOwner(db, tenantId, ownerId, async () => {
      const marks = ofAuthority.map((order) => ({
        serialHex: order.serial_hex,
        reason: order.reason,
        invalidityDate: order.invalidity_date ?? undefined,
      }))
      const outcomes = await markAllRevoked(db, { tenantId: ownerId, caId, at }, marks)
      if (ownerId !== tenantId)
        for (const { serialHex, reason } of marks)
          if (outcomes.get(serialHex) === 'revoked')
            await tellOwner(db, ownerId, 'licensedRevoked', { caId, serialNumber: serialHex, tenantId, reason }, now)
      return outcomes
    })
    for (const order of ofAuthority) settled.set(order.certificate_id, outcomeOf[marked.get(order.serial_hex) ?? 'unknown'])
    const done = ofAuthority.filter((order) => settled.get(order.certificate_id)?.state === 'revoked')
    for (const [reason, ofReason] of Map.groupBy(done, (order) => order.reason))
      await setAllRevoked(
        db,
        tenantId,
        ofReason.map((order) => order.certificate_id),
        { reason, at },
      )
  }
  return settled
}

/** The end of a hold, at the authority and in the inventory. */
async function settleRelease(
  db: Database,
  { tenant_id: tenantId, certificate_id: certificateId, ca_id: caId, serial_hex: serialHex }: Order,
  now: Date,
): Promise<Settled> {
  if (caId === null) return { state: 'failed', failureCode: 'notIssuedHere' }
  if ((await findCertificates(db, tenantId, [certificateId], now)).get(certificateId)?.status === 'expired')
    return { state: 'failed', failureCode: 'over' }
  const ownerId = await ownerOf(db, tenantId, caId, now)
  const outcome = await atOwner(db, tenantId, ownerId, async () => {
    const released = await releaseHold(db, { tenantId: ownerId, caId, serialHex, at: wholeSecond(now) })
    if (released === 'released' && ownerId !== tenantId)
      await tellOwner(db, ownerId, 'licensedReleased', { caId, serialNumber: serialHex, tenantId }, now)
    return released
  })
  if (outcome !== 'released') return { state: 'failed', failureCode: outcome === 'unknown' ? 'unknownSerial' : outcome }
  await setReleased(db, tenantId, certificateId)
  return { state: 'released' }
}

const outcomeOf = {
  revoked: { state: 'revoked' },
  unknown: { state: 'failed', failureCode: 'unknownSerial' },
  already: { state: 'failed', failureCode: 'alreadyRevoked' },
} as const satisfies Record<string, Settled>

/** What an event says of it besides the reason, with what was noted. */
export const eventBody = ({ id, certificate_id: certificateId, ca_id: caId, serial_hex: serialNumber, note }: RevocationRecord) => ({
  revocationId: id,
  certificateId,
  caId: caId ?? '',
  serialNumber,
  ...(note === '' ? {} : { note }),
})

/** The event that says what became of it. */
export function emitSettled(emit: Emit<typeof revocation>, row: RevocationRecord): void {
  const about = row.certificate_id
  const ids = { revocationId: row.id, certificateId: row.certificate_id }
  if (row.state === 'revoked' && row.ca_id !== null)
    emit(actionOf(row.reason) === 'hold' ? 'held' : 'revoked', { ...eventBody(row), reason: row.reason }, about)
  if (row.state === 'released' && row.ca_id !== null) emit('released', eventBody(row), about)
  if (row.state === 'failed') emit('failed', { ...ids, failureCode: row.failure_code ?? '' }, about)
  if (row.state === 'denied') emit('denied', ids, about)
}
