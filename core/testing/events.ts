// The events of a tenancy, read as the auditor reads them.

import { expect } from 'vitest'
import type { EventRow, EventTables } from '#core/server/events.ts'
import type { TestHouse } from './house.ts'

export const audited = (house: TestHouse, tenantId: string): Promise<EventRow[]> =>
  house.house.auditor.database
    .withTables<EventTables>()
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('at')
    .orderBy('id')
    .execute()

/** Until all events are numbered and signed. */
export async function allSigned(house: TestHouse): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await house.house.auditor.pool.query<{ open: number }>(
          'select (select count(*) from events where sequence is null) + (select count(*) from events) - (select coalesce(max(size), 0) from audit_checkpoints) as open',
        )
        return rows[0]?.open
      },
      { interval: 50 },
    )
    .toBe(0)
}
