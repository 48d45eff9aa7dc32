// The endpoints of devices, and which certificates they should serve and were seen to serve.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { protocols } from '../rules.ts'

export type EndpointRecord = {
  tenant_id: string
  id: string
  device_id: string
  name: string
  mac: string
  address: string
  port: number
  protocol: (typeof protocols)[number]
  server_name: string
  /** The devices that had it before merges, the last one last. */
  moved_from: string[]
}
export type ServedRecord = {
  tenant_id: string
  endpoint_id: string
  fingerprint: string
  should: boolean
  seen_first: Date | null
  seen_last: Date | null
}
const tables = (db: Database) => db.withTables<{ device_endpoints: EndpointRecord; endpoint_certificates: ServedRecord }>()

export const listEndpoints = async ({ db, tenantId }: Tenancy, deviceIds: readonly string[]): Promise<EndpointRecord[]> =>
  deviceIds.length === 0
    ? []
    : tables(db)
        .selectFrom('device_endpoints')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('device_id', '=', sql<string>`any(${[...deviceIds]}::uuid[])`)
        .orderBy('name')
        .orderBy('address')
        .orderBy('port')
        .orderBy('id')
        .execute()

/** The endpoints at an address and a port. */
export const findEndpointsAt = ({ db, tenantId }: Tenancy, address: string, port: number): Promise<EndpointRecord[]> =>
  tables(db)
    .selectFrom('device_endpoints')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('address', '=', address)
    .where('port', '=', port)
    .execute()

export const insertEndpoints = async (
  { db, tenantId }: Tenancy,
  rows: readonly Omit<EndpointRecord, 'tenant_id' | 'moved_from'>[],
): Promise<void> => {
  if (rows.length > 0)
    await tables(db)
      .insertInto('device_endpoints')
      .values(rows.map((row) => ({ tenant_id: tenantId, moved_from: [], ...row })))
      .execute()
}

export const updateEndpoint = async (
  { db, tenantId }: Tenancy,
  { id, device_id, ...values }: Omit<EndpointRecord, 'tenant_id' | 'moved_from'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('device_endpoints')
    .set(values)
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', device_id)
    .where('id', '=', id)
    .execute())

export const deleteEndpoints = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<void> => {
  const chosen = sql<string>`any(${[...ids]}::uuid[])`
  await tables(db).deleteFrom('endpoint_certificates').where('tenant_id', '=', tenantId).where('endpoint_id', '=', chosen).execute()
  await tables(db).deleteFrom('device_endpoints').where('tenant_id', '=', tenantId).where('id', '=', chosen).execute()
}

/** Gives the endpoints of a device to another. */
export const updateEndpointHolder = async ({ db, tenantId }: Tenancy, fromId: string, toId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('device_endpoints')
    .set({ device_id: toId, moved_from: sql`moved_from || ${fromId}::uuid` })
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', fromId)
    .execute())

export const updateEndpointBack = async ({ db, tenantId }: Tenancy, keptId: string, toId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('device_endpoints')
    .set({ device_id: toId, moved_from: sql`moved_from[1:cardinality(moved_from) - 1]` })
    .where('tenant_id', '=', tenantId)
    .where('device_id', '=', keptId)
    .where(sql<boolean>`moved_from[cardinality(moved_from)] = ${toId}`)
    .execute())

export const listServed = async ({ db, tenantId }: Tenancy, endpointIds: readonly string[]): Promise<ServedRecord[]> =>
  endpointIds.length === 0
    ? []
    : tables(db)
        .selectFrom('endpoint_certificates')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('endpoint_id', '=', sql<string>`any(${[...endpointIds]}::uuid[])`)
        .orderBy('should', 'desc')
        .orderBy('seen_last', (order) => order.desc().nullsLast())
        .orderBy('fingerprint')
        .execute()

/** What was seen: the first time stays. */
export const insertSeen = async ({ db, tenantId, now }: Tenancy, endpointId: string, fingerprint: string): Promise<void> =>
  void (await tables(db)
    .insertInto('endpoint_certificates')
    .values({ tenant_id: tenantId, endpoint_id: endpointId, fingerprint, should: false, seen_first: now, seen_last: now })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'endpoint_id', 'fingerprint']).doUpdateSet({
        seen_last: now,
        seen_first: sql`coalesce(endpoint_certificates.seen_first, excluded.seen_first)`,
      }),
    )
    .execute())

/** What an endpoint should serve from now on, and nothing else. */
export async function updateShould({ db, tenantId }: Tenancy, endpointId: string, fingerprint: string): Promise<void> {
  await tables(db)
    .updateTable('endpoint_certificates')
    .set({ should: false })
    .where('tenant_id', '=', tenantId)
    .where('endpoint_id', '=', endpointId)
    .where('fingerprint', '<>', fingerprint)
    .execute()
  await tables(db)
    .insertInto('endpoint_certificates')
    .values({ tenant_id: tenantId, endpoint_id: endpointId, fingerprint, should: true, seen_first: null, seen_last: null })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'endpoint_id', 'fingerprint']).doUpdateSet({ should: true }))
    .execute()
}
