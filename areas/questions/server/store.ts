// Secret questions and the links that reset them: the tables, and every question that is asked of them.

import type { Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'

export type QuestionsRecord = {
  tenant_id: string
  user_id: string
  client_salt: string
  questions: string
  answers_hash: string
  version: number
  set_at: Date
  tries: number
  tried_at: Date | null
}
export type LinkRecord = { tenant_id: string; user_id: string; token_hash: string; made_at: Date; expires_at: Date }

type QuestionTables = {
  secret_questions: Omit<QuestionsRecord, 'tries'> & { tries: Generated<number> }
  secret_question_links: LinkRecord
}

const tables = (db: Database) => db.withTables<QuestionTables>()

export const findRow = (db: Database, tenantId: string, userId: string): Promise<QuestionsRecord | undefined> =>
  tables(db).selectFrom('secret_questions').selectAll().where('tenant_id', '=', tenantId).where('user_id', '=', userId).executeTakeFirst()

/** Locks the row until the commit, so that tries at once are counted one after the other. */
export const lockRow = (db: Database, tenantId: string, userId: string): Promise<QuestionsRecord | undefined> =>
  tables(db)
    .selectFrom('secret_questions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()

/** Takes the place of what was set before, whose wrong tries are forgotten. */
export async function writeRow(db: Database, row: Omit<QuestionsRecord, 'tries' | 'tried_at'>): Promise<void> {
  const { tenant_id: _tenant, user_id: _user, ...fresh } = row
  await tables(db)
    .insertInto('secret_questions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ ...fresh, tries: 0, tried_at: null }))
    .execute()
}

export async function updateRow(
  db: Database,
  tenantId: string,
  userId: string,
  changes: Partial<Pick<QuestionsRecord, 'tries' | 'tried_at' | 'version' | 'answers_hash'>>,
): Promise<void> {
  await tables(db).updateTable('secret_questions').set(changes).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

export const findLink = (db: Database, tenantId: string, userId: string): Promise<LinkRecord | undefined> =>
  tables(db)
    .selectFrom('secret_question_links')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

export async function replaceLink(db: Database, row: LinkRecord): Promise<void> {
  const { token_hash, made_at, expires_at } = row
  await tables(db)
    .insertInto('secret_question_links')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ token_hash, made_at, expires_at }))
    .execute()
}

/** Uses the person's link up; false where it is another's, has expired, or another request was faster. */
export const takeLink = async (db: Database, tenantId: string, userId: string, hash: string, now: Date): Promise<boolean> =>
  (await tables(db)
    .deleteFrom('secret_question_links')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst()) !== undefined

/** All that this room has of a person. */
export async function deletePerson(db: Database, tenantId: string, userId: string): Promise<void> {
  for (const table of ['secret_questions', 'secret_question_links'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
