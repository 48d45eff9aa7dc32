// How devices are shown: with the names of their owners and organisations.

import { findOrganisations } from '#areas/organisations/service.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { devices } from '../contract.ts'
import { listOpen } from './conflict-store.ts'
import type { EndpointRecord } from './endpoint-store.ts'
import type { DeviceRecord } from './store.ts'

type Row = OutputOf<typeof devices.calls.search>['rows'][number]

const some = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]

export async function presentRows(tenancy: Tenancy, rows: readonly DeviceRecord[]): Promise<Row[]> {
  const people = await findPeople(tenancy.db, tenancy.tenantId, some(rows.map((row) => row.owner_user_id)))
  const organisations = await findOrganisations(tenancy, some(rows.map((row) => row.organisation_id)))
  const conflicts = await listOpen(
    tenancy,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const owner = people.find(({ id }) => id === row.owner_user_id)
    return {
      id: row.id,
      name: row.name,
      type: row.type,
      hostname: row.hostname,
      serial: row.serial,
      status: row.status,
      owner: owner === undefined ? '' : fullName(owner),
      organisation: organisations.find(({ id }) => id === row.organisation_id)?.name ?? '',
      source: row.source,
      ...(row.seen_at === null ? {} : { seenAt: row.seen_at.toISOString() }),
      conflict: conflicts.some(({ device_ids }) => device_ids.includes(row.id)),
    }
  })
}

export const presentEndpoint = (row: EndpointRecord) => ({
  id: row.id,
  name: row.name,
  mac: row.mac,
  address: row.address,
  port: row.port,
  protocol: row.protocol,
  serverName: row.server_name,
})
