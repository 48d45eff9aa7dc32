// The tables of sponsors and of whom they sponsor, and every question that is asked of them.

import { sql, type Generated, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { endingDays } from '../rules.ts'

export type SponsorRecord = {
  tenant_id: string
  id: string
  user_id: string
  organisation_id: string | null
  begins: Date
  until: Date | null
  most: number
  pass_types: string[]
  note: string
  added_at: Date
  version: number
}

type SponsorTables = {
  sponsors: Omit<SponsorRecord, 'version'> & { version: Generated<number> }
  sponsored_people: { tenant_id: string; user_id: string; sponsor_id: string; since: Date }
}

const tables = (db: Database) => db.withTables<SponsorTables>()

const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${[...ids]}::uuid[])`

const columns = { addedAt: 'added_at', until: 'until' } as const

export type Question = {
  page: number
  size: number
  sort?: keyof typeof columns | undefined
  direction: 'asc' | 'desc'
  state?: 'planned' | 'active' | 'ending' | 'ended' | undefined
  /** The people among whom the sponsors are; everybody where undefined. */
  among: readonly string[] | undefined
}

const matching = ({ db, tenantId, now }: Tenancy, { state, among }: Pick<Question, 'state' | 'among'>) => {
  const soon = new Date(now.getTime() + endingDays * 86_400_000)
  return tables(db)
    .selectFrom('sponsors')
    .where('tenant_id', '=', tenantId)
    .$if(among !== undefined, (query) => query.where('user_id', '=', anyOf(among ?? [])))
    .$if(state === 'ended', (query) => query.where('until', '<=', now))
    .$if(state === 'planned', (query) =>
      query.where('begins', '>', now).where((all) => all.or([all('until', 'is', null), all('until', '>', now)])),
    )
    .$if(state === 'active', (query) =>
      query.where('begins', '<=', now).where((all) => all.or([all('until', 'is', null), all('until', '>', now)])),
    )
    .$if(state === 'ending', (query) => query.where('until', '>', now).where('until', '<=', soon))
}

export async function findPage(tenancy: Tenancy, question: Question): Promise<{ rows: SponsorRecord[]; total: number }> {
  const { page, size, sort = 'addedAt', direction } = question
  const rows = await matching(tenancy, question)
    .selectAll()
    .orderBy(columns[sort], direction)
    .orderBy('id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await matching(tenancy, question)
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

export const findRows = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<SponsorRecord[]> =>
  ids.length === 0
    ? []
    : tables(db).selectFrom('sponsors').selectAll().where('tenant_id', '=', tenantId).where('id', '=', anyOf(ids)).execute()

export const findRow = ({ db, tenantId }: Tenancy, id: string): Promise<SponsorRecord | undefined> =>
  tables(db).selectFrom('sponsors').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findOfPerson = ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, userId: string): Promise<SponsorRecord | undefined> =>
  tables(db).selectFrom('sponsors').selectAll().where('tenant_id', '=', tenantId).where('user_id', '=', userId).executeTakeFirst()

/** Locks them until the commit, in the order of their ids, so that two who take people of both do not wait for each other. */
export const lockRows = ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<SponsorRecord[]> =>
  tables(db)
    .selectFrom('sponsors')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forUpdate()
    .execute()

/** Throws where the person is a sponsor already: the constraint `sponsors_by_person`. */
export const insertRow = async (
  { db, tenantId, now }: Tenancy,
  row: Omit<SponsorRecord, 'tenant_id' | 'added_at' | 'version'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('sponsors')
    .values({ tenant_id: tenantId, ...row, added_at: now })
    .execute())

export const updateRow = async (
  { db, tenantId }: Tenancy,
  id: string,
  values: Omit<SponsorRecord, 'tenant_id' | 'id' | 'user_id' | 'added_at' | 'version'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('sponsors')
    .set((all) => ({ ...values, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteRow = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('sponsors').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** How many people each has. */
export async function countPeople(
  { db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('sponsored_people')
    .select((all) => ['sponsor_id', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('sponsor_id', '=', anyOf(ids))
    .groupBy('sponsor_id')
    .execute()
  return new Map(rows.map((row) => [row.sponsor_id, Number(row.count)]))
}

export const listPeople = (
  { db, tenantId }: Tenancy,
  sponsorId: string,
  { page, size, direction }: { page: number; size: number; direction: 'asc' | 'desc' },
): Promise<{ user_id: string; since: Date }[]> =>
  tables(db)
    .selectFrom('sponsored_people')
    .select(['user_id', 'since'])
    .where('tenant_id', '=', tenantId)
    .where('sponsor_id', '=', sponsorId)
    .orderBy('since', direction)
    .orderBy('user_id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()

export const findSponsorOf = async ({ db, tenantId }: Tenancy, userId: string): Promise<string | undefined> =>
  (
    await tables(db)
      .selectFrom('sponsored_people')
      .select('sponsor_id')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.sponsor_id

export const insertPerson = async ({ db, tenantId, now }: Tenancy, userId: string, sponsorId: string): Promise<void> =>
  void (await tables(db)
    .insertInto('sponsored_people')
    .values({ tenant_id: tenantId, user_id: userId, sponsor_id: sponsorId, since: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ sponsor_id: sponsorId, since: now }))
    .execute())

export const deletePerson = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, userId: string): Promise<void> =>
  void (await tables(db).deleteFrom('sponsored_people').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute())

export const updatePeople = async ({ db, tenantId, now }: Tenancy, fromId: string, toId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('sponsored_people')
    .set({ sponsor_id: toId, since: now })
    .where('tenant_id', '=', tenantId)
    .where('sponsor_id', '=', fromId)
    .execute())
