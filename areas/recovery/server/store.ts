// Requests for password resets and the links that were mailed: the tables, and every question that is asked of them.

import type { Database } from '#core/server/database.ts'

export type LinkRecord = { tenant_id: string; token_hash: string; user_id: string; made_at: Date; expires_at: Date; bound_to: string }
export type RequestRecord = { email_key: string; requested_at: Date }

type RecoveryTables = { password_reset_requests: RequestRecord; password_reset_links: LinkRecord }

const tables = (db: Database) => db.withTables<RecoveryTables>()

/** The same work whether the address was asked for already or not. */
export async function writeRequest(db: Database, emailKey: string, now: Date): Promise<void> {
  await tables(db)
    .insertInto('password_reset_requests')
    .values({ email_key: emailKey, requested_at: now })
    .onConflict((conflict) => conflict.column('email_key').doUpdateSet({ requested_at: now }))
    .execute()
}

export const listRequests = (db: Database, most: number): Promise<RequestRecord[]> =>
  tables(db).selectFrom('password_reset_requests').selectAll().orderBy('requested_at').limit(most).execute()

/** One that was asked for again since it was read stays: it is a request of its own. */
export async function deleteRequest(db: Database, { email_key, requested_at }: RequestRecord): Promise<void> {
  await tables(db)
    .deleteFrom('password_reset_requests')
    .where('email_key', '=', email_key)
    .where('requested_at', '<=', requested_at)
    .execute()
}

export const newestLink = (db: Database, tenantId: string, userId: string): Promise<LinkRecord | undefined> =>
  tables(db)
    .selectFrom('password_reset_links')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .orderBy('made_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Adds a link; those of the person that have expired go. */
export async function insertLink(db: Database, row: LinkRecord): Promise<void> {
  await tables(db)
    .deleteFrom('password_reset_links')
    .where('tenant_id', '=', row.tenant_id)
    .where('user_id', '=', row.user_id)
    .where('expires_at', '<=', row.made_at)
    .execute()
  await tables(db).insertInto('password_reset_links').values(row).execute()
}

export const findLink = (db: Database, tenantId: string, hash: string, now: Date): Promise<LinkRecord | undefined> =>
  tables(db)
    .selectFrom('password_reset_links')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** All links of a person: whoever has used one needs no other. */
export async function deleteLinksOf(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('password_reset_links').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
