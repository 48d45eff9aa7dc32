// Providers, sign-ins on their way, tries and identities: the tables, and every question that is asked of them.

import { sql, type JSONColumnType } from 'kysely'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { sso } from '../contract.ts'

export type ProviderSettings = Omit<InputOf<typeof sso.calls.add>, 'name' | 'issuer' | 'clientId' | 'clientSecret'>

export type ProviderRecord = {
  tenant_id: string
  id: string
  public_id: string
  name: string
  issuer: string
  client_id: string
  secret_sealed: Buffer | null
  tenant_key_id: string | null
  secret_set_at: Date | null
  enabled: boolean
  settings: ProviderSettings
  saved_by: string
  saved_by_home: string
  saved_held: string[]
  last_sign_in_at: Date | null
  created_at: Date
  version: number
}

export type AttemptRecord = {
  tenant_id: string
  state_hash: string
  provider_id: string
  provider_version: number
  binding_hash: string
  redirect: string
  try_id: string | null
  expires_at: Date
}

export type TriedClaim = { name: string; value: string }
export type TriedJudgement = NonNullable<NonNullable<OutputOf<typeof sso.calls.readTry>['tried']>['judgement']>

export type TryRecord = {
  tenant_id: string
  id: string
  provider_id: string
  user_id: string
  begun_at: Date
  ended_at: Date | null
  claims: TriedClaim[]
  judgement: TriedJudgement | null
}

export type IdentityRecord = {
  tenant_id: string
  id: string
  provider_id: string
  issuer: string
  subject: string
  user_id: string
  name: string
  linked_at: Date
  last_used_at: Date | null
}

type Json<T> = JSONColumnType<T & object, string, string>

type SsoTables = {
  sso_providers: Omit<ProviderRecord, 'settings'> & { settings: Json<ProviderSettings> }
  sso_attempts: AttemptRecord
  sso_tries: Omit<TryRecord, 'claims' | 'judgement'> & { claims: Json<TriedClaim[]>; judgement: Json<TriedJudgement> | null }
  sso_identities: IdentityRecord
}

const tables = (db: Database) => db.withTables<SsoTables>()

const providers = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('sso_providers').selectAll().where('tenant_id', '=', tenantId)

export const listProviders = (tenancy: Tenancy): Promise<ProviderRecord[]> => providers(tenancy).orderBy('name').limit(100).execute()

export const findProvider = (tenancy: Tenancy, id: string): Promise<ProviderRecord | undefined> =>
  providers(tenancy).where('id', '=', id).executeTakeFirst()

/** Locks the row until the commit: whoever switches the provider off waits for the sign-in, and the sign-in for them. */
export const lockProvider = (tenancy: Tenancy, id: string): Promise<ProviderRecord | undefined> =>
  providers(tenancy).where('id', '=', id).forUpdate().executeTakeFirst()

/** Throws where the name is taken: the constraint `sso_providers_by_name`. */
export const insertProvider = async ({ db }: Tenancy, { settings, ...record }: ProviderRecord): Promise<void> =>
  void (await tables(db)
    .insertInto('sso_providers')
    .values({ ...record, settings: JSON.stringify(settings) })
    .execute())

/** Throws where the name is taken: the constraint `sso_providers_by_name`. */
export const updateProvider = async (
  { db, tenantId }: Tenancy,
  id: string,
  {
    settings,
    ...change
  }: Pick<ProviderRecord, 'name' | 'issuer' | 'client_id' | 'settings' | 'saved_by' | 'saved_by_home' | 'saved_held'> &
    Partial<Pick<ProviderRecord, 'secret_sealed' | 'tenant_key_id' | 'secret_set_at'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('sso_providers')
    .set((all) => ({ ...change, settings: JSON.stringify(settings), version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const updateProviderState = async ({ db, tenantId }: Tenancy, id: string, enabled: boolean): Promise<void> =>
  void (await tables(db).updateTable('sso_providers').set({ enabled }).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const updateLastSignIn = async ({ db, tenantId, now }: Tenancy, id: string): Promise<void> =>
  void (await tables(db)
    .updateTable('sso_providers')
    .set({ last_sign_in_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Deletes the provider with its identities, and what is on its way. */
export async function deleteProvider({ db, tenantId }: Tenancy, id: string): Promise<void> {
  for (const table of ['sso_attempts', 'sso_tries', 'sso_identities'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('provider_id', '=', id).execute()
  await tables(db).deleteFrom('sso_providers').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export const insertAttempt = async ({ db, tenantId }: Tenancy, row: Omit<AttemptRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('sso_attempts')
    .values({ tenant_id: tenantId, ...row })
    .execute())

/** Deletes the attempt and answers it: each is taken once, whoever comes at the same time. */
export const deleteAttempt = ({ db, tenantId }: Tenancy, stateHash: string): Promise<AttemptRecord | undefined> =>
  tables(db)
    .deleteFrom('sso_attempts')
    .where('tenant_id', '=', tenantId)
    .where('state_hash', '=', stateHash)
    .returningAll()
    .executeTakeFirst()

export async function deleteOld({ db, tenantId, now }: Tenancy, triesBefore: Date): Promise<void> {
  await tables(db).deleteFrom('sso_attempts').where('tenant_id', '=', tenantId).where('expires_at', '<', now).execute()
  await tables(db).deleteFrom('sso_tries').where('tenant_id', '=', tenantId).where('begun_at', '<', triesBefore).execute()
}

export const insertTry = async ({ db, tenantId, now }: Tenancy, row: Pick<TryRecord, 'id' | 'provider_id' | 'user_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('sso_tries')
    .values({ tenant_id: tenantId, ...row, begun_at: now, ended_at: null, claims: '[]', judgement: null })
    .execute())

export const findTry = ({ db, tenantId }: Tenancy, id: string): Promise<TryRecord | undefined> =>
  tables(db).selectFrom('sso_tries').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const updateTry = async (
  { db, tenantId, now }: Tenancy,
  id: string,
  { claims, judgement }: { claims: TriedClaim[]; judgement: TriedJudgement },
): Promise<void> =>
  void (await tables(db)
    .updateTable('sso_tries')
    .set({ ended_at: now, claims: JSON.stringify(claims), judgement: JSON.stringify(judgement) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

const identities = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('sso_identities').selectAll().where('tenant_id', '=', tenantId)

type AtProvider = { providerId: string; issuer: string }

export const findIdentity = (tenancy: Tenancy, { providerId, issuer }: AtProvider, subject: string): Promise<IdentityRecord | undefined> =>
  identities(tenancy).where('provider_id', '=', providerId).where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst()

export const findIdentityOf = (tenancy: Tenancy, { providerId, issuer }: AtProvider, userId: string): Promise<IdentityRecord | undefined> =>
  identities(tenancy).where('user_id', '=', userId).where('provider_id', '=', providerId).where('issuer', '=', issuer).executeTakeFirst()

export const findIdentityById = (tenancy: Tenancy, id: string): Promise<IdentityRecord | undefined> =>
  identities(tenancy).where('id', '=', id).executeTakeFirst()

export const listIdentities = (tenancy: Tenancy, userId: string): Promise<IdentityRecord[]> =>
  identities(tenancy).where('user_id', '=', userId).orderBy('linked_at').limit(100).execute()

export const insertIdentity = async (
  { db, tenantId, now }: Tenancy,
  row: Omit<IdentityRecord, 'tenant_id' | 'linked_at' | 'last_used_at'>,
) =>
  void (await tables(db)
    .insertInto('sso_identities')
    .values({ tenant_id: tenantId, ...row, linked_at: now, last_used_at: now })
    .execute())

export const updateIdentityUse = async ({ db, tenantId, now }: Tenancy, id: string, name: string): Promise<void> =>
  void (await tables(db)
    .updateTable('sso_identities')
    .set({ last_used_at: now, name })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteIdentity = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('sso_identities').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export async function deleteIdentitiesOf(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('sso_identities').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  await tables(db).deleteFrom('sso_tries').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** The identities of a person by providers at which another has none. */
const freeFor = ({ db, tenantId }: Tenancy, fromId: string, toId: string) =>
  tables(db)
    .selectFrom('sso_identities as one')
    .select('one.id')
    .where('one.tenant_id', '=', tenantId)
    .where('one.user_id', '=', fromId)
    .where((all) =>
      all.not(
        all.exists(
          all
            .selectFrom('sso_identities as other')
            .select('other.id')
            .whereRef('other.tenant_id', '=', 'one.tenant_id')
            .where('other.user_id', '=', toId)
            .whereRef('other.provider_id', '=', 'one.provider_id')
            .whereRef('other.issuer', '=', 'one.issuer'),
        ),
      ),
    )

export async function countMovable(tenancy: Tenancy, fromId: string, toId: string): Promise<{ moves: number; stays: number }> {
  const { db, tenantId } = tenancy
  const all = await tables(db)
    .selectFrom('sso_identities')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', fromId)
    .execute()
  const moves = (await freeFor(tenancy, fromId, toId).execute()).length
  return { moves, stays: all.length - moves }
}

export const moveIdentities = async (tenancy: Tenancy, fromId: string, toId: string): Promise<void> =>
  void (await tables(tenancy.db)
    .updateTable('sso_identities')
    .set({ user_id: toId })
    .where('tenant_id', '=', tenancy.tenantId)
    .where('id', 'in', freeFor(tenancy, fromId, toId))
    .execute())

/** How many people sign in by each provider. */
export async function countPeople({ db, tenantId }: Tenancy): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('sso_identities')
    .select(['provider_id', sql<string>`count(*)`.as('people')])
    .where('tenant_id', '=', tenantId)
    .groupBy('provider_id')
    .execute()
  return new Map(rows.map(({ provider_id, people }) => [provider_id, Number(people)]))
}
