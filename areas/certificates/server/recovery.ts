// Finishes what was agreed to and not issued: after a crash, or when the key was out of reach. It may run beside the request that it
// overtakes: the locks in issue.ts see to it that one certificate comes of it.

import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { issueRequest } from './issue.ts'
import { unfinishedRequests } from './store.ts'

/** How long a request may be under way before it counts as left behind. */
const patience = 20_000

export async function finishUnfinished(house: House, since = patience): Promise<void> {
  const before = new Date(house.now().getTime() - since)
  for (const { id: tenantId } of await listTenancies(house.database)) {
    for (const requestId of await inTenant(house.database, tenantId, (db) => unfinishedRequests(db, tenantId, before))) {
      try {
        await issueRequest(house, tenantId, requestId)
      } catch (error) {
        house.log.error({ error, request: requestId }, 'an approved request could not be issued; it is tried again in a minute')
      }
    }
  }
}
