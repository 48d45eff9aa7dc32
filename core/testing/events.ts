// The events of a tenancy, read as the auditor reads them.

import type { EventRow, EventTables } from '#core/server/events.ts'
import type { TestHouse } from './house.ts'

export const audited = (house: TestHouse, tenantId: string): Promise<EventRow[]> =>
  house.house.auditor.database.withTables<EventTables>().selectFrom('events').selectAll().where('tenant_id', '=', tenantId).orderBy('at').orderBy('id').execute()
