// The applications of a tenancy and their secrets, which stand here as hashes.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { ApplicationState } from '../rules.ts'

export type ApplicationRecord = {
  tenant_id: string
  id: string
  name: string
  note: string
  owner_kind: 'person' | 'role'
  owner_id: string
  scopes: string[]
  networks: string[]
  enabled: boolean
  ends_at: Date | null
  notice_sent: number | null
  last_used_at: Date | null
  added_at: Date
  version: number
}

export type SecretRecord = {
  tenant_id: string
  id: string
  application_id: string
  secret_hash: string
  /** Unknown of a secret that is older than the column. */
  made_by: string | null
  made_at: Date
  ends_at: Date | null
  last_used_at: Date | null
  last_used_from: string | null
}

type ApplicationTables = { applications: ApplicationRecord; application_secrets: SecretRecord }

const tables = (db: Database) => db.withTables<ApplicationTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

const ofTenancy = ({ db, tenantId }: Own) => tables(db).selectFrom('applications').where('tenant_id', '=', tenantId)

export type Question = {
  page: number
  size: number
  text: string
  sort?: 'name' | 'addedAt' | undefined
  direction: 'asc' | 'desc'
  state?: ApplicationState | undefined
}

export const pageOfApplications = (tenancy: Tenancy, { page, size, text, sort = 'name', direction, state }: Question) => {
  const { now } = tenancy
  return readPage(
    ofTenancy(tenancy)
      .$if(text.trim() !== '', (query) =>
        query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.trim().toLowerCase())]), '>', 0)),
      )
      .$if(state === 'inactive', (query) => query.where((all) => all.or([all('enabled', '=', false), all('ends_at', '<=', now)])))
      .$if(state !== undefined && state !== 'inactive', (query) =>
        query
          .where('enabled', '=', true)
          .where((all) => all.or([all('ends_at', 'is', null), all('ends_at', '>', now)]))
          .where((all) => all.eb(all.fn<number>('cardinality', ['networks']), state === 'restricted' ? '>' : '=', 0)),
      ),
    { page, size },
    (all) =>
      all
        .selectAll()
        .orderBy(sort === 'name' ? 'name' : 'added_at', direction)
        .orderBy('id'),
  )
}

export const findApplication = (tenancy: Own, id: string): Promise<ApplicationRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('id', '=', id).executeTakeFirst()

export const lockApplication = (tenancy: Own, id: string): Promise<ApplicationRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const listOwnedBy = (tenancy: Own, ownerId: string): Promise<ApplicationRecord[]> =>
  ofTenancy(tenancy).selectAll().where('owner_id', '=', ownerId).orderBy('name').execute()

export const listEnding = (tenancy: Own, before: Date): Promise<ApplicationRecord[]> =>
  ofTenancy(tenancy).selectAll().where('enabled', '=', true).where('ends_at', '<=', before).orderBy('ends_at').execute()

/** Throws where the name is taken: the constraint `applications_by_name`. */
export const insertApplication = async (
  { db, tenantId, now }: Tenancy,
  row: Omit<ApplicationRecord, 'tenant_id' | 'notice_sent' | 'last_used_at' | 'added_at' | 'version'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('applications')
    .values({ tenant_id: tenantId, ...row, notice_sent: null, last_used_at: null, added_at: now, version: 1 })
    .execute())

/** Throws where the name is taken: the constraint `applications_by_name`. */
export const updateApplication = async (
  { db, tenantId }: Own,
  id: string,
  values: Partial<Omit<ApplicationRecord, 'tenant_id' | 'id' | 'version'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('applications')
    .set((all) => ({ ...values, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export async function deleteApplication({ db, tenantId }: Own, id: string): Promise<void> {
  await tables(db).deleteFrom('application_secrets').where('tenant_id', '=', tenantId).where('application_id', '=', id).execute()
  await tables(db).deleteFrom('applications').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export const listSecrets = ({ db, tenantId }: Own, applicationId: string): Promise<SecretRecord[]> =>
  tables(db)
    .selectFrom('application_secrets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
    .orderBy('made_at', 'desc')
    .execute()

export const findSecret = ({ db, tenantId }: Own, hash: string): Promise<SecretRecord | undefined> =>
  tables(db)
    .selectFrom('application_secrets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('secret_hash', '=', hash)
    .executeTakeFirst()

export const findSecretById = ({ db, tenantId }: Own, id: string): Promise<SecretRecord | undefined> =>
  tables(db).selectFrom('application_secrets').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const insertSecret = async (
  { db, tenantId, now }: Tenancy,
  row: Pick<SecretRecord, 'id' | 'application_id' | 'secret_hash' | 'made_by'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('application_secrets')
    .values({ tenant_id: tenantId, ...row, made_at: now, ends_at: null, last_used_at: null, last_used_from: null })
    .execute())

/** Those that would last longer end then. */
export const updateSecretEnds = async ({ db, tenantId }: Own, applicationId: string, endsAt: Date): Promise<void> =>
  void (await tables(db)
    .updateTable('application_secrets')
    .set({ ends_at: endsAt })
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
    .where((all) => all.or([all('ends_at', 'is', null), all('ends_at', '>', endsAt)]))
    .execute())

export async function updateUse({ db, tenantId, now }: Tenancy, { id, application_id }: SecretRecord, from: string): Promise<void> {
  await tables(db)
    .updateTable('application_secrets')
    .set({ last_used_at: now, last_used_from: from })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
  await tables(db)
    .updateTable('applications')
    .set({ last_used_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', application_id)
    .execute()
}

/** Answers whether there was one. */
export async function deleteSecret({ db, tenantId }: Own, applicationId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('application_secrets')
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const deleteEndedSecrets = async ({ db, tenantId, now }: Tenancy): Promise<void> =>
  void (await tables(db).deleteFrom('application_secrets').where('tenant_id', '=', tenantId).where('ends_at', '<=', now).execute())
