import type { Database } from '#core/server/database.ts'
import type { KeyAlgorithm } from '../rules.ts'
import type { TokenState } from '../tokens.ts'

export type Provider = 'software' | 'pkcs11'

export type KeyTables = {
  tenant_keys: { tenant_id: string; id: string; sealed: Buffer; made_at: Date; retired_at: Date | null }
  keys: {
    tenant_id: string
    id: string
    provider: Provider
    algorithm: KeyAlgorithm
    spki: Buffer
    sealed: Buffer
    tenant_key_id: string
    made_at: Date
    /** Where and by what id a key on a token is found. */
    token_id: string | null
    object_id: Buffer | null
  }
  key_tokens: TokenRow
}

export type TokenRow = {
  tenant_id: string
  id: string
  name: string
  /** The file name of the module; its folder is the installation's affair. */
  module: string
  label: string
  serial: string
  manufacturer: string
  model: string
  algorithms: KeyAlgorithm[]
  /** The PIN. */
  sealed: Buffer
  tenant_key_id: string
  state: TokenState
  state_since: Date
  made_at: Date
}

export const tables = (db: Database) => db.withTables<KeyTables>()

export const currentTenantKey = (db: Database, tenantId: string) =>
  tables(db).selectFrom('tenant_keys').selectAll().where('tenant_id', '=', tenantId).where('retired_at', 'is', null).executeTakeFirst()

export const tenantKeyById = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('tenant_keys').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Where another transaction made one first, that one stays: there is one current key. */
export async function insertTenantKey(db: Database, row: { tenant_id: string; id: string; sealed: Buffer; made_at: Date }): Promise<void> {
  await tables(db)
    .insertInto('tenant_keys')
    .values({ ...row, retired_at: null })
    .onConflict((conflict) => conflict.column('tenant_id').where('retired_at', 'is', null).doNothing())
    .execute()
}

export async function insertKey(db: Database, row: KeyTables['keys']): Promise<void> {
  await tables(db).insertInto('keys').values(row).execute()
}

export async function deleteKey(db: Database, tenantId: string, keyId: string): Promise<void> {
  await tables(db).deleteFrom('keys').where('tenant_id', '=', tenantId).where('id', '=', keyId).execute()
}

export const allPublicKeys = (db: Database, tenantId: string) =>
  tables(db).selectFrom('keys').select('spki').where('tenant_id', '=', tenantId).execute()

/** A key with the tenant key that it was sealed under. */
export const findKey = (db: Database, tenantId: string, keyId: string) =>
  tables(db)
    .selectFrom('keys')
    .innerJoin('tenant_keys', (join) =>
      join.onRef('tenant_keys.tenant_id', '=', 'keys.tenant_id').onRef('tenant_keys.id', '=', 'keys.tenant_key_id'),
    )
    .select([
      'keys.provider',
      'keys.token_id',
      'keys.object_id',
      'keys.algorithm',
      'keys.spki',
      'keys.sealed',
      'keys.tenant_key_id',
      'tenant_keys.sealed as tenant_key_sealed',
    ])
    .where('keys.tenant_id', '=', tenantId)
    .where('keys.id', '=', keyId)
    .executeTakeFirst()
