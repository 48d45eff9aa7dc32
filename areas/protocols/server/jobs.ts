// What goes on without a client: enrolments that wait for somebody to agree, and what came to nothing long ago.

import { forEach } from '#core/server/each.ts'
import type { JobHandlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import type { protocolRoom } from '../contract.ts'
import { keepDays } from '../rules.ts'
import { settle } from './enrol.ts'
import { deleteOldSecrets } from './secret-store.ts'
import { findProfile } from './store.ts'
import { deleteOldTransactions, listOpenTransactions } from './transaction-store.ts'

const minute = 60_000
const day = 86_400_000

export const jobs: JobHandlers<typeof protocolRoom> = {
  goOn: {
    async inTenancy({ house, tenantId }) {
      const open = await withTenancy(house, tenantId, (tenancy) => listOpenTransactions(tenancy, new Date(tenancy.now.getTime() - minute)))
      await forEach(open, async (transaction) => {
        const profile = await withTenancy(house, tenantId, (tenancy) => findProfile(tenancy, transaction.profile_id))
        if (profile !== undefined) await settle(house, tenantId, profile, transaction)
      })
    },
  },
  tidy: {
    inTenancy: ({ house, tenantId }) =>
      withTenancy(house, tenantId, async (tenancy) => {
        const before = new Date(tenancy.now.getTime() - keepDays * day)
        await deleteOldTransactions(tenancy, before)
        await deleteOldSecrets(tenancy, before)
      }),
  },
}
