// The list of devices as a file whose columns an import reads again.

import { findOrganisations } from '#areas/organisations/service.ts'
import { findPeople } from '#areas/users/service.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import type { EndpointRequest } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { devices } from '../contract.ts'
import { importColumns } from '../import-columns.ts'
import type { IdentifierKind } from '../rules.ts'
import { listClaims } from './claim-store.ts'
import { listAfter, type DeviceRecord } from './store.ts'

type Row = DeviceRecord & { owner: string; organisation: string; known: ReadonlyMap<IdentifierKind, string> }

const present = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]

export async function exportAll({ viewer, house, facts, now }: EndpointRequest) {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const { tenantId, userId } = viewer
  const read = (after: Row | undefined, size: number) =>
    withTenancy(house, tenantId, async (tenancy): Promise<Row[]> => {
      const rows = await listAfter(tenancy, after?.id, size)
      const people = new Map((await findPeople(tenancy.db, tenantId, present(rows.map((row) => row.owner_user_id)))).map((one) => [one.id, one.username])) // prettier-ignore
      const organisations = new Map((await findOrganisations(tenancy, present(rows.map((row) => row.organisation_id)))).map((one) => [one.id, one.name])) // prettier-ignore
      const claims = Map.groupBy(await listClaims(tenancy, rows.map(({ id }) => id)), ({ device_id }) => device_id) // prettier-ignore
      return rows.map((row) => ({
        ...row,
        owner: people.get(row.owner_user_id ?? '') ?? '',
        organisation: organisations.get(row.organisation_id ?? '') ?? '',
        known: new Map((claims.get(row.id) ?? []).toReversed().map(({ kind, value }) => [kind, value])),
      }))
    })
  const labels = importColumns
  return exportAnswer<Row>({
    name: 'devices',
    of: now,
    byteOrderMark: true,
    columns: {
      [labels.name.label]: ({ name }) => name,
      [labels.type.label]: ({ type }) => type,
      [labels.status.label]: ({ status }) => status,
      [labels.hostname.label]: ({ hostname }) => hostname,
      [labels.serial.label]: ({ known }) => known.get('serial'),
      [labels.mac.label]: ({ known }) => known.get('eui48'),
      [labels.uuid.label]: ({ known }) => known.get('uuid'),
      [labels.imei.label]: ({ known }) => known.get('imei'),
      [labels.asset.label]: ({ known }) => known.get('asset'),
      [labels.owner.label]: ({ owner }) => owner,
      [labels.organisation.label]: ({ organisation }) => organisation,
      [labels.note.label]: ({ note }) => note,
      [labels.id.label]: ({ id }) => id,
    },
    read,
    ended: (rows) =>
      house.work(tenantId, { userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
        emitFor(devices)('exported', { rows }),
      ),
  })
}
