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

type PhotoRecord = { tenant_id: string; request_id: string; type: string; bytes: Buffer }

type RequestTables = { card_requests: RequestRecord; card_request_photos: PhotoRecord }

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

export const insertPhoto = async ({ db, tenantId }: Tenancy, row: Omit<PhotoRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('card_request_photos')
    .values({ tenant_id: tenantId, ...row })
    .execute())

export const findPhoto = ({ db, tenantId }: Tenancy, requestId: string): Promise<PhotoRecord | undefined> =>
  tables(db)
    .selectFrom('card_request_photos')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('request_id', '=', requestId)
    .executeTakeFirst()

/** Those of these requests that have one. */
export const listWithPhoto = async ({ db, tenantId }: Tenancy, requestIds: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await tables(db)
        .selectFrom('card_request_photos')
        .select('request_id')
        .where('tenant_id', '=', tenantId)
        .where('request_id', '=', sql<string>`any(${[...requestIds]}::uuid[])`)
        .execute()
    ).map(({ request_id: id }) => id),
  )

/** Of withdrawn requests nobody needs them. */
export const deletePhotos = async ({ db, tenantId }: Tenancy, requestIds: readonly string[]): Promise<void> =>
  void (await tables(db)
    .deleteFrom('card_request_photos')
    .where('tenant_id', '=', tenantId)
    .where('request_id', '=', sql<string>`any(${[...requestIds]}::uuid[])`)
    .execute())

/** Of each of these people and each template the last request with a photo that was not withdrawn. */
export const listPhotoRequests = (
  { db, tenantId }: Tenancy,
  userIds: readonly string[],
): Promise<Pick<RequestRecord, 'id' | 'user_id' | 'card_template_id'>[]> =>
  tables(db)
    .selectFrom('card_requests')
    .innerJoin('card_request_photos', (join) =>
      join
        .onRef('card_request_photos.tenant_id', '=', 'card_requests.tenant_id')
        .onRef('card_request_photos.request_id', '=', 'card_requests.id'),
    )
    .distinctOn(['card_requests.user_id', 'card_requests.card_template_id'])
    .select(['card_requests.id', 'card_requests.user_id', 'card_requests.card_template_id'])
    .where('card_requests.tenant_id', '=', tenantId)
    .where('card_requests.user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .where('card_requests.state', '!=', 'withdrawn')
    .orderBy('card_requests.user_id')
    .orderBy('card_requests.card_template_id')
    .orderBy('card_requests.made_at', 'desc')
    .execute()

export const listOfPerson = ({ db, tenantId }: Tenancy, userId: string, most: number): Promise<RequestRecord[]> =>
  tables(db)
    .selectFrom('card_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .orderBy('made_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
