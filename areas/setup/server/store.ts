import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '#core/server/database.ts'

type SetupTables = { setup_links: { token_hash: string; expires_at: Date } }
const tables = (db: Database) => db.withTables<SetupTables>()

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
const lifeMilliseconds = 24 * 3_600_000

/** A fresh link token; the one before is void. */
export async function makeSetupToken(db: Database, now: Date): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await db.transaction().execute(async (transaction) => {
    await tables(transaction).deleteFrom('setup_links').execute()
    await tables(transaction).insertInto('setup_links').values({ token_hash: hashOf(token), expires_at: new Date(now.getTime() + lifeMilliseconds) }).execute()
  })
  return token
}

export async function findSetupToken(db: Database, token: string, now: Date): Promise<Date | undefined> {
  const row = await tables(db).selectFrom('setup_links').select('expires_at').where('token_hash', '=', hashOf(token)).where('expires_at', '>', now).executeTakeFirst()
  return row?.expires_at
}

/** Uses the token up. False where another request was faster. */
export async function useSetupToken(db: Database, token: string, now: Date): Promise<boolean> {
  const used = await tables(db).deleteFrom('setup_links').where('token_hash', '=', hashOf(token)).where('expires_at', '>', now).returning('token_hash').executeTakeFirst()
  return used !== undefined
}
