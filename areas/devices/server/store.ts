// Devices, and every question that is asked of them. One that was merged into another is in no list.

import { sql, type Generated } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { firstTypes, type DeviceStatus, type SourceKind } from '../rules.ts'

export type DeviceRecord = {
  tenant_id: string
  id: string
  name: string
  hostname: string
  type: string
  status: DeviceStatus
  owner_user_id: string | null
  organisation_id: string | null
  location_id: string | null
  note: string
  serial: string
  source: SourceKind
  added_at: Date
  modified_at: Date
  seen_at: Date | null
  merged_into: string | null
  version: number
}

type DeviceTables = {
  devices: Omit<DeviceRecord, 'version'> & { version: Generated<number> }
  device_types: { tenant_id: string; name: string }
}

const tables = (db: Database) => db.withTables<DeviceTables>()

export type DeviceQuestion = {
  text: string
  type?: readonly string[] | undefined
  status?: readonly DeviceStatus[] | undefined
  source?: readonly SourceKind[] | undefined
  ownerId?: string | undefined
  organisationId?: string | undefined
  conflict?: boolean | undefined
}
export type Selected = { selectAll: boolean; inclusionList: readonly string[]; exclusionList: readonly string[] }

/** Devices that claim what is open to decide. */
const inConflict = (tenantId: string) => sql<boolean>`devices.id in (
  select device_claims.device_id from device_claims join device_conflicts
    on device_conflicts.tenant_id = device_claims.tenant_id and device_conflicts.kind = device_claims.kind
    and device_conflicts.value = device_claims.value and device_conflicts.state = 'open'
  where device_claims.tenant_id = ${tenantId})`

const matching = ({ db, tenantId }: Tenancy, question: DeviceQuestion) => {
  const { type = [], status = [], source = [], ownerId, organisationId, conflict } = question
  const typed = question.text.trim().toLowerCase()
  let query = tables(db).selectFrom('devices').where('devices.tenant_id', '=', tenantId).where('devices.merged_into', 'is', null)
  if (typed !== '')
    query = query.where(
      sql<boolean>`(strpos(lower(devices.name), ${typed}) > 0 or strpos(devices.hostname, ${typed}) > 0 or devices.id in (
        select device_id from device_claims where tenant_id = ${tenantId}
        and value in (${typed}, ${typed.toUpperCase()}, ${typed.replaceAll(/[.:-]/g, '').replaceAll(/(..)(?=.)/g, '$1:')})))`,
    )
  if (type.length > 0) query = query.where('devices.type', 'in', [...type])
  if (status.length > 0) query = query.where('devices.status', 'in', [...status])
  if (source.length > 0) query = query.where('devices.source', 'in', [...source])
  if (ownerId !== undefined) query = query.where('devices.owner_user_id', '=', ownerId)
  if (organisationId !== undefined) query = query.where('devices.organisation_id', '=', organisationId)
  if (conflict === true) query = query.where(inConflict(tenantId))
  if (conflict === false) query = query.where(sql<boolean>`not ${inConflict(tenantId)}`)
  return query
}

const columns = { name: 'name', type: 'type', status: 'status', seenAt: 'seen_at', addedAt: 'added_at' } as const
export type DevicePage = {
  page: number
  size: number
  sort?: keyof typeof columns | undefined
  direction: 'asc' | 'desc'
}

export async function findPage(
  tenancy: Tenancy,
  question: DeviceQuestion,
  { page, size, sort = 'name', direction }: DevicePage,
): Promise<{ rows: DeviceRecord[]; total: number }> {
  const rows = await matching(tenancy, question)
    .selectAll('devices')
    .orderBy(sql.ref(columns[sort]), (order) => (direction === 'asc' ? order.asc() : order.desc()).nullsLast())
    .orderBy('devices.id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const found = matching(tenancy, question)
    .select('devices.id')
    .limit(countedUpTo + 1)
  const { total } = await tables(tenancy.db)
    .selectFrom(found.as('found'))
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** How many there are of each type or status, of those that the other filters leave. */
export async function countBy(tenancy: Tenancy, column: 'type' | 'status', question: DeviceQuestion): Promise<Record<string, number>> {
  const rows = await matching(tenancy, { ...question, [column]: undefined })
    .select((all) => [`devices.${column} as of`, all.fn.countAll<number>().as('count')])
    .groupBy(`devices.${column}`)
    .execute()
  return Object.fromEntries(rows.map((row) => [row.of, Number(row.count)]))
}

/** The ids of those that were chosen in a list, locked in their order until the commit. */
export async function lockSelected(tenancy: Tenancy, selected: Selected, question: DeviceQuestion, most: number): Promise<string[]> {
  const { selectAll, inclusionList, exclusionList } = selected
  const rows = await matching(tenancy, selectAll ? question : { text: '' })
    .select('devices.id')
    .where(
      'devices.id',
      selectAll ? 'not in' : 'in',
      sql<string>`(select unnest(${[...(selectAll ? exclusionList : inclusionList)]}::uuid[]))`,
    )
    .orderBy('devices.id')
    .limit(most)
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

export const findDevice = ({ db, tenantId }: Tenancy, id: string): Promise<DeviceRecord | undefined> =>
  tables(db).selectFrom('devices').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Locks the row until the commit, so that nobody changes, merges or deletes what is decided by it. */
export const lockDevice = ({ db, tenantId }: Tenancy, id: string): Promise<DeviceRecord | undefined> =>
  tables(db).selectFrom('devices').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** Locks the rows in the order of their ids, so that two who lock some of the same do not wait for each other. */
export const lockDevices = ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<DeviceRecord[]> =>
  tables(db)
    .selectFrom('devices')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${[...new Set(ids)]}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()

/** Which of these have others merged into them. */
export async function findKept({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tables(db)
    .selectFrom('devices')
    .select('merged_into')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('merged_into', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
  return new Set(rows.flatMap(({ merged_into }) => merged_into ?? []))
}

export const findDevices = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<DeviceRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('devices')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', '=', sql<string>`any(${[...new Set(ids)]}::uuid[])`)
        .orderBy('name')
        .orderBy('id')
        .execute()

/** The beginning of a name goes first. */
export const findNamed = (tenancy: Tenancy, text: string, most: number): Promise<DeviceRecord[]> =>
  matching(tenancy, { text })
    .selectAll('devices')
    .orderBy(sql`strpos(lower(devices.name), ${text.trim().toLowerCase()}) desc`)
    .orderBy('name')
    .limit(most)
    .execute()

/** In the order of their ids, those after one: for the export. */
export const listAfter = (tenancy: Tenancy, after: string | undefined, most: number): Promise<DeviceRecord[]> =>
  matching(tenancy, { text: '' })
    .selectAll('devices')
    .$if(after !== undefined, (query) => query.where('devices.id', '>', after ?? ''))
    .orderBy('devices.id')
    .limit(most)
    .execute()

export type DeviceValues = Pick<
  DeviceRecord,
  'name' | 'hostname' | 'type' | 'status' | 'owner_user_id' | 'organisation_id' | 'note' | 'serial'
>

export const insertDevices = async (
  { db, tenantId, now }: Tenancy,
  rows: readonly (DeviceValues & { id: string; source: SourceKind; seen_at?: Date; location_id?: string })[],
): Promise<void> => {
  for (let from = 0; from < rows.length; from += 2_000)
    await tables(db)
      .insertInto('devices')
      .values(
        rows.slice(from, from + 2_000).map((row) => ({
          location_id: null,
          seen_at: null,
          ...row,
          tenant_id: tenantId,
          added_at: now,
          modified_at: now,
          merged_into: null,
        })),
      )
      .execute()
}

export const updateDevices = async (
  { db, tenantId, now }: Tenancy,
  ids: readonly string[],
  values: Partial<DeviceValues & Pick<DeviceRecord, 'merged_into' | 'seen_at' | 'location_id'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('devices')
    .set((all) => ({ ...values, modified_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute())

/** All in one statement, because an import writes hundreds at a time. */
export const updateSerials = async ({ db, tenantId, now }: Tenancy, rows: readonly { id: string; serial: string }[]): Promise<void> => {
  if (rows.length > 0)
    await sql`
      update devices set serial = told.serial, modified_at = ${now}, version = version + 1
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ serial }) => serial)}::text[]) as told (id, serial)
      where devices.tenant_id = ${tenantId} and devices.id = told.id`.execute(db)
}

/** When a source saw it last, which is no change of the device. */
export const updateSeen = async ({ db, tenantId }: Tenancy, id: string, at: Date): Promise<void> =>
  void (await tables(db).updateTable('devices').set({ seen_at: at }).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** A device with all that were merged into it, and into those. */
export const mergedInto = (tenantId: string, id: string) => sql<string>`(
  with recursive merged (id) as (
    values (${id}::uuid) union select devices.id from devices join merged on devices.merged_into = merged.id where devices.tenant_id = ${tenantId}
  ) select id from merged)`

/** With those that were merged into it. */
export const deleteDevice = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('devices').where('tenant_id', '=', tenantId).where('id', 'in', mergedInto(tenantId, id)).execute())

/** Those that were merged into a device and still are. */
export const findMerged = ({ db, tenantId }: Tenancy, id: string): Promise<DeviceRecord[]> =>
  tables(db).selectFrom('devices').selectAll().where('tenant_id', '=', tenantId).where('merged_into', '=', id).orderBy('id').execute()

export async function countOwned({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, userId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('devices')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('owner_user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const updateOwner = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, fromId: string, toId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('devices')
    .set({ owner_user_id: toId })
    .where('tenant_id', '=', tenantId)
    .where('owner_user_id', '=', fromId)
    .execute())

export const deleteOwner = async ({ db, tenantId }: Tenancy, userId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('devices')
    .set({ owner_user_id: null })
    .where('tenant_id', '=', tenantId)
    .where('owner_user_id', '=', userId)
    .execute())

export async function countOfOrganisation({ db, tenantId }: Tenancy, organisationId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('devices')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A tenancy that has changed none has those that come with it. */
export async function listTypes({ db, tenantId }: Tenancy): Promise<string[]> {
  const rows = await tables(db).selectFrom('device_types').select('name').where('tenant_id', '=', tenantId).orderBy('name').execute()
  return rows.length === 0 ? [...firstTypes] : rows.map(({ name }) => name)
}

export const insertTypes = async ({ db, tenantId }: Tenancy, names: readonly string[]): Promise<void> =>
  void (await tables(db)
    .insertInto('device_types')
    .values(names.map((name) => ({ tenant_id: tenantId, name })))
    .onConflict((conflict) => conflict.doNothing())
    .execute())

export const deleteType = async ({ db, tenantId }: Tenancy, name: string): Promise<void> =>
  void (await tables(db).deleteFrom('device_types').where('tenant_id', '=', tenantId).where('name', '=', name).execute())
