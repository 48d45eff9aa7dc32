// The visits of a tenancy.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { VisitState } from '../rules.ts'

export type VisitRecord = {
  tenant_id: string
  id: string
  name: string
  company: string
  email_address: string
  host_id: string
  begins: Date
  until: Date
  purpose: string
  pass_number: string
  arrived_at: Date | null
  left_at: Date | null
  cancelled: boolean
  told: boolean
  version: number
}

type VisitTables = { visits: VisitRecord }

const tables = (db: Database) => db.withTables<VisitTables>()
const ofTenancy = ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>) => tables(db).selectFrom('visits').where('tenant_id', '=', tenantId)

export const findVisit = (tenancy: Tenancy, id: string): Promise<VisitRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('id', '=', id).executeTakeFirst()

/** Held until the transaction ends: who arrives does not arrive twice. */
export const lockVisit = (tenancy: Tenancy, id: string): Promise<VisitRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const findVisitPage = (
  tenancy: Tenancy,
  { page, size, text, state }: { page: number; size: number; text: string; state: VisitState | undefined },
) => {
  const { now } = tenancy
  const part = text.trim().toLowerCase()
  return readPage(
    ofTenancy(tenancy)
      .$if(part !== '', (query) =>
        query.where((all) =>
          all.or(
            (['name', 'company'] as const).map((column) =>
              all.eb(all.fn<number>('strpos', [all.fn('lower', [column]), all.val(part)]), '>', 0),
            ),
          ),
        ),
      )
      .$if(state === 'cancelled', (query) => query.where('cancelled', '=', true))
      .$if(state === 'left', (query) => query.where('left_at', 'is not', null))
      .$if(state === 'arrived' || state === 'overstayed', (query) =>
        query
          .where('arrived_at', 'is not', null)
          .where('left_at', 'is', null)
          .where('until', state === 'arrived' ? '>' : '<=', now),
      )
      .$if(state === 'planned' || state === 'noShow', (query) =>
        query
          .where('arrived_at', 'is', null)
          .where('cancelled', '=', false)
          .where('until', state === 'planned' ? '>' : '<=', now),
      ),
    { page, size },
    (all) => all.selectAll().orderBy('begins', 'desc').orderBy('id'),
  )
}

export async function insertVisit(
  { db, tenantId }: Tenancy,
  visit: Omit<VisitRecord, 'tenant_id' | 'cancelled' | 'told' | 'version'>,
): Promise<void> {
  await tables(db)
    .insertInto('visits')
    .values({ tenant_id: tenantId, ...visit, cancelled: false, told: false, version: 1 })
    .execute()
}

export async function updateVisit(
  { db, tenantId }: Tenancy,
  id: string,
  changes: Partial<Pick<VisitRecord, 'pass_number' | 'arrived_at' | 'left_at' | 'cancelled' | 'told' | 'until'>>,
): Promise<void> {
  await tables(db)
    .updateTable('visits')
    .set((all) => ({ ...changes, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Those who are here longer than planned and whose host does not know it. */
export const listOverstayed = (tenancy: Tenancy, most: number): Promise<VisitRecord[]> =>
  ofTenancy(tenancy)
    .selectAll()
    .where('arrived_at', 'is not', null)
    .where('left_at', 'is', null)
    .where('told', '=', false)
    .where('until', '<=', tenancy.now)
    .orderBy('until')
    .limit(most)
    .execute()

/** Of somebody who is expected to receive visitors, or has them now. */
export async function countOpenOf({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, hostId: string, now: Date): Promise<number> {
  const { count } = await ofTenancy({ db, tenantId })
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('host_id', '=', hostId)
    .where('left_at', 'is', null)
    .where('cancelled', '=', false)
    .where((all) => all.or([all('arrived_at', 'is not', null), all('until', '>', now)]))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The same, held: those who are expected, and those who are here. */
export const lockOpenOf = (tenancy: Tenancy, hostId: string): Promise<VisitRecord[]> =>
  ofTenancy(tenancy)
    .selectAll()
    .where('host_id', '=', hostId)
    .where('left_at', 'is', null)
    .where('cancelled', '=', false)
    .where((all) => all.or([all('arrived_at', 'is not', null), all('until', '>', tenancy.now)]))
    .orderBy('begins')
    .forUpdate()
    .execute()

/** Names of visitors are forgotten; who is still here stays. */
export async function deleteOldVisits({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  await tables(db)
    .deleteFrom('visits')
    .where('tenant_id', '=', tenantId)
    .where('until', '<', before)
    .where((all) => all.or([all('arrived_at', 'is', null), all('left_at', 'is not', null)]))
    .execute()
}
