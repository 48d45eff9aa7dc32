// The people's tables, and every question that is asked of them.

import { sql, type RawBuilder } from 'kysely'
import { staysOpen } from '#areas/tenancy/service.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import { prefixRange, searchTerms, termsOf } from '#core/server/search-terms.ts'
import type { Origin } from '../creation.ts'
import { deleteAttributes } from './attribute-store.ts'

type UserTables = {
  usernames: { username: string; tenant_id: string; user_id: string }
  users: {
    tenant_id: string
    id: string
    username: string
    given_name: string
    family_name: string
    email_address: string
    /** In small letters; none where an older account had the address first. */
    email_key: string | null
    telephone_number: string
    title: string
    locality: string
    organisation: string
    /** Empty where there is none. */
    security_identifier: string
    enabled: boolean
    activated_at: Date | null
    failed_logins: number
    last_successful_login: Date | null
    last_failed_login: Date | null
    created_at: Date
    modified_at: Date
    enabled_at: Date | null
    disabled_at: Date | null
    origin: Origin
  }
  user_words: { tenant_id: string; word: string; user_id: string }
  passwords: { tenant_id: string; user_id: string; hash: string; changed_at: Date }
  activation_links: {
    tenant_id: string
    token_hash: string
    user_id: string
    expires_at: Date
    held: string[] | null
    email_key: string | null
  }
}

export type UserRecord = UserTables['users']
type HeldRecord = UserRecord & { tenancy_stays: boolean }
export type ActivationLink = UserTables['activation_links']

const tables = (db: Database) => db.withTables<UserTables>()

/** As one parameter: a role may have more people than a statement takes. */
const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${[...ids]}::uuid[])`

/** Who works in a tenancy that ends counts as disabled. */
export const findUserRow = (db: Database, tenantId: string, id: string): Promise<HeldRecord | undefined> =>
  tables(db)
    .selectFrom('users')
    .selectAll()
    .select(staysOpen(tenantId).as('tenancy_stays'))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findUserRows = async (db: Database, tenantId: string, ids: readonly string[]): Promise<UserRecord[]> =>
  ids.length === 0
    ? []
    : tables(db).selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', '=', anyOf(ids)).execute()

/** Those of these who can sign in, the oldest first. */
export const activeAmong = (db: Database, tenantId: string, ids: readonly string[], most: number): Promise<UserRecord[]> =>
  tables(db)
    .selectFrom('users')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .where('enabled', '=', true)
    .where('activated_at', 'is not', null)
    .orderBy('id')
    .limit(most)
    .execute()

/** One, held until the transaction ends: two changes of one person come one after the other. */
export const holdUserRow = (db: Database, tenantId: string, id: string): Promise<HeldRecord | undefined> =>
  tables(db)
    .selectFrom('users')
    .selectAll()
    .select(staysOpen(tenantId).as('tenancy_stays'))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Writes the words anew that the person is found by. */
export async function indexUser(
  db: Database,
  user: Pick<UserRecord, 'tenant_id' | 'id' | 'username' | 'given_name' | 'family_name' | 'email_address'>,
): Promise<void> {
  await tables(db).deleteFrom('user_words').where('tenant_id', '=', user.tenant_id).where('user_id', '=', user.id).execute()
  const words = termsOf(user.username, user.given_name, user.family_name, user.email_address, `${user.given_name} ${user.family_name}`)
  await tables(db)
    .insertInto('user_words')
    .values(words.map((word) => ({ tenant_id: user.tenant_id, word, user_id: user.id })))
    .execute()
}

type UserStatus = 'active' | 'invited' | 'disabled'

/** `among`: questions whose answers are ids; who is found is in all of them. */
export type UserFilter = {
  text: string
  status: UserStatus | undefined
  among: readonly RawBuilder<string>[]
  /**
   * What is known of how many are found. `few`: the text finds so few that they are looked up one by one. `rare`: so few in all that they are found first and
   * then put in order. Else people are walked through in their order, which takes long where what is found stands far apart.
   */
  finds?: 'few' | 'rare'
}

/** The ranges of words that a text asks for, the longest first: the rarest as a rule. */
const rarestFirst = (text: string): { from: string; to: string }[] =>
  searchTerms(text)
    .toSorted((a, b) => b.length - a.length)
    .map(prefixRange)

const usersMatching = (db: Database, tenantId: string, filter: UserFilter) => {
  let query = tables(db).selectFrom('users').where('users.tenant_id', '=', tenantId)
  const terms = rarestFirst(filter.text)
  const [rarest] = terms
  if (filter.finds === 'few' && rarest !== undefined) {
    terms.shift()
    query = query.where(
      sql<boolean>`users.id = any(array(select user_id from user_words where tenant_id = ${tenantId} and word >= ${rarest.from} and word < ${rarest.to}))`,
    )
  }
  for (const { from, to } of terms) {
    query = query.where((all) =>
      all.exists(
        all
          .selectFrom('user_words')
          .whereRef('user_words.tenant_id', '=', 'users.tenant_id')
          .whereRef('user_words.user_id', '=', 'users.id')
          .where('word', '>=', from)
          .where('word', '<', to)
          .select('user_words.word'),
      ),
    )
  }
  for (const ids of filter.among) query = query.where('users.id', 'in', ids)
  if (filter.status === 'disabled') query = query.where('users.enabled', '=', false)
  if (filter.status === 'invited') query = query.where('users.enabled', '=', true).where('users.activated_at', 'is', null)
  if (filter.status === 'active') query = query.where('users.enabled', '=', true).where('users.activated_at', 'is not', null)
  return query
}

const sortColumns = {
  name: 'users.family_name',
  username: 'users.username',
  emailAddress: 'users.email_address',
  lastSuccessfulLogin: 'users.last_successful_login',
  createdAt: 'users.created_at',
} as const

export type UserPage = { page: number; size: number; sort: keyof typeof sortColumns | undefined; direction: 'asc' | 'desc' }

/** As an array the ids are found before anybody is put in order. */
const foundFirst = (db: Database, tenantId: string, filter: UserFilter) =>
  tables(db)
    .selectFrom('users')
    .where('users.tenant_id', '=', tenantId)
    .where(sql<boolean>`users.id = any(array${usersMatching(db, tenantId, filter).select('users.id')})`)

/** A page of the people that a list shows. */
export const pageOfUsers = (
  db: Database,
  tenantId: string,
  filter: UserFilter,
  { page, size, sort, direction }: UserPage,
): Promise<UserRecord[]> =>
  (filter.finds === 'rare' ? foundFirst(db, tenantId, filter) : usersMatching(db, tenantId, filter))
    .selectAll('users')
    .orderBy(sortColumns[sort ?? 'name'], direction)
    // As the index has them: nothing is sorted where nothing is asked for.
    .$if((sort ?? 'name') === 'name', (query) => query.orderBy('users.given_name', direction))
    .orderBy('users.id', direction)
    .limit(size)
    .offset((page - 1) * size)
    .execute()

/** Everybody of a filter after an id, by the ids. */
export const listUsersAfter = (
  db: Database,
  tenantId: string,
  filter: UserFilter,
  after: string | undefined,
  most: number,
): Promise<UserRecord[]> =>
  usersMatching(db, tenantId, filter)
    .selectAll('users')
    .$if(after !== undefined, (query) => query.where('users.id', '>', after ?? ''))
    .orderBy('users.id')
    .limit(most)
    .execute()

export const countUsers = async (db: Database, tenantId: string, filter: UserFilter): Promise<number> =>
  (
    await usersMatching(db, tenantId, filter)
      .select((all) => all.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
  ).total

/** How many people have an e-mail address in each of the domains. */
export async function countByMailDomain(db: Database, tenantId: string, names: readonly string[]): Promise<Map<string, number>> {
  const domain = sql<string>`split_part(email_key, '@', 2)`
  const rows = await tables(db)
    .selectFrom('users')
    .select((all) => [domain.as('domain'), all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where(domain, '=', sql<string>`any(${[...names]}::text[])`)
    .groupBy(domain)
    .execute()
  return new Map(rows.map((row) => [row.domain, Number(row.count)]))
}

type Counts = { counts: Record<string, number>; total: number; more: boolean; finds?: 'few' | 'rare' }

/** So many are put in order sooner than they are met with in the order of a million. */
const mostRare = 1_000

/**
 * How many the filter finds, and how many of each status the rest of it: up to `countedUpTo`. What a text or another question finds is counted by status only
 * where it is no more, because each of them is then looked at.
 */
export async function countByStatus(db: Database, tenantId: string, filter: UserFilter): Promise<Counts> {
  const most = countedUpTo + 1
  const asked = filter.status
  const capped = (count: number) => Math.min(count, countedUpTo)
  const countOf = async (status: UserStatus): Promise<number> => {
    const found = usersMatching(db, tenantId, { ...filter, status })
      .select(sql<number>`1`.as('one'))
      .limit(most)
    const { count } = await tables(db)
      .selectFrom(found.as('found'))
      .select((all) => all.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  if (filter.text.trim() === '' && filter.among.length === 0) {
    const counts = { active: await countOf('active'), invited: await countOf('invited'), disabled: await countOf('disabled') }
    const total = asked === undefined ? counts.active + counts.invited + counts.disabled : counts[asked]
    const shown = { active: capped(counts.active), invited: capped(counts.invited), disabled: capped(counts.disabled) }
    return { counts: shown, total: capped(total), more: total > countedUpTo, ...(total <= mostRare ? { finds: 'rare' as const } : {}) }
  }
  const found = await countFound(db, tenantId, filter)
  if (found.more) {
    const total = asked === undefined ? found.people : await countOf(asked)
    const rare = asked !== undefined && total <= mostRare
    return {
      counts: {},
      total: capped(total),
      more: asked === undefined || total > countedUpTo,
      ...(rare ? { finds: 'rare' as const } : {}),
    }
  }
  const status = sql<UserStatus>`case when not users.enabled then 'disabled' when users.activated_at is null then 'invited' else 'active' end`
  const rows = await usersMatching(db, tenantId, { ...filter, status: undefined, finds: 'few' })
    .select((all) => [status.as('status'), all.fn.countAll<number>().as('total')])
    .groupBy('status')
    .execute()
  const counts = { active: 0, invited: 0, disabled: 0, ...Object.fromEntries(rows.map((row) => [row.status, Number(row.total)])) }
  return { counts, total: asked === undefined ? found.people : counts[asked], more: false, finds: 'few' }
}

/** Reads ids alone, those that the longest word finds: the rarest as a rule. A person may be found by two words, so it reads twice as many as are told. */
async function countFound(
  db: Database,
  tenantId: string,
  { text, among }: Pick<UserFilter, 'text' | 'among'>,
): Promise<{ people: number; more: boolean }> {
  const mostRead = 2 * (countedUpTo + 1)
  const [rarest, ...others] = rarestFirst(text)
  const id = rarest === undefined ? sql<string>`users.id` : sql<string>`user_words.user_id`
  const from =
    rarest === undefined
      ? sql`users where users.tenant_id = ${tenantId}`
      : sql`user_words where user_words.tenant_id = ${tenantId} and word >= ${rarest.from} and word < ${rarest.to}`
  const narrowed = [
    ...among.map((ids) => sql` and ${id} in ${ids}`),
    ...others.map(
      (term) =>
        sql` and exists (select from user_words further where further.tenant_id = ${tenantId} and further.user_id = ${id} and further.word >= ${term.from} and further.word < ${term.to})`,
    ),
  ]
  const { rows } = await sql<{ people: number; read: number }>`
    select count(*)::int as people, coalesce(sum(times), 0)::int as read
    from (select count(*) as times from (select ${id} as id from ${from}${sql.join(narrowed, sql``)} limit ${mostRead}) as found group by id) as each`.execute(
    db,
  )
  const { people, read } = rows[0] ?? { people: 0, read: 0 }
  return { people, more: people > countedUpTo || read === mostRead }
}

/** Whether one of these people is active: enabled, and once through the activation link. */
export const anyCanSignIn = async (db: Database, tenantId: string, ids: readonly string[]): Promise<boolean> =>
  ids.length > 0 &&
  (await tables(db)
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .where('enabled', '=', true)
    .where('activated_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Those who have one of these e-mail addresses, given as their keys. */
export const findByEmailKeys = (db: Database, tenantId: string, keys: readonly string[]): Promise<UserRecord[]> =>
  tables(db)
    .selectFrom('users')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('email_key', 'in', [...keys])
    .execute()

const comparableColumns = {
  givenName: sql`given_name`,
  familyName: sql`family_name`,
  emailAddress: sql`email_address`,
  title: sql`title`,
  enabled: sql`enabled`,
  createdAt: sql`created_at`,
  modifiedAt: sql`modified_at`,
} as const

/** What of an account may be compared in a question of a program. */
export type ComparableColumn = keyof typeof comparableColumns
export type Comparison = 'eq' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

const orders = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const

/** Compares texts without case, and whatever a value holds stays a value. */
export function comparing(column: RawBuilder<unknown>, comparison: Comparison, value: string | boolean | Date): RawBuilder<boolean> {
  if (typeof value === 'boolean') return sql<boolean>`${column} = ${value}`
  if (value instanceof Date)
    return sql<boolean>`${column} ${comparison in orders ? orders[comparison as keyof typeof orders] : sql`=`} ${value}`
  const text = value.toLowerCase()
  switch (comparison) {
    case 'eq':
      return sql<boolean>`lower(${column}) = ${text}`
    case 'co':
      return sql<boolean>`strpos(lower(${column}), ${text}) > 0`
    case 'sw':
      return sql<boolean>`starts_with(lower(${column}), ${text})`
    case 'ew':
      return sql<boolean>`right(lower(${column}), ${text.length}) = ${text}`
    default:
      return sql<boolean>`lower(${column}) ${orders[comparison]} ${text}`
  }
}

/** As a part of another question: the ids of those of whose account a column compares so with a value. */
export function idsComparing(
  tenantId: string,
  column: ComparableColumn,
  comparison: Comparison,
  value: string | boolean | Date,
): RawBuilder<string> {
  const where =
    column === 'emailAddress' && comparison === 'eq' && typeof value === 'string'
      ? sql<boolean>`email_key = ${value.toLowerCase()}`
      : comparing(comparableColumns[column], comparison, value)
  return sql<string>`(select id from users where tenant_id = ${tenantId} and ${where})`
}

export const findUsernameRow = (db: Database, username: string): Promise<UserTables['usernames'] | undefined> =>
  tables(db).selectFrom('usernames').selectAll().where('username', '=', username.toLowerCase()).executeTakeFirst()

/** Which of these names belong to people of the tenancy, by the name in small letters. */
export async function findOwnUsernames(db: Database, tenantId: string, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('usernames')
    .select(['username', 'user_id'])
    .where('tenant_id', '=', tenantId)
    .where('username', '=', sql<string>`any(${names.map((name) => name.toLowerCase())}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.username, row.user_id]))
}

/** False where somebody of the installation has the name. */
export async function takeUsername(db: Database, tenantId: string, userId: string, username: string): Promise<boolean> {
  const taken = await tables(db)
    .insertInto('usernames')
    .values({ username: username.toLowerCase(), tenant_id: tenantId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return taken !== undefined
}

export async function releaseUsername(db: Database, userId: string, username: string): Promise<void> {
  await tables(db).deleteFrom('usernames').where('username', '=', username.toLowerCase()).where('user_id', '=', userId).execute()
}

/** How many were added in each week from `since` on, by the week's number, the first 0. */
export async function countByWeek(db: Database, tenantId: string, since: Date): Promise<Map<number, number>> {
  const week = sql<number>`floor(extract(epoch from created_at - ${since}::timestamptz) / 604800)::int`
  const rows = await tables(db)
    .selectFrom('users')
    .select((all) => [week.as('week'), all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('created_at', '>=', since)
    .groupBy('week')
    .execute()
  return new Map(rows.map((row) => [row.week, Number(row.count)]))
}

export const newestUsers = (db: Database, tenantId: string, most: number): Promise<UserRecord[]> =>
  tables(db)
    .selectFrom('users')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()

/** Throws where somebody of the tenancy has the e-mail address: the constraint `users_by_email`. */
export async function insertUser(db: Database, row: UserRecord): Promise<void> {
  await tables(db).insertInto('users').values(row).execute()
}

/** Throws where somebody else of the tenancy has the e-mail address: the constraint `users_by_email`. */
export async function updateUser(
  db: Database,
  tenantId: string,
  id: string,
  changes: Partial<Omit<UserRecord, 'tenant_id' | 'id'>>,
): Promise<void> {
  await tables(db).updateTable('users').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** False where the account is disabled, active already, or gone. */
export async function activateWaiting(db: Database, tenantId: string, id: string, now: Date): Promise<boolean> {
  const person = await tables(db)
    .updateTable('users')
    .set({ activated_at: now, modified_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where('activated_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return person !== undefined
}

export async function countSignIn(db: Database, tenantId: string, id: string, succeeded: boolean, now: Date): Promise<void> {
  await tables(db)
    .updateTable('users')
    .set((all) =>
      succeeded
        ? { last_successful_login: now, failed_logins: 0 }
        : { last_failed_login: now, failed_logins: all('failed_logins', '+', 1) },
    )
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Makes this the person's only link. */
export async function replaceLink(db: Database, link: ActivationLink): Promise<void> {
  await tables(db).deleteFrom('activation_links').where('tenant_id', '=', link.tenant_id).where('user_id', '=', link.user_id).execute()
  await tables(db).insertInto('activation_links').values(link).execute()
}

/** The links of these people that are still good in time. */
export const openLinks = async (db: Database, tenantId: string, userIds: readonly string[], now: Date): Promise<ActivationLink[]> =>
  userIds.length === 0
    ? []
    : tables(db)
        .selectFrom('activation_links')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', anyOf(userIds))
        .where('expires_at', '>', now)
        .execute()

export const findOpenLink = (db: Database, tenantId: string, hash: string, now: Date): Promise<ActivationLink | undefined> =>
  tables(db)
    .selectFrom('activation_links')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** The link, which is then used up; undefined where another request was faster. */
export const takeLink = (db: Database, tenantId: string, hash: string): Promise<ActivationLink | undefined> =>
  tables(db)
    .deleteFrom('activation_links')
    .where('tenant_id', '=', tenantId)
    .where('token_hash', '=', hash)
    .returningAll()
    .executeTakeFirst()

export async function readHash(db: Database, tenantId: string, userId: string): Promise<string | undefined> {
  const row = await tables(db)
    .selectFrom('passwords')
    .select('hash')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.hash
}

export async function writeHash(db: Database, tenantId: string, userId: string, hash: string, now: Date): Promise<void> {
  await tables(db)
    .insertInto('passwords')
    .values({ tenant_id: tenantId, user_id: userId, hash, changed_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ hash, changed_at: now }))
    .execute()
}

export async function deleteHash(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('passwords').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** The person with all that this room has of them. The sign-in name is released apart, for it is of the whole installation. */
export async function deleteUser(db: Database, tenantId: string, userId: string): Promise<void> {
  await deleteAttributes(db, tenantId, userId)
  for (const table of ['user_words', 'activation_links', 'passwords'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  await tables(db).deleteFrom('users').where('tenant_id', '=', tenantId).where('id', '=', userId).execute()
}
