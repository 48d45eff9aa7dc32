import type { Database } from '#core/server/database.ts'
import { prefixRange, searchTerms, wordsOf } from '#core/server/search-words.ts'

export type UserTables = {
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
  }
  user_words: { tenant_id: string; word: string; user_id: string }
  passwords: { tenant_id: string; user_id: string; hash: string; changed_at: Date }
  activation_links: { tenant_id: string; token_hash: string; user_id: string; expires_at: Date; held: string[] | null }
}

export type UserRecord = UserTables['users']

export const tables = (db: Database) => db.withTables<UserTables>()

export const findUserRow = (db: Database, tenantId: string, id: string): Promise<UserRecord | undefined> =>
  tables(db).selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The same, held until the transaction ends: two changes of one person come one after the other. */
export const holdUserRow = (db: Database, tenantId: string, id: string): Promise<UserRecord | undefined> =>
  tables(db).selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** Writes the words anew that the person is found by. */
export async function indexUser(db: Database, user: Pick<UserRecord, 'tenant_id' | 'id' | 'username' | 'given_name' | 'family_name' | 'email_address'>): Promise<void> {
  await tables(db).deleteFrom('user_words').where('tenant_id', '=', user.tenant_id).where('user_id', '=', user.id).execute()
  const words = wordsOf(user.username, user.given_name, user.family_name, user.email_address, `${user.given_name} ${user.family_name}`)
  await tables(db)
    .insertInto('user_words')
    .values(words.map((word) => ({ tenant_id: user.tenant_id, word, user_id: user.id })))
    .execute()
}

export type UserFilter = { text: string; status: 'active' | 'invited' | 'disabled' | undefined; ids: string[] | undefined }

/** The people of a tenancy that a list shows, as a query still to be ordered and cut into pages. */
export const usersMatching = (db: Database, tenantId: string, filter: UserFilter) => {
  let query = tables(db).selectFrom('users').where('users.tenant_id', '=', tenantId)
  for (const term of searchTerms(filter.text)) {
    const { from, to } = prefixRange(term)
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
  if (filter.ids !== undefined) query = query.where('users.id', 'in', filter.ids.length > 0 ? filter.ids : ['00000000-0000-0000-0000-000000000000'])
  if (filter.status === 'disabled') query = query.where('users.enabled', '=', false)
  if (filter.status === 'invited') query = query.where('users.enabled', '=', true).where('users.activated_at', 'is', null)
  if (filter.status === 'active') query = query.where('users.enabled', '=', true).where('users.activated_at', 'is not', null)
  return query
}

/** Whether one of these people is active: enabled, and once through the activation link. */
export const anyCanSignIn = async (db: Database, tenantId: string, ids: readonly string[]): Promise<boolean> =>
  ids.length > 0 &&
  (await tables(db).selectFrom('users').select('id').where('tenant_id', '=', tenantId).where('id', 'in', [...ids]).where('enabled', '=', true).where('activated_at', 'is not', null).limit(1).executeTakeFirst()) !== undefined
