// What devices are known by, and who says so. A merge moves claims and notes from where, so that it can be taken back.

import { sql, type ColumnType, type Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { DeviceStatus, IdentifierKind, SourceKind } from '../rules.ts'
import { mergedInto, type DeviceRecord } from './store.ts'

export type ClaimRecord = {
  tenant_id: string
  device_id: string
  kind: IdentifierKind
  value: string
  source: SourceKind
  /** Of programs: which one, and its own key of the device. */
  told_by: string
  added_at: Date
  moved_from: string | null
}
export type Identifier = { kind: IdentifierKind; value: string }
/** What a program says of a device; a person may have written something else. */
export type ToldValues = { name: string; hostname: string; type: string; status: DeviceStatus }
type SourceRecord = { tenant_id: string; source: string; key: string; device_id: string; moved_from: Generated<string[]>; told: ColumnType<ToldValues | null, string, string> } // prettier-ignore

type ClaimTables = {
  device_claims: ClaimRecord
  device_sources: SourceRecord
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
  claims: readonly (Identifier & { device_id: string; source: SourceKind; told_by?: string })[],
): Promise<void> => {
  for (let from = 0; from < claims.length; from += 2_000)
    await tables(db)
      .insertInto('device_claims')
      .values(
        claims.slice(from, from + 2_000).map((claim) => ({ tenant_id: tenantId, added_at: now, moved_from: null, told_by: '', ...claim })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/** Claims that are made no more. */
export async function deleteClaims({ db, tenantId }: Tenancy, claims: readonly ClaimRecord[]): Promise<void> {
  for (const { device_id, kind, value, source, told_by } of claims)
    await tables(db)
      .deleteFrom('device_claims')
      .where('tenant_id', '=', tenantId)
      .where('device_id', '=', device_id)
      .where('kind', '=', kind)
      .where('value', '=', value)
      .where('source', '=', source)
      .where('told_by', '=', told_by)
      .execute()
}

/** All that hangs on a device and on those that were merged into it, when it is deleted with them. */
export const deleteOfDevice = async ({ db, tenantId }: Tenancy, deviceId: string): Promise<void> => {
  const merged = mergedInto(tenantId, deviceId)
  for (const table of ['device_claims', 'device_sources'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('device_id', 'in', merged).execute()
}

/** Copies the claims of one device to another, and leads its sources there. */
export const updateHolder = async ({ db, tenantId }: Tenancy, fromId: string, toId: string): Promise<void> => {
  await copyClaims(db, tenantId, fromId, toId)
  await tables(db)
    .updateTable('device_sources')
    .set({ device_id: toId, moved_from: sql`moved_from || ${fromId}::uuid` })
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', fromId)
    .execute()
}

const copyClaims = (db: Database, tenantId: string, fromId: string, toId: string) =>
  sql`
    insert into device_claims (tenant_id, device_id, kind, value, source, told_by, added_at, moved_from)
    select tenant_id, ${toId}::uuid, kind, value, source, told_by, added_at, device_id from device_claims
    where tenant_id = ${tenantId} and device_id = ${fromId} on conflict do nothing`.execute(db)

/** Gives back what came from a device; what others that are merged into the kept one claim too stays with it. */
export async function updateBack({ db, tenantId }: Tenancy, keptId: string, toId: string, otherIds: readonly string[]): Promise<void> {
  await tables(db)
    .deleteFrom('device_claims')
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', keptId)
    .where('moved_from', '=', toId)
    .execute()
  const { rows } = await sql<{ told_by: string }>`
    update device_sources set device_id = ${toId}, moved_from = moved_from[1:cardinality(moved_from) - 1]
    where tenant_id = ${tenantId} and device_id = ${keptId} and moved_from[cardinality(moved_from)] = ${toId}
    returning source || ' ' || key as told_by`.execute(db)
  const by = sql<string>`any(${rows.map(({ told_by }) => told_by)}::text[])`
  // What its own sources have said since the merge is said of it.
  await sql`
    insert into device_claims (tenant_id, device_id, kind, value, source, told_by, added_at, moved_from)
    select tenant_id, ${toId}::uuid, kind, value, source, told_by, added_at, null from device_claims
    where tenant_id = ${tenantId} and device_id = ${keptId} and told_by = ${by} on conflict do nothing`.execute(db)
  await tables(db)
    .deleteFrom('device_claims')
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', keptId)
    .where('told_by', '=', by)
    .execute()
  for (const otherId of otherIds) await copyClaims(db, tenantId, otherId, keptId)
}

/** The device that a source knows by this key, locked until the commit. */
export const lockSourceKey = async (tenancy: Tenancy, source: string, key: string): Promise<string | undefined> =>
  (await lockTold(tenancy, source, key))?.deviceId

/** With what the source said of it the last time. */
export async function lockTold(
  { db, tenantId }: Tenancy,
  source: string,
  key: string,
): Promise<{ deviceId: string; told: ToldValues | undefined } | undefined> {
  const row = await tables(db)
    .selectFrom('device_sources')
    .select(['device_id', 'told'])
    .where('tenant_id', '=', tenantId)
    .where('source', '=', source)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst()
  return row && { deviceId: row.device_id, told: row.told ?? undefined }
}

export const insertSourceKey = async (
  { db, tenantId }: Tenancy,
  values: { source: string; key: string; device_id: string; told: ToldValues },
): Promise<void> =>
  void (await tables(db)
    .insertInto('device_sources')
    .values({ tenant_id: tenantId, ...values, told: JSON.stringify(values.told) })
    .execute())

export const updateTold = async ({ db, tenantId }: Tenancy, source: string, key: string, told: ToldValues): Promise<void> =>
  void (await tables(db)
    .updateTable('device_sources')
    .set({ told: JSON.stringify(told) })
    .where('tenant_id', '=', tenantId)
    .where('source', '=', source)
    .where('key', '=', key)
    .execute())

export async function countSourceKeys({ db, tenantId }: Tenancy, deviceId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('device_sources')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

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
