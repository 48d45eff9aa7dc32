import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { TokenState } from '../tokens.ts'
import { tables, type TokenRow } from './store.ts'

export const allTokens = (db: Database, tenantId: string): Promise<TokenRow[]> =>
  tables(db).selectFrom('key_tokens').selectAll().where('tenant_id', '=', tenantId).orderBy('name').limit(1_000).execute()

export const findToken = (db: Database, tenantId: string, tokenId: string): Promise<TokenRow | undefined> =>
  tables(db).selectFrom('key_tokens').selectAll().where('tenant_id', '=', tenantId).where('id', '=', tokenId).executeTakeFirst()

export async function insertToken(db: Database, row: TokenRow): Promise<void> {
  await tables(db).insertInto('key_tokens').values(row).execute()
}

export async function changeToken(
  db: Database,
  tenantId: string,
  tokenId: string,
  changes: Partial<Omit<TokenRow, 'tenant_id' | 'id'>>,
): Promise<void> {
  await tables(db).updateTable('key_tokens').set(changes).where('tenant_id', '=', tenantId).where('id', '=', tokenId).execute()
}

export async function deleteToken(db: Database, tenantId: string, tokenId: string): Promise<void> {
  await tables(db).deleteFrom('key_tokens').where('tenant_id', '=', tenantId).where('id', '=', tokenId).execute()
}

/** What was found out with this PIN; says nothing of another one given meanwhile. Returns the state before, where it is another. */
export async function noteTokenState(
  db: Database,
  { tenant_id: tenantId, id, sealed }: Pick<TokenRow, 'tenant_id' | 'id' | 'sealed'>,
  state: TokenState,
  now: Date,
): Promise<TokenState | undefined> {
  const row = await tables(db)
    .selectFrom('key_tokens')
    .select('state')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('sealed', '=', sealed)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || row.state === state) return undefined
  await changeToken(db, tenantId, id, { state, state_since: now })
  return row.state
}

/** The keys here that live on this token. */
export const keysOfToken = (db: Database, tenantId: string, tokenId: string) =>
  tables(db)
    .selectFrom('keys')
    .select(['id', 'object_id', 'algorithm', 'made_at'])
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .orderBy('made_at')
    .execute()

/** Every key of the tenancy that lives on a token, with the state of the token. */
export const keysOnTokens = (db: Database, tenantId: string) =>
  tables(db)
    .selectFrom('keys')
    .innerJoin('key_tokens', (join) =>
      join.onRef('key_tokens.tenant_id', '=', 'keys.tenant_id').onRef('key_tokens.id', '=', 'keys.token_id'),
    )
    .select(['keys.id', 'key_tokens.id as token_id', 'key_tokens.name', 'key_tokens.state', 'key_tokens.state_since'])
    .where('keys.tenant_id', '=', tenantId)
    .execute()

/** How many keys each token holds for the tenancy. */
export async function keyCounts(db: Database, tenantId: string): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('keys')
    .select(['token_id', sql<number>`count(*)::int`.as('count')])
    .where('tenant_id', '=', tenantId)
    .where('token_id', 'is not', null)
    .groupBy('token_id')
    .execute()
  return new Map(rows.flatMap(({ token_id: tokenId, count }) => (tokenId === null ? [] : [[tokenId, count]])))
}
