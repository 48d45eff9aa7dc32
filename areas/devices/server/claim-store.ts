// What devices are known by, and who says so. A merge moves claims and notes from where, so that it can be taken back.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { IdentifierKind, SourceKind } from '../rules.ts'
import type { DeviceRecord } from './store.ts'

export type ClaimRecord = {
  tenant_id: string
  device_id: string
  kind: IdentifierKind
  value: string
  source: SourceKind
  added_at: Date
  moved_from: string | null
}
export type Identifier = { kind: IdentifierKind; value: string }

type ClaimTables = {
  device_claims: ClaimRecord
  device_sources: { tenant_id: string; source: string; key: string; device_id: string; moved_from: string | null }
  devices: DeviceRecord
}
const tables = (db: Database) => db.withTables<ClaimTables>()

export const listClaims = async ({ db, tenantId }: Tenancy, deviceIds: readonly string[]): Promise<ClaimRecord[]> =>
  deviceIds.length === 0
    ? []
    : tables(db)
        .selectFrom('device_claims')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('device_id', '=', sql<string>`any(${[...deviceIds]}::uuid[])`)
        .orderBy('kind')
        .orderBy('value')
        .orderBy('source')
        .execute()

/** Serialises those who claim in a tenancy, so that of two who claim the same at once the second sees the first. */
export const lockClaims = async ({ db, tenantId }: Tenancy): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${`device claims ${tenantId}`}, 21))`.execute(db))

/** The devices that claim each of these, with who brought the device first. */
export async function findClaimants(
  { db, tenantId }: Tenancy,
  identifiers: readonly Identifier[],
): Promise<{ device_id: string; kind: IdentifierKind; value: string; source: SourceKind }[]> {
  if (identifiers.length === 0) return []
  return tables(db)
    .selectFrom('device_claims')
    .innerJoin('devices', (join) =>
      join.onRef('devices.tenant_id', '=', 'device_claims.tenant_id').onRef('devices.id', '=', 'device_claims.device_id'),
    )
    .select(['device_claims.device_id', 'device_claims.kind', 'device_claims.value', 'devices.source'])
    .distinct()
    .where('device_claims.tenant_id', '=', tenantId)
    .where('devices.merged_into', 'is', null)
    .where(
      sql<boolean>`(device_claims.kind, device_claims.value) in (select * from unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[]))`,
    )
    .orderBy('device_claims.device_id')
    .execute()
}

export const insertClaims = async (
  { db, tenantId, now }: Tenancy,
  claims: readonly (Identifier & { device_id: string; source: SourceKind })[],
): Promise<void> => {
  for (let from = 0; from < claims.length; from += 2_000)
    await tables(db)
      .insertInto('device_claims')
      .values(claims.slice(from, from + 2_000).map((claim) => ({ tenant_id: tenantId, added_at: now, moved_from: null, ...claim })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/** What one source says of a device, for it to say something else. */
export const deleteClaims = async ({ db, tenantId }: Tenancy, deviceId: string, sources: readonly SourceKind[]): Promise<void> =>
  void (await tables(db)
    .deleteFrom('device_claims')
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', deviceId)
    .where('source', 'in', [...sources])
    .execute())

/** All that hangs on a device and on those that were merged into it, when it is deleted with them. */
export const deleteOfDevice = async ({ db, tenantId }: Tenancy, deviceId: string): Promise<void> => {
  const merged = tables(db).selectFrom('devices').select('id').where('tenant_id', '=', tenantId).where('merged_into', '=', deviceId)
  for (const table of ['device_claims', 'device_sources'] as const)
    await tables(db)
      .deleteFrom(table)
      .where('tenant_id', '=', tenantId)
      .where((all) => all.or([all('device_id', '=', deviceId), all('device_id', 'in', merged)]))
      .execute()
}

/** Copies the claims of one device to another, and leads its sources there. */
export const updateHolder = async ({ db, tenantId }: Tenancy, fromId: string, toId: string): Promise<void> => {
  await sql`
    insert into device_claims (tenant_id, device_id, kind, value, source, added_at, moved_from)
    select tenant_id, ${toId}::uuid, kind, value, source, added_at, device_id from device_claims
    where tenant_id = ${tenantId} and device_id = ${fromId} on conflict do nothing`.execute(db)
  await tables(db)
    .updateTable('device_sources')
    .set({ device_id: toId, moved_from: fromId })
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', fromId)
    .execute()
}

/** Gives back what came from a device. */
export const updateBack = async ({ db, tenantId }: Tenancy, fromId: string): Promise<void> => {
  await tables(db).deleteFrom('device_claims').where('tenant_id', '=', tenantId).where('moved_from', '=', fromId).execute()
  await tables(db)
    .updateTable('device_sources')
    .set({ device_id: fromId, moved_from: null })
    .where('tenant_id', '=', tenantId)
    .where('moved_from', '=', fromId)
    .execute()
}

/** The device that a source knows by this key, locked until the commit. */
export async function lockSourceKey({ db, tenantId }: Tenancy, source: string, key: string): Promise<string | undefined> {
  const row = await tables(db)
    .selectFrom('device_sources')
    .select('device_id')
    .where('tenant_id', '=', tenantId)
    .where('source', '=', source)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst()
  return row?.device_id
}

export const insertSourceKey = async ({ db, tenantId }: Tenancy, source: string, key: string, deviceId: string): Promise<void> =>
  void (await tables(db)
    .insertInto('device_sources')
    .values({ tenant_id: tenantId, source, key, device_id: deviceId, moved_from: null })
    .execute())

export const deleteSourceKey = async ({ db, tenantId }: Tenancy, source: string, key: string): Promise<void> =>
  void (await tables(db)
    .deleteFrom('device_sources')
    .where('tenant_id', '=', tenantId)
    .where('source', '=', source)
    .where('key', '=', key)
    .execute())

/** A page of what a source knows, in the order of its keys. */
export async function findSourceKeys(
  { db, tenantId }: Tenancy,
  source: string,
  { offset, most }: { offset: number; most: number },
): Promise<{ rows: { key: string; device_id: string }[]; total: number }> {
  const found = tables(db).selectFrom('device_sources').where('tenant_id', '=', tenantId).where('source', '=', source)
  const rows = await found.select(['key', 'device_id']).orderBy('key').limit(most).offset(offset).execute()
  const { total } = await found.select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}
