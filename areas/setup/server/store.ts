import { sql } from 'kysely'
import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '#core/server/database.ts'

type SetupTables = { setup_links: { token_hash: string; expires_at: Date } }
const tables = (db: Database) => db.withTables<SetupTables>()

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
const lifeMilliseconds = 24 * 3_600_000
const lease = 0x73657475

/** A fresh link token. Those before it stay good until they expire or one is used: another server may have printed them. */
export async function makeSetupToken(db: Database, now: Date): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await tables(db).deleteFrom('setup_links').where('expires_at', '<=', now).execute()
  await tables(db)
    .insertInto('setup_links')
    .values({ token_hash: hashOf(token), expires_at: new Date(now.getTime() + lifeMilliseconds) })
    .execute()
  return token
}

export async function findSetupToken(db: Database, token: string, now: Date): Promise<Date | undefined> {
  const row = await tables(db)
    .selectFrom('setup_links')
    .select('expires_at')
    .where('token_hash', '=', hashOf(token))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.expires_at
}

/** Uses the token up, and every other with it. False where another request was faster, with whichever token; the others wait for the open transaction. */
export async function useSetupToken(db: Database, token: string, now: Date): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${lease})`.execute(db)
  if ((await findSetupToken(db, token, now)) === undefined) return false
  await tables(db).deleteFrom('setup_links').execute()
  return true
}
