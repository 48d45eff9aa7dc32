// Which of an authority's serials are revoked. Revoked is for ever, but for a hold: that can be taken back, or become a revocation for good.

import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { changeAuthority, changeSerial, findSerial, lockSerial, tables } from './store.ts'

export type SerialStatus = {
  state: 'reserved' | 'signed' | 'void'
  notAfter: Date
  revocation: Revocation | undefined
}

export type Revocation = { at: Date; reason: RevocationReason; invalidityDate: Date | undefined }

export type RevokedSerial = Revocation & { serialHex: string; serial: Uint8Array; notAfter: Date }

export type RevocationOrder = { tenantId: string; caId: string; serialHex: string; reason: RevocationReason; at: Date; invalidityDate?: Date | undefined }

/**
 * Revokes one serial; its row is locked until the transaction ends. A certificate on hold can be revoked for good: it counts as revoked since
 * the hold began. An authority whose certificate is revoked stops issuing with the same commit.
 */
export async function markRevoked(db: Database, { tenantId, caId, serialHex, reason, at, invalidityDate }: RevocationOrder): Promise<'revoked' | 'already' | 'unknown'> {
  if (reason === 'removeFromCRL') throw new RangeError('A hold is ended by releaseHold, not by a revocation')
  const serial = Buffer.from(serialHex, 'hex')
  const row = await lockSerial(db, tenantId, caId, serial)
  if (row === undefined || row.state === 'void') return 'unknown'
  const onHold = row.revocation_reason === 'certificateHold'
  if (row.revoked_at !== null && !(onHold && reason !== 'certificateHold')) return 'already'
  await changeSerial(db, tenantId, caId, serial, { revoked_at: row.revoked_at ?? at, revocation_reason: reason, invalidity_date: invalidityDate ?? null }).execute()
  if (row.about_kind === 'authority') await changeAuthority(db, tenantId, row.about_id, { issuing: false })
  return 'revoked'
}

/** Makes a certificate on hold good again. */
export async function releaseHold(db: Database, { tenantId, caId, serialHex }: Pick<RevocationOrder, 'tenantId' | 'caId' | 'serialHex'>): Promise<'released' | 'notOnHold' | 'unknown'> {
  const serial = Buffer.from(serialHex, 'hex')
  const row = await lockSerial(db, tenantId, caId, serial)
  if (row === undefined) return 'unknown'
  if (row.revocation_reason !== 'certificateHold') return 'notOnHold'
  await changeSerial(db, tenantId, caId, serial, { revoked_at: null, revocation_reason: null, invalidity_date: null }).execute()
  return 'released'
}

/** Undefined for a serial that this authority has never reserved. */
export async function statusOf(db: Database, tenantId: string, caId: string, serialHex: string): Promise<SerialStatus | undefined> {
  const row = await findSerial(db, tenantId, caId, Buffer.from(serialHex, 'hex'))
  if (row === undefined) return undefined
  const { revoked_at: at, revocation_reason: reason } = row
  const revocation = at === null || reason === null ? undefined : { at, reason, invalidityDate: row.invalidity_date ?? undefined }
  return { state: row.state, notAfter: row.not_after, revocation }
}

const batch = 5_000

/** The revoked serials that had not expired at `now`, in the order of their serials, read in batches so that a large list needs little memory. */
export async function* revokedOf(db: Database, tenantId: string, caId: string, now: Date): AsyncGenerator<RevokedSerial> {
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const rows = await tables(db)
      .selectFrom('serials')
      .select(['serial', 'revoked_at', 'revocation_reason', 'invalidity_date', 'not_after'])
      .where('tenant_id', '=', tenantId)
      .where('ca_id', '=', caId)
      .where('revoked_at', 'is not', null)
      .where('serial', '>', after)
      .where('not_after', '>', now)
      .orderBy('serial')
      .limit(batch)
      .execute()
    for (const { serial, revoked_at: at, revocation_reason: reason, invalidity_date: invalidityDate, not_after: notAfter } of rows) {
      if (at !== null && reason !== null) yield { serialHex: serial.toString('hex'), serial, at, reason, invalidityDate: invalidityDate ?? undefined, notAfter }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) return
    after = last.serial
  }
}
