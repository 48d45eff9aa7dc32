// Serials on their way from reserved to signed or void, and their marks of revocation.

import { sql } from 'kysely'
import { hexBytes, type Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { tables, type SerialRow } from './store.ts'

/** Reserved and not signed yet. */
export const reservedAbout = (db: Database, tenantId: string, aboutId: string): Promise<SerialRow | undefined> =>
  tables(db)
    .selectFrom('serials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('about_id', '=', aboutId)
    .where('state', '=', 'reserved')
    .executeTakeFirst()

export const lockSerial = (db: Database, tenantId: string, caId: string, serial: Buffer) =>
  tables(db)
    .selectFrom('serials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('serial', '=', serial)
    .forUpdate()
    .executeTakeFirst()

/** The same for many, in one order. */
export const lockSerials = (db: Database, tenantId: string, caId: string, serials: readonly Buffer[]): Promise<SerialRow[]> =>
  tables(db)
    .selectFrom('serials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('serial', 'in', [...serials])
    .orderBy('serial')
    .forUpdate()
    .execute()

/** Those of these serials that there are. */
export const findSerials = (db: Database, tenantId: string, caId: string, serials: readonly Buffer[]): Promise<SerialRow[]> =>
  serials.length === 0
    ? Promise.resolve([])
    : tables(db)
        .selectFrom('serials')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('ca_id', '=', caId)
        .where('serial', 'in', [...serials])
        .execute()

export const findSerial = (db: Database, tenantId: string, caId: string, serial: Buffer) =>
  tables(db)
    .selectFrom('serials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('serial', '=', serial)
    .executeTakeFirst()

export type StatusRow = Pick<SerialRow, 'serial' | 'state' | 'not_after' | 'revoked_at' | 'revocation_reason' | 'invalidity_date'>

export async function insertSerials(db: Database, rows: readonly SerialRow[]): Promise<void> {
  if (rows.length > 0)
    await tables(db)
      .insertInto('serials')
      .values([...rows])
      .execute()
}

/** From reserved to signed, where the bytes are those that were reserved. Returns the serials of which that was true. */
export async function signSerials(
  db: Database,
  tenantId: string,
  caId: string,
  signed: readonly { serial: Buffer; tbs: Buffer; certificateHash: Buffer; signedAt: Date }[],
): Promise<Buffer[]> {
  const column = <K extends keyof (typeof signed)[number]>(name: K) => signed.map((one) => one[name])
  const { rows } = await sql<{ serial: Buffer }>`
    update serials set state = 'signed', tbs = null, certificate_hash = made.certificate_hash, signed_at = made.signed_at
    from unnest(${column('serial')}::bytea[], ${column('tbs')}::bytea[], ${column('certificateHash')}::bytea[], ${column('signedAt')}::timestamptz[]) as made (serial, tbs, certificate_hash, signed_at)
    where serials.tenant_id = ${tenantId} and serials.ca_id = ${caId} and serials.serial = made.serial and serials.state = 'reserved' and serials.tbs = made.tbs
    returning serials.serial`.execute(db)
  return rows.map(({ serial }) => serial)
}

export const changeSerial = (db: Database, tenantId: string, caId: string, serial: Buffer, change: Partial<SerialRow>) =>
  tables(db).updateTable('serials').set(change).where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('serial', '=', serial)

export type RevokedMark = { serial: Buffer; at: Date; reason: RevocationReason; invalidityDate: Date | undefined }

export async function revokeSerials(db: Database, tenantId: string, caId: string, marks: readonly RevokedMark[]): Promise<void> {
  await sql`
    update serials set revoked_at = mark.at, revocation_reason = mark.reason, invalidity_date = mark.invalidity_date
    from unnest(${marks.map(({ serial }) => serial)}::bytea[], ${marks.map(({ at }) => at)}::timestamptz[], ${marks.map(({ reason }) => reason)}::text[], ${marks.map(({ invalidityDate }) => invalidityDate ?? null)}::timestamptz[])
      as mark (serial, at, reason, invalidity_date)
    where serials.tenant_id = ${tenantId} and serials.ca_id = ${caId} and serials.serial = mark.serial`.execute(db)
}

/** From reserved to void. Returns the serials of which that was true. */
export const voidSerials = async (db: Database, tenantId: string, aboutId: string): Promise<Buffer[]> =>
  (
    await tables(db)
      .updateTable('serials')
      .set({ state: 'void', tbs: null })
      .where('tenant_id', '=', tenantId)
      .where('about_id', '=', aboutId)
      .where('state', '=', 'reserved')
      .returning('serial')
      .execute()
  ).map(({ serial }) => serial)

/** The same for these of one authority. */
export const voidReserved = async (db: Database, tenantId: string, caId: string, serials: readonly Buffer[]): Promise<Buffer[]> =>
  serials.length === 0
    ? []
    : (
        await tables(db)
          .updateTable('serials')
          .set({ state: 'void', tbs: null })
          .where('tenant_id', '=', tenantId)
          .where('ca_id', '=', caId)
          .where('serial', 'in', [...serials])
          .where('state', '=', 'reserved')
          .returning('serial')
          .execute()
      ).map(({ serial }) => serial)

/** How many serials an authority has signed and revoked, each counted up to `most`. What a root signed for itself is no work of its. */
export async function countSerials(
  db: Database,
  tenantId: string,
  caId: string,
  most: number,
): Promise<{ issued: number; revoked: number }> {
  const serials = tables(db)
    .selectFrom('serials')
    .select('serial')
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('about_id', '<>', caId)
    .where('state', '!=', 'void')
    .limit(most)
  const count = async (of: typeof serials) =>
    (
      await db
        .selectFrom(of.as('counted'))
        .select((all) => all.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
    ).total
  return { issued: await count(serials), revoked: await count(serials.where('revoked_at', 'is not', null)) }
}

/** The statuses of these serials, as StatusRows. */
export const statusesRead = (tenantId: string, caId: string, serials: readonly Uint8Array[]): Statement => ({
  name: 'read-statuses',
  text: `select serial, state, not_after, revoked_at, revocation_reason, invalidity_date from serials where tenant_id = $1 and ca_id = $2 and serial = any($3::bytea[])`,
  values: [tenantId, caId, serials.map(hexBytes)],
})
