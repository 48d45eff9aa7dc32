// What goes on by itself: validations and orders that a server left behind, and old orders that came to nothing.

import { forEach } from '#core/server/each.ts'
import type { JobHandlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import type { acme } from '../contract.ts'
import { keepDays } from '../rules.ts'
import { settleOrder } from './issuing.ts'
import { deleteOld, findLeftValidations, findOrder, findProcessing, lockAuthorization, stepAuthorization } from './order-store.ts'
import { leftBefore, validate } from './validation.ts'

const most = 200
const day = 86_400_000

export const jobs: JobHandlers<typeof acme> = {
  goOn: {
    async inTenancy({ house, tenantId, until }) {
      const before = leftBefore(house.now())
      const left = await withTenancy(house, tenantId, async (tenancy) => ({
        validations: await findLeftValidations(tenancy, before, most),
        orders: await findProcessing(tenancy, before, most),
      }))
      await forEach(left.validations, async ({ id }) => {
        // What is left stays due.
        if (performance.now() > until) return
        const isTaken = await house.work(tenantId, { name: 'ACME' }, async ({ tenancy }) => {
          const row = await lockAuthorization(tenancy, id)
          if (row?.status !== 'pending' || row.began_at === null || row.began_at > before) return false
          return stepAuthorization(tenancy, id, 'pending', { began_at: tenancy.now })
        })
        if (isTaken) await validate(house, tenantId, id)
      })
      await forEach(left.orders, async ({ id }) => {
        const order = await withTenancy(house, tenantId, (tenancy) => findOrder(tenancy, id))
        if (order !== undefined) await settleOrder(house, tenantId, order)
      })
    },
  },
  tidy: {
    inTenancy: ({ house, tenantId }) =>
      withTenancy(house, tenantId, (tenancy) => deleteOld(tenancy, new Date(tenancy.now.getTime() - keepDays * day))),
  },
}
