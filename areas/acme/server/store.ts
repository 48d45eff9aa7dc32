// The tables of the room and the type of each row; and every question about directories and the keys of external accounts.

import type { JSONColumnType } from 'kysely'
import type { JsonWebKey } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { ChallengeType } from '#standards/acme/challenge-types.ts'
import type { Identifier, IdentifierType } from '#standards/acme/identifiers.ts'
import type { Problem } from '#standards/acme/problem.ts'
import type { AccountStatus, AuthorizationStatus, ChallengeStatus, OrderStatus } from '#standards/acme/states.ts'
import type { DirectorySettings } from '../contract.ts'

export type DirectoryRecord = {
  tenant_id: string
  id: string
  public_id: string
  name: string
  enabled: boolean
  settings: DirectorySettings
  owner_id: string
  owner_name: string
  version: number
  created_at: Date
  updated_at: Date
}

export type EabRecord = {
  tenant_id: string
  id: string
  directory_id: string
  name: string
  mac_sealed: Buffer
  tenant_key_id: string
  names: string[]
  uses_left: number | null
  expires_at: Date | null
  revoked_at: Date | null
  created_at: Date
  created_by: string
}

export type AccountRecord = {
  tenant_id: string
  id: string
  directory_id: string
  thumbprint: string
  jwk: JsonWebKey
  status: AccountStatus
  contact: string[]
  eab_id: string | null
  binding: Record<string, unknown> | null
  address: string
  created_at: Date
  last_seen_at: Date
}

export type OrderRecord = {
  tenant_id: string
  id: string
  directory_id: string
  account_id: string
  profile: string
  template_id: string
  identifiers: Identifier[]
  names: string
  authorization_ids: string[]
  status: OrderStatus
  replaces: string | null
  requester_id: string | null
  csr: Buffer | null
  request_id: string | null
  certificate_id: string | null
  error: Problem | null
  address: string
  created_at: Date
  expires_at: Date
  finalized_at: Date | null
}

export type AuthorizationRecord = {
  tenant_id: string
  id: string
  account_id: string
  type: IdentifierType
  value: string
  wildcard: boolean
  status: AuthorizationStatus
  expires_at: Date
  created_at: Date
  began_at: Date | null
  method: ChallengeType | null
  caa_checked_at: Date | null
}

/** What one look saw: from which name servers, step by step, and what was wrong. */
export type Sighting = { from: string; at: string; steps: string[]; problem?: Problem }

export type ChallengeRecord = {
  tenant_id: string
  id: string
  authorization_id: string
  type: ChallengeType
  token: string
  status: ChallengeStatus
  response: Record<string, unknown> | null
  validated_at: Date | null
  attempts: number
  error: Problem | null
  evidence: Sighting[]
}

type Json<T> = JSONColumnType<T & object, string, string>

export type AcmeTables = {
  acme_directories: Omit<DirectoryRecord, 'settings'> & { settings: Json<DirectorySettings> }
  acme_eabs: EabRecord
  acme_accounts: Omit<AccountRecord, 'jwk' | 'binding'> & { jwk: Json<JsonWebKey>; binding: Json<Record<string, unknown>> | null }
  acme_orders: Omit<OrderRecord, 'identifiers' | 'error'> & { identifiers: Json<Identifier[]>; error: Json<Problem> | null }
  acme_authorizations: AuthorizationRecord
  acme_challenges: Omit<ChallengeRecord, 'response' | 'error' | 'evidence'> & {
    response: Json<Record<string, unknown>> | null
    error: Json<Problem> | null
    evidence: Json<Sighting[]>
  }
}

export const tables = (db: Database) => db.withTables<AcmeTables>()

export const listDirectories = ({ db, tenantId }: Tenancy): Promise<DirectoryRecord[]> =>
  tables(db).selectFrom('acme_directories').selectAll().where('tenant_id', '=', tenantId).orderBy('name').limit(500).execute()

export const findDirectory = ({ db, tenantId }: Tenancy, id: string): Promise<DirectoryRecord | undefined> =>
  tables(db).selectFrom('acme_directories').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Throws where the name is taken: the constraint `acme_directories_by_name`. */
export const insertDirectory = async ({ db }: Tenancy, { settings, ...record }: DirectoryRecord): Promise<void> =>
  void (await tables(db)
    .insertInto('acme_directories')
    .values({ ...record, settings: JSON.stringify(settings) })
    .execute())

/** Changes the directory if it is still at `version`. Answers the new version. Throws where the name is taken. */
export async function updateDirectory(
  { db, tenantId, now }: Tenancy,
  { id, version }: { id: string; version: number },
  { settings, ...change }: Pick<DirectoryRecord, 'name' | 'enabled' | 'settings' | 'owner_id' | 'owner_name'>,
): Promise<number | undefined> {
  const changed = await tables(db)
    .updateTable('acme_directories')
    .set((all) => ({ ...change, settings: JSON.stringify(settings), updated_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return changed?.version
}

/** Deletes the directory with all that stands below it. Answers its name. */
export async function deleteDirectory({ db, tenantId }: Tenancy, id: string): Promise<string | undefined> {
  const accounts = tables(db).selectFrom('acme_accounts').select('id').where('tenant_id', '=', tenantId).where('directory_id', '=', id)
  const authorizations = tables(db)
    .selectFrom('acme_authorizations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('account_id', 'in', accounts)
  await tables(db).deleteFrom('acme_challenges').where('tenant_id', '=', tenantId).where('authorization_id', 'in', authorizations).execute()
  await tables(db).deleteFrom('acme_authorizations').where('tenant_id', '=', tenantId).where('account_id', 'in', accounts).execute()
  for (const table of ['acme_orders', 'acme_accounts', 'acme_eabs'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('directory_id', '=', id).execute()
  const gone = await tables(db)
    .deleteFrom('acme_directories')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return gone?.name
}

export const insertEab = async ({ db }: Tenancy, record: EabRecord): Promise<void> =>
  void (await tables(db).insertInto('acme_eabs').values(record).execute())

export const findEab = ({ db, tenantId }: Tenancy, id: string): Promise<EabRecord | undefined> =>
  tables(db).selectFrom('acme_eabs').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findEabs = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<EabRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('acme_eabs')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

/** Takes one use of the key, whoever else comes at the same moment. False where none is left, its time is over, or it is revoked. */
export async function useEab({ db, tenantId, now }: Tenancy, id: string): Promise<boolean> {
  const used = await tables(db)
    .updateTable('acme_eabs')
    .set((all) => ({ uses_left: all('uses_left', '-', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((all) => all.or([all('uses_left', 'is', null), all('uses_left', '>', 0)]))
    .where((all) => all.or([all('expires_at', 'is', null), all('expires_at', '>', now)]))
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

/** Ends the time of a key: it makes no more accounts, and those that it made go on. */
export const endEab = async ({ db, tenantId, now }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).updateTable('acme_eabs').set({ expires_at: now }).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** Answers its name where it was not revoked yet. */
export async function revokeEab({ db, tenantId, now }: Tenancy, id: string): Promise<string | undefined> {
  const revoked = await tables(db)
    .updateTable('acme_eabs')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  return revoked?.name
}

export async function findEabPage(
  { db, tenantId }: Tenancy,
  { page, size, text, directoryId }: { page: number; size: number; text: string; directoryId?: string | undefined },
): Promise<{ rows: EabRecord[]; total: number }> {
  const matching = tables(db)
    .selectFrom('acme_eabs')
    .where('tenant_id', '=', tenantId)
    .$if(directoryId !== undefined, (query) => query.where('directory_id', '=', directoryId ?? ''))
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.toLowerCase())]), '>', 0)),
    )
  return readPage(matching, { page, size }, (all) => all.selectAll().orderBy('created_at', 'desc').orderBy('id'))
}
