// Reservations of many serials at once, and the serials that come of them.

import { isRefusedByDatabase, type Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { insertRows } from '#core/server/insert-rows.ts'
import { tables, type ReservationRow, type SerialRow } from './store.ts'

const reservationColumns = {
  tenant_id: 'uuid',
  id: 'uuid',
  ca_id: 'uuid',
  signature_algorithm: 'text',
  serials: 'bytea[]',
  about_ids: 'uuid[]',
  ends: 'timestamptz[]',
  crl_shards: 'integer[]',
  reserved_at: 'timestamptz',
} as const satisfies { [column in keyof ReservationRow]: string }

export const reservationInserted = (row: ReservationRow): Statement => insertRows('reservations', reservationColumns, [row])

const serialColumns = {
  tenant_id: 'uuid',
  ca_id: 'uuid',
  serial: 'bytea',
  state: 'text',
  signature_algorithm: 'text',
  about_kind: 'text',
  about_id: 'uuid',
  certificate_hash: 'bytea',
  not_after: 'timestamptz',
  crl_shard: 'integer',
  reserved_at: 'timestamptz',
  signed_at: 'timestamptz',
} as const satisfies { [column in Exclude<keyof SerialRow, 'tbs' | 'revoked_at' | 'revocation_reason' | 'invalidity_date'>]: string }

/**
 * Ends a reservation: its serials stand as signed where there is a hash of the certificate, else as void. They cannot stand twice, so that this fails where
 * the reservation was ended before.
 */
export function reservationEnded(row: ReservationRow, certificateHashes: readonly (Uint8Array | undefined)[], now: Date): Statement[] {
  const serials = row.serials.map((serial, at) => {
    const hash = certificateHashes[at]
    return {
      tenant_id: row.tenant_id,
      ca_id: row.ca_id,
      serial,
      state: hash === undefined ? 'void' : 'signed',
      signature_algorithm: row.signature_algorithm,
      about_kind: 'certificate',
      about_id: row.about_ids[at],
      certificate_hash: hash ?? null,
      not_after: row.ends[at],
      crl_shard: row.crl_shards[at],
      reserved_at: row.reserved_at,
      signed_at: hash === undefined ? null : now,
    }
  })
  return [
    { name: 'delete-reservation', text: 'delete from reservations where tenant_id = $1 and id = $2', values: [row.tenant_id, row.id] },
    { ...insertRows('serials', serialColumns, serials), failure: endedBefore },
  ]
}

/** No fault of one of them, which would be found by trying each alone. */
const endedBefore = (cause: unknown): Error =>
  isRefusedByDatabase(cause)
    ? new Error('The reservation was ended before: it took too long', { cause })
    : new Error('The serials could not be stored', { cause })

/** Locked, so that of two that find it left behind one ends it. Whoever is about to store its certificates waits, and fails. */
export const reservationsLeft = (db: Database, tenantId: string, before: Date, soon: Date): Promise<ReservationRow[]> =>
  tables(db)
    .selectFrom('reservations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    // What bears a time yet to come was written before the clock was set back, and is as old as any.
    .where((all) => all.or([all.eb('reserved_at', '<=', before), all.eb('reserved_at', '>', soon)]))
    .orderBy('id')
    .limit(100)
    .forUpdate()
    .skipLocked()
    .execute()

export const lockReservation = (db: Database, tenantId: string, id: string): Promise<ReservationRow | undefined> =>
  tables(db).selectFrom('reservations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()
