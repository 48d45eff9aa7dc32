// Identity providers, whom and which groups they keep in step, and what they sent: the tables, and every question that is asked of them.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type SourceRecord = {
  tenant_id: string
  id: string
  name: string
  answers_id: string
  answers: string
  invite: boolean
  version: number
  connected_at: Date
}
export type LinkRecord = {
  tenant_id: string
  source_id: string
  user_id: string
  user_name: string
  user_name_key: string
  external_id: string | null
  gone: boolean
  roles_due: boolean
  roles_taken: string[]
  disabled_at: Date | null
  active_there: boolean | null
  roles_refused_at: Date | null
}
export type GroupRecord = {
  tenant_id: string
  source_id: string
  id: string
  display_name: string
  display_name_key: string
  external_id: string | null
  role_ids: string[]
  version: number
  created_at: Date
  modified_at: Date
}
export type RequestRecord = {
  tenant_id: string
  id: string
  source_id: string
  at: Date
  method: string
  path: string
  status: number
  effect: string
  body: string
  user_id: string | null
}

type Tables = {
  scim_sources: SourceRecord
  scim_users: LinkRecord
  scim_groups: GroupRecord
  scim_group_members: { tenant_id: string; group_id: string; user_id: string }
  scim_requests: RequestRecord
}

const tables = (db: Database) => db.withTables<Tables>()
/** As one parameter: a group may have more members than a statement takes. */
const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${[...ids]}::uuid[])`

export const findSource = ({ db, tenantId }: Tenancy, id: string): Promise<SourceRecord | undefined> =>
  tables(db).selectFrom('scim_sources').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findSourcePage = ({ db, tenantId }: Tenancy, part: { page: number; size: number }) =>
  readPage(tables(db).selectFrom('scim_sources').where('tenant_id', '=', tenantId), part, (all) =>
    all.selectAll().orderBy('name').orderBy('id'),
  )

/** Whoever says so last answers for it. */
export async function updateSource(
  { db, tenantId, now }: Tenancy,
  source: Pick<SourceRecord, 'id' | 'name' | 'answers_id' | 'answers' | 'invite'>,
): Promise<void> {
  const { name, answers_id, answers, invite } = source
  await tables(db)
    .insertInto('scim_sources')
    .values({ tenant_id: tenantId, ...source, version: 1, connected_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'id'])
        .doUpdateSet((all) => ({ name, answers_id, answers, invite, version: all('scim_sources.version', '+', 1) })),
    )
    .execute()
}

/** With its groups, its journal and whom it knew; the people stay. */
export async function deleteSource({ db, tenantId }: Tenancy, id: string): Promise<void> {
  await tables(db)
    .deleteFrom('scim_group_members')
    .where('tenant_id', '=', tenantId)
    .where('group_id', 'in', (all) =>
      all.selectFrom('scim_groups').select('id').where('tenant_id', '=', tenantId).where('source_id', '=', id),
    )
    .execute()
  for (const table of ['scim_groups', 'scim_users', 'scim_requests'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('source_id', '=', id).execute()
  await tables(db).deleteFrom('scim_sources').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

const links = ({ db, tenantId }: Tenancy, sourceId: string) =>
  tables(db).selectFrom('scim_users').where('tenant_id', '=', tenantId).where('source_id', '=', sourceId)

/** Of whom it keeps in step, also of whom it deleted. */
export const findLink = (tenancy: Tenancy, sourceId: string, userId: string): Promise<LinkRecord | undefined> =>
  links(tenancy, sourceId).selectAll().where('user_id', '=', userId).executeTakeFirst()

export const findLinkNamed = (tenancy: Tenancy, sourceId: string, key: string): Promise<LinkRecord | undefined> =>
  links(tenancy, sourceId).selectAll().where('user_name_key', '=', key).forUpdate().executeTakeFirst()

export const findLinkByExternalId = (tenancy: Tenancy, sourceId: string, externalId: string): Promise<LinkRecord | undefined> =>
  links(tenancy, sourceId).selectAll().where('external_id', '=', externalId).forUpdate().executeTakeFirst()

/** A page of those who fit, in the order in which they came; nobody whom it deleted. */
export async function findLinkPage(
  tenancy: Tenancy,
  sourceId: string,
  where: RawBuilder<boolean>,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: LinkRecord[]; total: number }> {
  const fitting = links(tenancy, sourceId).where('gone', '=', false).where(where)
  const rows = limit === 0 ? [] : await fitting.selectAll().orderBy('user_id').limit(limit).offset(offset).execute()
  const { total } = await fitting.select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** Which of these ids are people whom it keeps in step. */
export async function knownAmong(tenancy: Tenancy, sourceId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await links(tenancy, sourceId).select('user_id').where('gone', '=', false).where('user_id', '=', anyOf(ids)).execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Throws where the name or the id is another's: `scim_users_by_name`, `scim_users_by_external_id`. */
export async function insertLink(
  { db, tenantId }: Tenancy,
  link: Pick<LinkRecord, 'source_id' | 'user_id' | 'user_name' | 'user_name_key' | 'external_id'>,
): Promise<void> {
  await tables(db)
    .insertInto('scim_users')
    .values({
      tenant_id: tenantId,
      ...link,
      gone: false,
      roles_due: false,
      roles_taken: [],
      disabled_at: null,
      active_there: null,
      roles_refused_at: null,
    })
    .execute()
}

export async function updateLink(
  { db, tenantId }: Tenancy,
  { source_id, user_id }: Pick<LinkRecord, 'source_id' | 'user_id'>,
  changes: Partial<Omit<LinkRecord, 'tenant_id' | 'source_id' | 'user_id'>>,
): Promise<void> {
  await tables(db)
    .updateTable('scim_users')
    .set(changes)
    .where('tenant_id', '=', tenantId)
    .where('source_id', '=', source_id)
    .where('user_id', '=', user_id)
    .execute()
}

/** Of an account that is deleted here. */
export async function countLinksOf({ db, tenantId }: Tenancy, userId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('scim_users')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteLinksOf(db: Database, tenantId: string, userId: string): Promise<void> {
  for (const table of ['scim_users', 'scim_group_members'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** Those whose roles are to be made out of their groups again; who was refused since `refusedBefore` has to wait. */
export const listDue = (
  tenancy: Tenancy,
  refusedBefore: Date,
  most: number,
): Promise<Pick<LinkRecord, 'source_id' | 'user_id' | 'roles_refused_at'>[]> =>
  tables(tenancy.db)
    .selectFrom('scim_users')
    .select(['source_id', 'user_id', 'roles_refused_at'])
    .where('tenant_id', '=', tenancy.tenantId)
    .where('roles_due', '=', true)
    .where((all) => all.or([all('roles_refused_at', 'is', null), all('roles_refused_at', '<', refusedBefore)]))
    .orderBy('user_id')
    .limit(most)
    .execute()

/** Marks the members of a group, whose roles another mapping changes; `taken` are roles that it gives no more. */
export async function markDue({ db, tenantId }: Tenancy, sourceId: string, groupId: string, taken: readonly string[]): Promise<number> {
  const marked = await tables(db)
    .updateTable('scim_users')
    .set({ roles_due: true, roles_refused_at: null, roles_taken: sql<string[]>`roles_taken || ${[...taken]}::uuid[]` })
    .where('tenant_id', '=', tenantId)
    .where('source_id', '=', sourceId)
    .where('user_id', 'in', (all) =>
      all.selectFrom('scim_group_members').select('user_id').where('tenant_id', '=', tenantId).where('group_id', '=', groupId),
    )
    .executeTakeFirst()
  return Number(marked.numUpdatedRows)
}

/** What is still to be taken away from these people. */
export async function findTaken(tenancy: Tenancy, sourceId: string, userIds: readonly string[]): Promise<Map<string, string[]>> {
  if (userIds.length === 0) return new Map()
  const rows = await links(tenancy, sourceId).select(['user_id', 'roles_taken']).where('user_id', '=', anyOf(userIds)).execute()
  return new Map(rows.map(({ user_id, roles_taken }) => [user_id, roles_taken]))
}

export async function countBySource({ db, tenantId }: Tenancy, table: 'scim_users' | 'scim_groups'): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom(table)
    .select((all) => ['source_id', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .$if(table === 'scim_users', (query) => query.where(sql<boolean>`not gone`))
    .groupBy('source_id')
    .execute()
  return new Map(rows.map((row) => [row.source_id, Number(row.count)]))
}

export async function insertRequest({ db, tenantId }: Tenancy, request: Omit<RequestRecord, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('scim_requests')
    .values({ tenant_id: tenantId, ...request })
    .execute()
}

export const findRequestPage = (
  { db, tenantId }: Tenancy,
  { sourceId, outcome }: { sourceId: string; outcome: 'done' | 'refused' | undefined },
  part: { page: number; size: number },
) =>
  readPage(
    tables(db)
      .selectFrom('scim_requests')
      .where('tenant_id', '=', tenantId)
      .where('source_id', '=', sourceId)
      .$if(outcome !== undefined, (query) => query.where('status', outcome === 'refused' ? '>=' : '<', 400)),
    part,
    (all) => all.selectAll().orderBy('at', 'desc').orderBy('id', 'desc'),
  )

/** What was sent in a time, in its order. */
export const listRequests = (
  { db, tenantId }: Tenancy,
  sourceId: string,
  { from, to }: { from: Date; to: Date },
  most: number,
): Promise<RequestRecord[]> =>
  tables(db)
    .selectFrom('scim_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('source_id', '=', sourceId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .orderBy('id')
    .limit(most)
    .execute()

export async function findLastChanges({ db, tenantId }: Tenancy): Promise<Map<string, Date>> {
  const rows = await tables(db)
    .selectFrom('scim_requests')
    .select((all) => ['source_id', all.fn.max('at').as('at')])
    .where('tenant_id', '=', tenantId)
    .groupBy('source_id')
    .execute()
  return new Map(rows.map((row) => [row.source_id, row.at]))
}

export async function deleteOldRequests({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  await tables(db).deleteFrom('scim_requests').where('tenant_id', '=', tenantId).where('at', '<', before).execute()
}

/** Undoes what `work` does where it throws, and goes on in the same transaction. */
export async function withSavepoint<T>({ db }: Tenancy, work: () => Promise<T>): Promise<T> {
  await sql`savepoint scim_request`.execute(db)
  try {
    const done = await work()
    await sql`release savepoint scim_request`.execute(db)
    return done
  } catch (error) {
    await sql`rollback to savepoint scim_request`.execute(db)
    throw error
  }
}
