// The table of requests for cards, and every question that is asked of it.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { RequestState } from '../rules.ts'

export type RequestRecord = {
  tenant_id: string
  id: string
  user_id: string
  card_template_id: string
  state: RequestState
  due_at: Date | null
  deliver_to: string
  by_name: string
  made_at: Date
  ended_at: Date | null
}

type RequestTables = { card_requests: RequestRecord }

const tables = (db: Database) => db.withTables<RequestTables>()

const columns = { madeAt: 'made_at', dueDate: 'due_at' } as const
export type Question = {
  page: number
  size: number
  sort?: keyof typeof columns | undefined
  direction: 'asc' | 'desc'
  state?: RequestState | undefined
  cardTemplateId?: string | undefined
  /** The people whose requests these are; everybody where undefined. */
  among: readonly string[] | undefined
}

export const pageOfRequests = ({ db, tenantId }: Tenancy, question: Question): Promise<{ rows: RequestRecord[]; total: number }> => {
  const { state, cardTemplateId, among, sort = 'madeAt', direction } = question
  return readPage(
    tables(db)
      .selectFrom('card_requests')
      .where('tenant_id', '=', tenantId)
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'open'))
      .$if(cardTemplateId !== undefined, (query) => query.where('card_template_id', '=', cardTemplateId ?? ''))
      .$if(among !== undefined, (query) => query.where('user_id', '=', sql<string>`any(${[...(among ?? [])]}::uuid[])`)),
    question,
    (all) => all.selectAll().orderBy(columns[sort], direction).orderBy('id'),
  )
}

/** Of these people those who have an open request for the template. */
export const openAmong = async ({ db, tenantId }: Tenancy, cardTemplateId: string, userIds: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await tables(db)
        .selectFrom('card_requests')
        .select('user_id')
        .where('tenant_id', '=', tenantId)
        .where('card_template_id', '=', cardTemplateId)
        .where('state', '=', 'open')
        .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
        .execute()
    ).map(({ user_id: id }) => id),
  )

/** Answers those that are new: whoever asked for the same at the same moment was first. */
export const insertRequests = (
  { db, tenantId, now }: Tenancy,
  rows: readonly Omit<RequestRecord, 'tenant_id' | 'made_at' | 'ended_at' | 'state'>[],
) =>
  tables(db)
    .insertInto('card_requests')
    .values(rows.map((row) => ({ tenant_id: tenantId, ...row, state: 'open' as const, made_at: now, ended_at: null })))
    .onConflict((conflict) =>
      // Written out: a parameter is not seen to be the condition of the index.
      conflict
        .columns(['tenant_id', 'user_id', 'card_template_id'])
        .where(sql<boolean>`state = 'open'`)
        .doNothing(),
    )
    .returning(['id', 'user_id'])
    .execute()

export const endRequests = ({ db, tenantId, now }: Tenancy, ids: readonly string[], state: RequestState) =>
  tables(db)
    .updateTable('card_requests')
    .set({ state, ended_at: now })
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'open')
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .returning(['id', 'user_id'])
    .execute()

export const findOpenOf = ({ db, tenantId }: Tenancy, userId: string, cardTemplateId: string): Promise<RequestRecord | undefined> =>
  tables(db)
    .selectFrom('card_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('card_template_id', '=', cardTemplateId)
    .where('state', '=', 'open')
    .executeTakeFirst()

/** Those of these that are open, the oldest first. */
export const findOpenRequests = ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<RequestRecord[]> =>
  tables(db)
    .selectFrom('card_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'open')
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('made_at')
    .orderBy('id')
    .execute()

export const deleteOfPerson = async ({ db, tenantId }: Omit<Tenancy, 'now'>, userId: string): Promise<void> =>
  void (await tables(db).deleteFrom('card_requests').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute())
