// Ends the waiting requests of a disabled user, and those whose certificate that user was to hold. A request that is approved already is checked again when it
// is issued (issue.ts). Goes over the managed tenancies too, because a user of the management tenancy may have asked there.

import { cancelApproval } from '#areas/approvals/service.ts'
import { managedBy } from '#areas/tenancy/service.ts'
import { users } from '#areas/users/contract.ts'
import type { House } from '#core/server/house.ts'
import { on } from '#core/server/serve.ts'
import { certificates } from '../../contract.ts'
import { changeRequest, lockRequest, openRequestsOf } from './request-store.ts'
import { subjectOf } from './voting.ts'

const reason = 'The account of the person who asked, or whom it is for, was disabled'

export const endForDisabledUsers = on(users.events.disabled, async ({ tenantId, about: userId }, house) => {
  const managed = await managedBy(house.database, tenantId)
  for (const id of [tenantId, ...managed.map((tenancy) => tenancy.id)]) await endIn(house, id, userId)
})

const endIn = (house: House, tenantId: string, userId: string): Promise<void> =>
  house.work(tenantId, { name: 'Requests' }, async ({ db, emitFor }) => {
    const now = house.now()
    for (const requestId of await openRequestsOf(db, tenantId, userId)) {
      const request = await lockRequest(db, tenantId, requestId)
      if (request?.stage !== 'waiting' && request?.stage !== 'awaitingKey') continue
      await changeRequest(db, tenantId, requestId, { stage: 'denied', error: reason, updated_at: now })
      await cancelApproval(db, subjectOf(tenantId, requestId), now)
      emitFor(certificates)('failed', { requestId, reason }, requestId)
    }
  })
