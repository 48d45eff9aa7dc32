// Removes a tenancy for good when its waiting time is over: table by table as the catalogue has them, in commits of some thousand rows, so that a crash
// loses one. The last commit takes the tenancy itself and leaves the certificate of deletion in the log of the one that managed it.

import { beginRemoval, deleteTenancy, endingTenancies, type Tenancy as TenancyFacts } from '#areas/tenancy/service.ts'
import { visitTenant } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import { allTenancies } from '#core/server/tenancies.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { tenantTables, type TenantTable } from '#core/server/tenant-tables.ts'
import { departure } from '../contract.ts'
import { settlingMilliseconds, staysInLog } from '../rules.ts'
import { countRemoved, deleteNaming, deleteSome, takeRemoved } from './store.ts'

const together = 2_000
const counted = 'tenancy_removals'

export const removeDue = async (house: House): Promise<void> =>
  forEach(await endingTenancies(house.database, house.now()), (tenancy) => remove(house, tenancy))

async function remove(house: House, tenancy: TenancyFacts): Promise<void> {
  // Who keeps the certificate of deletion is asked first, because without it nothing may go.
  const manager = tenancy.managedBy
  if (manager === undefined) return
  const now = house.now()
  if (tenancy.removingAt === undefined) return void (await beginRemoval(house.database, tenancy.id, now))
  // What was under way in it writes no more then, and no job goes there.
  if (now.getTime() - tenancy.removingAt.getTime() < settlingMilliseconds) return
  const tables = (await tenantTables(house.database)).filter(
    ({ name }) => name !== staysInLog && name !== counted && name !== 'public_addresses',
  )
  // What counts the rows of another table writes while these go, so that a second pass finds it.
  for (let left = true; left;) {
    left = false
    for (const table of tables) if ((await empty(house, tenancy.id, table)) > 0) left = true
  }
  for (const { id } of await allTenancies(house)) if (id !== tenancy.id) await forgetNaming(house, id, { tenancy, tables })
  await house.work(manager, { name: 'Removal of tenancies' }, async ({ tenancy: home, emitFor }) => {
    const rows = await visitTenant(home.db, { home: manager, tenantId: tenancy.id }, () =>
      takeRemoved({ db: home.db, tenantId: tenancy.id }),
    )
    await deleteTenancy(home.db, tenancy.id)
    emitFor(departure)(
      'removed',
      { tenancyId: tenancy.id, name: tenancy.name, askedBy: tenancy.endAskedBy, removedAt: now.toISOString(), rows },
      tenancy.id,
    )
  })
  house.log.info({ tenancy: tenancy.id }, 'a deleted tenancy was removed')
}

/** Another tenancy may have lent to the one that goes, borrowed from it, or been asked by it; its own log says that this ended. */
const forgetNaming = (house: House, tenantId: string, { tenancy, tables }: { tenancy: TenancyFacts; tables: readonly TenantTable[] }) =>
  house.work(tenantId, { name: 'Removal of tenancies' }, async ({ tenancy: other, emitFor }) => {
    let rows = 0
    for (const table of tables) rows += await deleteNaming(other, table, tenancy.id)
    if (rows > 0) emitFor(departure)('grantsRemoved', { tenancyId: tenancy.id, name: tenancy.name, rows }, tenancy.id)
  })

async function empty(house: House, tenantId: string, table: TenantTable): Promise<number> {
  for (let sum = 0; ;) {
    const rows = await withTenancy(house, tenantId, async (tenancy) => {
      const gone = await deleteSome(tenancy, table, together)
      if (gone > 0) await countRemoved(tenancy, table.name, gone)
      return gone
    })
    sum += rows
    if (rows === 0) return sum
  }
}
