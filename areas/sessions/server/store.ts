// Sessions, codes and tokens: the tables, and every question that is asked of them. Secrets stand here as hashes, or sealed.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'

export type SessionRow = {
  tenant_id: string
  id: string
  secret_hash: string
  user_id: string
  stage: 'pending' | 'open'
  working_tenant_id: string
  created_at: Date
  expires_at: Date
  address: string
  user_agent: string
  strong: boolean
  proved_at: Date | null
  /** Empty where a password or a passkey opened it. */
  opened_by: string
}

type SessionTables = {
  sessions: SessionRow
  code_secrets: {
    tenant_id: string
    user_id: string
    secret: Buffer
    confirmed: boolean
    last_step: number
    offered: Buffer | null
    offered_at: Date | null
  }
  recovery_codes: { tenant_id: string; user_id: string; code_hash: string; offered: boolean }
  code_waivers: { tenant_id: string; user_id: string; waived_by: string; waived_at: Date }
  api_tokens: {
    tenant_id: string
    id: string
    user_id: string
    name: string
    secret_hash: string
    scopes: string[]
    created_at: Date
    expires_at: Date
    last_used_at: Date | null
  }
}

const tables = (db: Database) => db.withTables<SessionTables>()

/** Sessions and tokens: nothing that was given out opens anything any more, but the session that is kept. */
export async function endAccessOf(db: Database, tenantId: string, userId: string, currentSessionId?: string): Promise<number> {
  let sessions = tables(db).deleteFrom('sessions').where('tenant_id', '=', tenantId).where('user_id', '=', userId)
  if (currentSessionId !== undefined) sessions = sessions.where('id', '!=', currentSessionId)
  const ended = await sessions.executeTakeFirst()
  const tokens = await tables(db)
    .deleteFrom('api_tokens')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(ended.numDeletedRows + tokens.numDeletedRows)
}

/** Ends what was opened by this: one sign-in provider, or by all whose name begins so. */
export async function deleteSessionsOpenedBy(db: Database, tenantId: string, openedBy: string): Promise<void> {
  await tables(db)
    .deleteFrom('sessions')
    .where('tenant_id', '=', tenantId)
    .where((all) => all.fn<boolean>('starts_with', ['opened_by', all.val(openedBy)]))
    .execute()
}

export async function insertSession(db: Database, row: SessionRow): Promise<void> {
  await tables(db).insertInto('sessions').values(row).execute()
}

/** The session in this stage that a secret opens, while its time lasts. */
export const findSession = (
  db: Database,
  tenantId: string,
  secretHash: string,
  stage: SessionRow['stage'],
  now: Date,
): Promise<SessionRow | undefined> =>
  tables(db)
    .selectFrom('sessions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('secret_hash', '=', secretHash)
    .where('stage', '=', stage)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Whether it is there still: it may have been ended since it was looked up. */
export const sessionStands = async (db: Database, tenantId: string, id: string): Promise<boolean> =>
  (await tables(db).selectFrom('sessions').select('id').where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()) !==
  undefined

export const findSessionById = (db: Database, tenantId: string, id: string): Promise<SessionRow> =>
  tables(db).selectFrom('sessions').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirstOrThrow()

export async function updateSession(
  db: Database,
  tenantId: string,
  id: string,
  changes: Partial<Pick<SessionRow, 'expires_at' | 'working_tenant_id' | 'strong' | 'proved_at'>>,
): Promise<void> {
  await tables(db).updateTable('sessions').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** The session that ended by it; undefined where there was none. */
export const deleteSession = (db: Database, tenantId: string, secretHash: string): Promise<SessionRow | undefined> =>
  tables(db)
    .deleteFrom('sessions')
    .where('tenant_id', '=', tenantId)
    .where('secret_hash', '=', secretHash)
    .returningAll()
    .executeTakeFirst()

export async function deleteEndedSessions(db: Database, tenantId: string, now: Date): Promise<void> {
  await tables(db).deleteFrom('sessions').where('tenant_id', '=', tenantId).where('expires_at', '<', now).execute()
}

/** The sessions of a person that open something now, the newest first. */
export const listOpenSessions = (db: Database, tenantId: string, userId: string, now: Date): Promise<SessionRow[]> =>
  tables(db)
    .selectFrom('sessions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('stage', '=', 'open')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()

/** False where the person has no such session. */
export async function deleteSessionById(db: Database, tenantId: string, userId: string, id: string): Promise<boolean> {
  const ended = await tables(db)
    .deleteFrom('sessions')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}

/** All of a person, those between password and code too. Answers how many of them were open. */
export async function deleteSessionsOf(db: Database, tenantId: string, userId: string): Promise<number> {
  const ended = await tables(db)
    .deleteFrom('sessions')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .returning('stage')
    .execute()
  return ended.filter(({ stage }) => stage === 'open').length
}

export const countTokensOf = async (db: Database, tenantId: string, userId: string): Promise<number> =>
  (
    await tables(db)
      .selectFrom('api_tokens')
      .select((all) => all.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  ).count

export type TokenRow = SessionTables['api_tokens']

export async function insertToken(db: Database, row: TokenRow): Promise<void> {
  await tables(db).insertInto('api_tokens').values(row).execute()
}

export const findToken = (db: Database, tenantId: string, secretHash: string): Promise<TokenRow | undefined> =>
  tables(db).selectFrom('api_tokens').selectAll().where('tenant_id', '=', tenantId).where('secret_hash', '=', secretHash).executeTakeFirst()

export const findTokenById = (db: Database, tenantId: string, id: string): Promise<TokenRow | undefined> =>
  tables(db).selectFrom('api_tokens').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function noteTokenUse(db: Database, tenantId: string, id: string, now: Date): Promise<void> {
  await tables(db).updateTable('api_tokens').set({ last_used_at: now }).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** A page of a person's tokens, the newest first. */
export async function pageOfTokens(
  db: Database,
  tenantId: string,
  userId: string,
  { page, size }: { page: number; size: number },
): Promise<{ rows: TokenRow[]; total: number }> {
  const mine = tables(db).selectFrom('api_tokens').where('tenant_id', '=', tenantId).where('user_id', '=', userId)
  return readPage(mine, { page, size }, (all) => all.selectAll().orderBy('created_at', 'desc'))
}

/** False where the person has no such token. */
export async function deleteToken(db: Database, tenantId: string, userId: string, id: string): Promise<boolean> {
  const removed = await tables(db)
    .deleteFrom('api_tokens')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return removed !== undefined
}

export type CodeSecretRow = SessionTables['code_secrets']

export const findCodeSecret = (db: Database, tenantId: string, userId: string): Promise<CodeSecretRow | undefined> =>
  tables(db).selectFrom('code_secrets').selectAll().where('tenant_id', '=', tenantId).where('user_id', '=', userId).executeTakeFirst()

/** The same, held until the transaction ends: two requests with one code come one after the other. */
export const holdCodeSecret = (db: Database, tenantId: string, userId: string): Promise<CodeSecretRow | undefined> =>
  tables(db)
    .selectFrom('code_secrets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()

/** Offers a sealed secret; one that was confirmed before stays. */
export async function writeOffer(db: Database, tenantId: string, userId: string, sealed: Buffer, now: Date): Promise<void> {
  await tables(db)
    .insertInto('code_secrets')
    .values({ tenant_id: tenantId, user_id: userId, secret: sealed, confirmed: false, last_step: 0, offered: sealed, offered_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ offered: sealed, offered_at: now }))
    .execute()
}

export async function updateCodeSecret(
  db: Database,
  tenantId: string,
  userId: string,
  changes: Partial<Omit<CodeSecretRow, 'tenant_id' | 'user_id'>>,
): Promise<void> {
  await tables(db).updateTable('code_secrets').set(changes).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** What was offered and not taken is void; what was confirmed stays. */
export async function deleteOffer(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db)
    .deleteFrom('code_secrets')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('confirmed', '=', false)
    .execute()
  await updateCodeSecret(db, tenantId, userId, { offered: null, offered_at: null })
  await tables(db)
    .deleteFrom('recovery_codes')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('offered', '=', true)
    .execute()
}

/** Offers recovery codes in the place of those offered before. */
export async function replaceOfferedRecoveryCodes(
  db: Database,
  tenantId: string,
  userId: string,
  hashes: readonly string[],
): Promise<void> {
  await tables(db)
    .deleteFrom('recovery_codes')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('offered', '=', true)
    .execute()
  await tables(db)
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ tenant_id: tenantId, user_id: userId, code_hash: hash, offered: true })))
    .execute()
}

/** The offered recovery codes take the place of the ones before. Codes of an offer that an older release made stand as they are. */
export async function takeOfferedRecoveryCodes(db: Database, tenantId: string, userId: string): Promise<void> {
  const offered = await tables(db)
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('offered', '=', true)
    .limit(1)
    .executeTakeFirst()
  if (offered === undefined) return
  await tables(db)
    .deleteFrom('recovery_codes')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('offered', '=', false)
    .execute()
  await tables(db)
    .updateTable('recovery_codes')
    .set({ offered: false })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
}

/** Uses a recovery code up. False where there is none like it. */
export async function spendRecoveryCode(db: Database, tenantId: string, userId: string, hash: string): Promise<boolean> {
  const spent = await tables(db)
    .deleteFrom('recovery_codes')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('offered', '=', false)
    .returning('code_hash')
    .executeTakeFirst()
  return spent !== undefined
}

/** Whether the person signs in without a code. */
export const findWaiver = async (db: Database, tenantId: string, userId: string): Promise<boolean> =>
  (await tables(db)
    .selectFrom('code_waivers')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()) !== undefined

export async function insertWaiver(db: Database, row: SessionTables['code_waivers']): Promise<void> {
  await tables(db)
    .insertInto('code_waivers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A code is asked for from now on. */
export async function deleteWaiver(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('code_waivers').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** The person's secret and recovery codes are gone, and a new code will be asked for. */
export async function deleteCodes(db: Database, tenantId: string, userId: string): Promise<void> {
  await deleteWaiver(db, tenantId, userId)
  await tables(db).deleteFrom('code_secrets').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  await tables(db).deleteFrom('recovery_codes').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
