// What was asked for, the settings of each tenancy and its registrations: the tables, and every question that is asked of them.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Mode, RegistrationState } from '../rules.ts'

export type RequestRecord = {
  email_key: string
  email_address: string
  given_name: string
  family_name: string
  code: string
  /** From where it was asked for (`networkOf`). */
  network: string
  requested_at: Date
}

export type SettingsRecord = { tenant_id: string; mode: Mode; role_ids: string[]; code: string | null }

export type RegistrationRecord = {
  tenant_id: string
  id: string
  email_key: string
  email_address: string
  given_name: string
  family_name: string
  state: RegistrationState
  by_link: boolean
  token_hash: string | null
  asked_at: Date
  expires_at: Date
  verified_at: Date | null
  decided_at: Date | null
  decided_by: string
  user_id: string | null
  network: string
}

type RegistrationTables = {
  registration_requests: RequestRecord
  registration_settings: SettingsRecord
  registrations: RegistrationRecord
}

const tables = (db: Database) => db.withTables<RegistrationTables>()

/** The first of an address and a code stands: whoever asks after it, before the job has run, changes nothing of it but when it was asked for. */
export async function insertRequest(db: Database, request: RequestRecord): Promise<void> {
  await tables(db)
    .insertInto('registration_requests')
    .values(request)
    .onConflict((conflict) => conflict.columns(['email_key', 'code']).doUpdateSet({ requested_at: request.requested_at }))
    .execute()
}

export const listRequests = (db: Database, most: number): Promise<RequestRecord[]> =>
  tables(db).selectFrom('registration_requests').selectAll().orderBy('requested_at').limit(most).execute()

/** One that was asked for again since it was read stays: it is a request of its own. */
export const deleteRequest = async (db: Database, { email_key, code, requested_at }: RequestRecord): Promise<void> =>
  void (await tables(db)
    .deleteFrom('registration_requests')
    .where('email_key', '=', email_key)
    .where('code', '=', code)
    .where('requested_at', '<=', requested_at)
    .execute())

/** Off where nothing was ever set. */
export async function findSettings({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>): Promise<SettingsRecord> {
  const row = await tables(db).selectFrom('registration_settings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  return row ?? { tenant_id: tenantId, mode: 'off', role_ids: [], code: null }
}

export async function updateSettings(
  { db, tenantId }: Tenancy,
  changes: Partial<Pick<SettingsRecord, 'mode' | 'role_ids' | 'code'>>,
): Promise<void> {
  await tables(db)
    .insertInto('registration_settings')
    .values({ tenant_id: tenantId, mode: 'off', role_ids: [], code: null, ...changes })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(changes))
    .execute()
}

const ofTenancy = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('registrations').where('tenant_id', '=', tenantId)

/** The newest of an address. */
export const findNewest = (tenancy: Tenancy, emailKey: string): Promise<RegistrationRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('email_key', '=', emailKey).orderBy('asked_at', 'desc').limit(1).executeTakeFirst()

/** The links that nobody has used yet: all, and those that one network has asked for. */
export async function countSent(tenancy: Tenancy, network: string): Promise<{ all: number; ofNetwork: number }> {
  const row = await ofTenancy(tenancy)
    .where('state', '=', 'sent')
    .select((sent) => [
      sent.fn.countAll<string>().as('all'),
      sent.fn.countAll<string>().filterWhere('network', '=', network).as('of_network'),
    ])
    .executeTakeFirstOrThrow()
  return { all: Number(row.all), ofNetwork: Number(row.of_network) }
}

export async function countWaiting(tenancy: Pick<Tenancy, 'db' | 'tenantId'>): Promise<number> {
  const { count } = await tables(tenancy.db)
    .selectFrom('registrations')
    .where('tenant_id', '=', tenancy.tenantId)
    .where('state', '=', 'waiting')
    .select((all) => all.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Takes the place of a link that was sent to the address before. False where a registration of the address waits for a decision. */
export async function insertRegistration({ db, tenantId }: Tenancy, row: RegistrationRecord): Promise<boolean> {
  await tables(db)
    .deleteFrom('registrations')
    .where('tenant_id', '=', tenantId)
    .where('email_key', '=', row.email_key)
    .where('state', '=', 'sent')
    .execute()
  const added = await tables(db)
    .insertInto('registrations')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

/** The registration that a link leads to, while it is good; held until the transaction ends. */
export const lockByToken = ({ db, tenantId, now }: Tenancy, hash: string): Promise<RegistrationRecord | undefined> =>
  tables(db)
    .selectFrom('registrations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('token_hash', '=', hash)
    .where('state', '=', 'sent')
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()

export const lockRegistration = ({ db, tenantId }: Tenancy, id: string): Promise<RegistrationRecord | undefined> =>
  tables(db).selectFrom('registrations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export async function updateRegistration(
  { db, tenantId }: Tenancy,
  id: string,
  changes: Partial<Pick<RegistrationRecord, 'state' | 'token_hash' | 'verified_at' | 'decided_at' | 'decided_by' | 'user_id'>>,
): Promise<void> {
  await tables(db).updateTable('registrations').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export type Question = { page: number; size: number; text: string; state: RegistrationState | undefined }

export const pageOfRegistrations = (tenancy: Tenancy, { page, size, text, state }: Question) =>
  readPage(
    ofTenancy(tenancy)
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'waiting'))
      .$if(text.trim() !== '', (query) =>
        query.where((all) => all.eb(all.fn<number>('strpos', ['email_key', all.val(text.trim().toLowerCase())]), '>', 0)),
      ),
    { page, size },
    (all) => all.selectAll().orderBy('asked_at', 'desc').orderBy('id'),
  )

/** Links that nobody opened in time, and decisions that are old. */
export async function deleteOld({ db, tenantId, now }: Tenancy, decidedBefore: Date): Promise<void> {
  await tables(db)
    .deleteFrom('registrations')
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'sent')
    .where('expires_at', '<=', now)
    .execute()
  await tables(db).deleteFrom('registrations').where('tenant_id', '=', tenantId).where('decided_at', '<', decidedBefore).execute()
}

/** What a room keeps of a person goes with the account. */
export async function deleteOfUser(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('registrations').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
