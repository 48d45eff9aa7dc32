// The events of a tenancy, read as the auditor reads them.

import type { EventRow, EventTables } from '#core/server/events.ts'
import type { TestHouse } from './house.ts'
import { until } from './until.ts'

export const audited = (house: TestHouse, tenantId: string): Promise<EventRow[]> =>
  house.house.auditor.database
    .withTables<EventTables>()
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('at')
    .orderBy('id')
    .execute()

/** Waits until all events are numbered and signed. */
export async function allSigned(house: TestHouse): Promise<void> {
  await until(
    'the signature of each event',
    async () => {
      const { rows } = await house.house.auditor.pool.query<{ open: number }>(
        'select (select count(*) from events where sequence is null) + (select count(*) from events) - (select coalesce(max(size), 0) from audit_checkpoints) as open',
      )
      return Number(rows[0]?.open) === 0
    },
    { every: 50 },
  )
}
