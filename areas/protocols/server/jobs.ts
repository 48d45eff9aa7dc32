// What goes on without a client: enrolments that wait for somebody to agree, and what came to nothing long ago.

import { forEach } from '#core/server/each.ts'
import type { JobHandlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import type { protocolRoom } from '../contract.ts'
import { keepDays } from '../rules.ts'
import { revokeUnwanted } from './cmp.ts'
import { settle } from './enrol.ts'
import { deleteOldSecrets } from './secret-store.ts'
import { findProfile } from './store.ts'
import { deleteOldTpmAttempts } from './tpm-store.ts'
import { deleteOldTransactions, endConfirmation, listOpenTransactions, listUnconfirmed } from './transaction-store.ts'

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
      // RFC 9810 5.3.18: what is not confirmed in time is revoked.
      const unconfirmed = await withTenancy(house, tenantId, listUnconfirmed)
      await forEach(unconfirmed, async (transaction) => {
        const profile = await withTenancy(house, tenantId, (tenancy) => findProfile(tenancy, transaction.profile_id))
        // First the revocation: twice changes nothing, and none would leave a certificate that nobody has.
        if (profile !== undefined && transaction.certificate_id !== null)
          await revokeUnwanted({ house, tenantId, profile }, transaction, { id: transaction.certificate_id })
        await withTenancy(house, tenantId, (tenancy) => endConfirmation(tenancy, transaction.id))
      })
    },
  },
  tidy: {
    inTenancy: ({ house, tenantId }) =>
      withTenancy(house, tenantId, async (tenancy) => {
        const before = new Date(tenancy.now.getTime() - keepDays * day)
        await deleteOldTransactions(tenancy, before)
        await deleteOldSecrets(tenancy, before)
        await deleteOldTpmAttempts(tenancy, before)
      }),
  },
}
