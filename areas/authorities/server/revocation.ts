// Which of an authority's serials are revoked. Revoked is for ever, but for a hold: that can be taken back, or become a revocation for good. And for good, too, a
// reason can still become key compromise.

import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { packCrlEntries, type CrlEntry } from '#standards/crl/entries.ts'
import { isHold, mayBecome, type RevocationReason } from '#standards/crl/reasons.ts'
import { mostCrlShards } from '../rules.ts'
import { raiseRevision, upsertRevokedSerial, upsertRevokedSerials } from './revoked-store.ts'
import {
  changeSerial,
  findSerial,
  findSerials,
  lockSerial,
  lockSerials,
  revokeSerials,
  statusesRead,
  type StatusRow,
} from './serial-store.ts'
import { changeAuthority, findAuthority, type RevokedSerialRow, type SerialRow } from './store.ts'

export type SerialStatus = {
  state: 'reserved' | 'signed' | 'void'
  notAfter: Date
  revocation: Revocation | undefined
}

export type Revocation = { at: Date; reason: RevocationReason; invalidityDate: Date | undefined }

export type RevocationOrder = {
  tenantId: string
  caId: string
  serialHex: string
  reason: RevocationReason
  at: Date
  invalidityDate?: Date | undefined
}

export type RevocationOutcome = 'revoked' | 'already' | 'unknown'

/** Revokes one serial. */
export async function markRevoked(db: Database, { tenantId, caId, at, ...mark }: RevocationOrder): Promise<RevocationOutcome> {
  return (await markAllRevoked(db, { tenantId, caId, at }, [mark])).get(mark.serialHex) ?? 'unknown'
}

/**
 * Revokes serials of one authority, each named once; the authority's revision is held until the transaction ends, and counts them as one change. A
 * certificate on hold can be revoked for good, and one that is revoked for good turn out to have lost its key: it counts as revoked since it was first, and keeps
 * the day since when nobody should trust it unless another is said. An authority whose certificate is revoked stops
 * issuing with the same commit. Answers by serial.
 */
export async function markAllRevoked(
  db: Database,
  { tenantId, caId, at }: Pick<RevocationOrder, 'tenantId' | 'caId' | 'at'>,
  marks: readonly Omit<RevocationOrder, 'tenantId' | 'caId' | 'at'>[],
): Promise<Map<string, RevocationOutcome>> {
  if (marks.some(({ reason }) => reason === 'removeFromCRL')) throw new RangeError('A hold is ended by releaseHold, not by a revocation')
  type Mark = (typeof marks)[number]
  const outcomes = new Map<string, RevocationOutcome>()
  /** Notes what cannot be revoked, and answers what can. */
  const sift = (wanted: readonly Mark[], rows: readonly SerialRow[]): { mark: Mark; row: SerialRow }[] => {
    const bySerial = new Map(rows.map((row) => [row.serial.toString('hex'), row]))
    return wanted.flatMap((mark) => {
      const row = bySerial.get(mark.serialHex)
      if (row === undefined || row.state === 'void') outcomes.set(mark.serialHex, 'unknown')
      else if (row.revocation_reason !== null && !mayBecome(row.revocation_reason, mark.reason)) outcomes.set(mark.serialHex, 'already')
      else return [{ mark, row }]
      return []
    })
  }
  const serialOf = ({ serialHex }: Mark) => Buffer.from(serialHex, 'hex')
  const early = sift(marks, await findSerials(db, tenantId, caId, marks.map(serialOf)))
  if (early.length === 0) return outcomes
  // The revision first and the serials second, in every transaction: two that revoke many do not wait for each other.
  const revision = await raiseRevision(db, tenantId, caId)
  const due = sift(
    early.map(({ mark }) => mark),
    await lockSerials(
      db,
      tenantId,
      caId,
      early.map(({ row }) => row.serial),
    ),
  )
  if (due.length === 0) return outcomes
  const revoked = due.map(({ row, mark }) => ({
    row,
    serial: row.serial,
    at: row.revoked_at ?? at,
    reason: mark.reason,
    invalidityDate: mark.invalidityDate ?? row.invalidity_date ?? undefined,
  }))
  await revokeSerials(db, tenantId, caId, revoked)
  await upsertRevokedSerials(
    db,
    revoked.map(({ row, serial, at: revocationDate, reason, invalidityDate }) =>
      revokedRow(row, revision, false, { serialNumber: serial, revocationDate, reason, invalidityDate }),
    ),
  )
  for (const { row, mark } of due) {
    if (row.about_kind === 'authority') await changeAuthority(db, tenantId, row.about_id, { issuing: false })
    outcomes.set(mark.serialHex, 'revoked')
  }
  return outcomes
}

/** Makes a certificate on hold good again. */
export async function releaseHold(
  db: Database,
  { tenantId, caId, serialHex, at }: Pick<RevocationOrder, 'tenantId' | 'caId' | 'serialHex' | 'at'>,
): Promise<'released' | 'notOnHold' | 'unknown'> {
  const serial = Buffer.from(serialHex, 'hex')
  const seen = await findSerial(db, tenantId, caId, serial)
  if (seen === undefined) return 'unknown'
  if (!isHold(seen.revocation_reason)) return 'notOnHold'
  const revision = await raiseRevision(db, tenantId, caId)
  const row = await lockSerial(db, tenantId, caId, serial)
  if (row === undefined || !isHold(row.revocation_reason)) return 'notOnHold'
  await changeSerial(db, tenantId, caId, serial, { revoked_at: null, revocation_reason: null, invalidity_date: null }).execute()
  await upsertRevokedSerial(db, revokedRow(row, revision, true, { serialNumber: serial, revocationDate: at, reason: 'removeFromCRL' }))
  return 'released'
}

const revokedRow = (row: SerialRow, revision: number, released: boolean, entry: CrlEntry): RevokedSerialRow => ({
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

/** The same for many serials, in their order; in a transaction of its own. */
export async function statusesOf(
  house: House,
  tenantId: string,
  caId: string,
  serials: readonly Uint8Array[],
): Promise<(SerialStatus | undefined)[]> {
  const textOf = (serial: Uint8Array) => Buffer.from(serial.buffer, serial.byteOffset, serial.byteLength).toString('latin1')
  const rows = await house.batches.read(tenantId, statusesRead(tenantId, caId, serials))
  const found = new Map((rows as readonly StatusRow[]).map((row) => [textOf(row.serial), row]))
  return serials.map((serial) => {
    const row = found.get(textOf(serial))
    return row && statusOfRow(row)
  })
}

const statusOfRow = ({
  state,
  not_after: notAfter,
  revoked_at: at,
  revocation_reason: reason,
  invalidity_date: invalidityDate,
}: StatusRow): SerialStatus => ({
  state,
  notAfter,
  revocation: at === null || reason === null ? undefined : { at, reason, invalidityDate: invalidityDate ?? undefined },
})

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
