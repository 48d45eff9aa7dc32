// Which of an authority's serials are revoked. Revoked is for ever, but for a hold: that can be taken back, or become a revocation for good.

import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { packCrlEntries, type CrlEntry } from '#standards/crl/entries.ts'
import { changeAuthority, changeSerial, findAuthority, findSerial, lockSerial, raiseRevision, readStatuses, upsertRevokedSerial, type SerialRow, type StatusRow } from './store.ts'

export type SerialStatus = {
  state: 'reserved' | 'signed' | 'void'
  notAfter: Date
  revocation: Revocation | undefined
}

export type Revocation = { at: Date; reason: RevocationReason; invalidityDate: Date | undefined }

export type RevocationOrder = { tenantId: string; caId: string; serialHex: string; reason: RevocationReason; at: Date; invalidityDate?: Date | undefined }

/**
 * Revokes one serial; the authority's revision is held until the transaction ends. A certificate on hold can be revoked for good: it counts as
 * revoked since the hold began. An authority whose certificate is revoked stops issuing with the same commit.
 */
export async function markRevoked(db: Database, { tenantId, caId, serialHex, reason, at, invalidityDate }: RevocationOrder): Promise<'revoked' | 'already' | 'unknown'> {
  if (reason === 'removeFromCRL') throw new RangeError('A hold is ended by releaseHold, not by a revocation')
  const serial = Buffer.from(serialHex, 'hex')
  const refusal = (row: SerialRow | undefined) => {
    if (row === undefined || row.state === 'void') return 'unknown'
    return row.revoked_at !== null && !(row.revocation_reason === 'certificateHold' && reason !== 'certificateHold') ? 'already' : undefined
  }
  const early = refusal(await findSerial(db, tenantId, caId, serial))
  if (early !== undefined) return early
  // The revision first and the serial second, in every transaction: two that revoke many do not wait for each other.
  const revision = await raiseRevision(db, tenantId, caId)
  const row = await lockSerial(db, tenantId, caId, serial)
  const late = refusal(row)
  if (row === undefined || late !== undefined) return late ?? 'unknown'
  const since = row.revoked_at ?? at
  await changeSerial(db, tenantId, caId, serial, { revoked_at: since, revocation_reason: reason, invalidity_date: invalidityDate ?? null }).execute()
  await noteRevoked(db, row, revision, false, { serialNumber: serial, revocationDate: since, reason, invalidityDate })
  if (row.about_kind === 'authority') await changeAuthority(db, tenantId, row.about_id, { issuing: false })
  return 'revoked'
}

/** Makes a certificate on hold good again. */
export async function releaseHold(db: Database, { tenantId, caId, serialHex, at }: Pick<RevocationOrder, 'tenantId' | 'caId' | 'serialHex' | 'at'>): Promise<'released' | 'notOnHold' | 'unknown'> {
  const serial = Buffer.from(serialHex, 'hex')
  const seen = await findSerial(db, tenantId, caId, serial)
  if (seen === undefined) return 'unknown'
  if (seen.revocation_reason !== 'certificateHold') return 'notOnHold'
  const revision = await raiseRevision(db, tenantId, caId)
  const row = await lockSerial(db, tenantId, caId, serial)
  if (row?.revocation_reason !== 'certificateHold') return 'notOnHold'
  await changeSerial(db, tenantId, caId, serial, { revoked_at: null, revocation_reason: null, invalidity_date: null }).execute()
  await noteRevoked(db, row, revision, true, { serialNumber: serial, revocationDate: at, reason: 'removeFromCRL' })
  return 'released'
}

const noteRevoked = (db: Database, row: SerialRow, revision: number, released: boolean, entry: CrlEntry): Promise<void> =>
  upsertRevokedSerial(db, {
    tenant_id: row.tenant_id,
    ca_id: row.ca_id,
    serial: row.serial,
    crl_shard: row.crl_shard,
    revision,
    not_after: row.not_after,
    released,
    entry: Buffer.from(packCrlEntries([entry])),
  })

/** Undefined for a serial that this authority has never reserved. */
export async function statusOf(db: Database, tenantId: string, caId: string, serialHex: string): Promise<SerialStatus | undefined> {
  const row = await findSerial(db, tenantId, caId, Buffer.from(serialHex, 'hex'))
  return row && statusOfRow(row)
}

/** The same for many serials, in their order. */
export async function statusesOf(db: Database, tenantId: string, caId: string, serials: readonly Uint8Array[]): Promise<(SerialStatus | undefined)[]> {
  const sought = serials.map((serial) => Buffer.from(serial))
  const found = new Map((await readStatuses(db, tenantId, caId, sought)).map((row) => [row.serial.toString('latin1'), row]))
  return sought.map((serial) => {
    const row = found.get(serial.toString('latin1'))
    return row && statusOfRow(row)
  })
}

const statusOfRow = ({ state, not_after: notAfter, revoked_at: at, revocation_reason: reason, invalidity_date: invalidityDate }: StatusRow): SerialStatus => ({
  state,
  notAfter,
  revocation: at === null || reason === null ? undefined : { at, reason, invalidityDate: invalidityDate ?? undefined },
})

/** The most parts that a list is published in. */
export const mostCrlShards = 1_024

/**
 * Publishes the list in so many parts besides the whole. What is issued from now on names its part; what was issued keeps the part that it
 * names, so there are never fewer parts than there were. False where there would be.
 */
export async function setCrlShards(db: Database, tenantId: string, caId: string, shards: number): Promise<boolean> {
  const row = await findAuthority(db, tenantId, caId)
  if (row === undefined || shards < row.crl_shards || shards > mostCrlShards) return false
  await changeAuthority(db, tenantId, caId, { crl_shards: shards })
  return true
}
