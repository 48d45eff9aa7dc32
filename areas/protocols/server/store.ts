// The tables of the room and the type of each row; and every question about profiles and the keys by which they open and sign messages.

import type { JSONColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { ProfileSettings } from '../contract.ts'
import type { Protocol, TransactionKind, TransactionState } from '../rules.ts'

export type ProfileRecord = {
  tenant_id: string
  id: string
  public_id: string
  protocol: Protocol
  name: string
  enabled: boolean
  template_id: string
  settings: ProfileSettings
  owner_id: string
  owner_name: string
  version: number
  created_at: Date
  updated_at: Date
}

export type RegistrarRecord = {
  tenant_id: string
  id: string
  profile_id: string
  ca_id: string
  key_sealed: Buffer
  tenant_key_id: string
  serial_hex: string
  certificate: Buffer | null
  not_before: Date
  not_after: Date
  made_at: Date
}

export type Names = Record<string, string[]>

export type SecretRecord = {
  tenant_id: string
  id: string
  profile_id: string
  name: string
  reference: string
  names: Names
  secret_hash: string
  secret_sealed: Buffer | null
  tenant_key_id: string | null
  link_hash: string | null
  revealed_at: Date | null
  uses_left: number | null
  /** The person whose certificates it is for. */
  holder_id: string | null
  expires_at: Date
  ended_at: Date | null
  created_at: Date
  created_by: string
}

export type TransactionRecord = {
  tenant_id: string
  id: string
  profile_id: string
  key: string
  attempt: string
  kind: TransactionKind
  state: TransactionState
  key_hash: string
  csr: Buffer | null
  spki: Buffer | null
  names: Names
  subject: string
  secret_id: string | null
  renews: string | null
  /** The person whose certificate it is, who asks for it then. */
  holder_id: string | null
  /** Whether Intune vouched for it, and is told what came of it. */
  vouched: boolean
  /** Of the challenge that Intune vouched for: it is good for one that is not refused. */
  challenge_hash: string | null
  /** Of the challenges of Intune whose requests somebody denied. */
  spent_hashes: string[]
  requester_id: string
  request_id: string | null
  certificate_id: string | null
  code: string
  reason: string
  confirm_by: Date | null
  /** Another request of its key stands in its place. */
  superseded: boolean
  address: string
  created_at: Date
  updated_at: Date
}

export type IntuneRecord = {
  tenant_id: string
  profile_id: string
  directory_id: string
  client_id: string
  secret_sealed: Buffer
  tenant_key_id: string
  login_url: string
  graph_url: string
  resource_url: string
  enabled: boolean
  version: number
}

export type TpmAttemptRecord = {
  tenant_id: string
  id: string
  requester_id: string
  requester: string
  template_id: string
  manufacturer: string
  ek_sha256: string
  ak_public: Buffer
  secret_hash: string
  qualifying_data: Buffer
  state: string
  reason: string
  request_id: string | null
  address: string
  expires_at: Date
  created_at: Date
}

type Json<T> = JSONColumnType<T & object, string, string>

type ProtocolTables = {
  enrolment_profiles: Omit<ProfileRecord, 'settings'> & { settings: Json<ProfileSettings> }
  enrolment_registrars: RegistrarRecord
  enrolment_secrets: Omit<SecretRecord, 'names'> & { names: Json<Names> }
  enrolment_transactions: Omit<TransactionRecord, 'names'> & { names: Json<Names> }
  tpm_attempts: TpmAttemptRecord
  enrolment_intune: IntuneRecord
}

export const tables = (db: Database) => db.withTables<ProtocolTables>()

export const listProfiles = ({ db, tenantId }: Tenancy, protocol?: Protocol): Promise<ProfileRecord[]> =>
  tables(db)
    .selectFrom('enrolment_profiles')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(protocol !== undefined, (query) => query.where('protocol', '=', protocol ?? 'scep'))
    .orderBy('name')
    .orderBy('id')
    .limit(500)
    .execute()

export const findProfile = ({ db, tenantId }: Tenancy, id: string): Promise<ProfileRecord | undefined> =>
  tables(db).selectFrom('enrolment_profiles').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Throws where the name is taken: the constraint `enrolment_profiles_by_name`. */
export const insertProfile = async ({ db }: Tenancy, { settings, ...record }: ProfileRecord): Promise<void> =>
  void (await tables(db)
    .insertInto('enrolment_profiles')
    .values({ ...record, settings: JSON.stringify(settings) })
    .execute())

/** Changes the profile if it is still at `version`. Answers the new version. Throws where the name is taken. */
export async function updateProfile(
  { db, tenantId, now }: Tenancy,
  { id, version }: { id: string; version: number },
  { settings, ...change }: Pick<ProfileRecord, 'name' | 'enabled' | 'template_id' | 'settings' | 'owner_id' | 'owner_name'>,
): Promise<number | undefined> {
  const changed = await tables(db)
    .updateTable('enrolment_profiles')
    .set((all) => ({ ...change, settings: JSON.stringify(settings), updated_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return changed?.version
}

/** Deletes the profile with its secrets, transactions and keys. Answers it. */
export async function deleteProfile({ db, tenantId }: Tenancy, id: string): Promise<ProfileRecord | undefined> {
  for (const table of ['enrolment_transactions', 'enrolment_secrets', 'enrolment_registrars', 'enrolment_intune'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('profile_id', '=', id).execute()
  return tables(db)
    .deleteFrom('enrolment_profiles')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Of a profile under this authority, those that have not ended, the newest first. */
export const listRegistrars = (
  { db, tenantId, now }: Tenancy,
  { profileId, caId }: { profileId: string; caId: string },
): Promise<RegistrarRecord[]> =>
  tables(db)
    .selectFrom('enrolment_registrars')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('ca_id', '=', caId)
    .where('not_after', '>', now)
    .orderBy('made_at', 'desc')
    .orderBy('id')
    .limit(10)
    .execute()

export const lockProfile = ({ db, tenantId }: Tenancy, id: string): Promise<ProfileRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_profiles')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const insertRegistrar = async ({ db }: Tenancy, record: RegistrarRecord): Promise<void> =>
  void (await tables(db).insertInto('enrolment_registrars').values(record).execute())

/** False where another server has stored its certificate already. */
export async function storeRegistrarCertificate({ db, tenantId }: Tenancy, id: string, certificate: Uint8Array): Promise<boolean> {
  const stored = await tables(db)
    .updateTable('enrolment_registrars')
    .set({ certificate: Buffer.from(certificate) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('certificate', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return stored !== undefined
}
