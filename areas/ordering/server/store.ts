// The tables of the room and the type of each row; and every question about authorities and DNS responders.

import type { JSONColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Nonces, OrderedKey, Proof, Step } from '../rules.ts'
import type { ResponderSettings } from '../shapes.ts'

export type AuthorityRecord = {
  tenant_id: string
  id: string
  name: string
  directory_url: string
  contact: string[]
  eab_kid: string
  eab_sealed: Buffer | null
  eab_tenant_key_id: string | null
  preferred_chain: string
  roots: string
  account_key_sealed: Buffer
  tenant_key_id: string
  account_url: string | null
  version: number
  created_at: Date
  updated_at: Date
}

/** With how long to wait until a changed record is seen everywhere. */
export type StoredResponder = ResponderSettings & { waitSeconds: number }

export type ResponderRecord = {
  tenant_id: string
  id: string
  name: string
  settings: StoredResponder
  secret_sealed: Buffer
  tenant_key_id: string
  version: number
  created_at: Date
  updated_at: Date
}

/** An authorisation as the authority told it last. */
export type Authorization = {
  url: string
  name: string
  wildcard: boolean
  status: string
  challenge: { url: string; token: string; keyAuthorization: string }
  /** Its record may stand in the DNS since, put there by us. */
  presented?: true
  /** The DNS responder has done it. */
  placed?: true
  /** The authority was asked to look. */
  asked?: true
  error?: string
}

/** What is known of an order at its authority. */
export type OrderState = {
  orderUrl?: string
  authorizationUrls?: string[]
  finalizeUrl?: string
  certificateUrl?: string
  authorizations?: Authorization[]
  /** The certificate that this one comes instead of. */
  replaces?: string
}

export type StoredProblem = { type: string; detail: string }
export type AriState = { start: string; end: string; explanation?: string }

export type OrderRecord = {
  tenant_id: string
  id: string
  authority_id: string
  names: string[]
  proof: Proof
  responder_id: string | null
  key_kind: OrderedKey | null
  csr: Buffer | null
  profile: string
  renews: boolean
  owner_id: string
  owner_name: string
  created_at: Date
  step: Step
  runs: boolean
  next_at: Date
  claim: string | null
  claimed_until: Date | null
  failures: number
  problem: StoredProblem | null
  state: OrderState
  nonces: Nonces
  new_key_sealed: Buffer | null
  new_csr: Buffer | null
  tenant_key_id: string | null
  certificate_id: string | null
  not_before: Date | null
  not_after: Date | null
  chain: string
  key_sealed: Buffer | null
  key_tenant_key_id: string | null
  renew_at: Date | null
  ari: AriState | null
  ari_check_at: Date | null
}

export type AttemptRecord = { tenant_id: string; id: string; order_id: string; at: Date; step: Step; outcome: string; detail: string }

type Json<T> = JSONColumnType<T & object, string, string>

type OrderingTables = {
  external_acme_authorities: AuthorityRecord
  dns_responders: Omit<ResponderRecord, 'settings'> & { settings: Json<StoredResponder> }
  external_acme_orders: Omit<OrderRecord, 'problem' | 'state' | 'nonces' | 'ari'> & {
    problem: Json<StoredProblem> | null
    state: Json<OrderState>
    nonces: Json<Nonces>
    ari: Json<AriState> | null
  }
  external_acme_attempts: AttemptRecord
  acme_challenge_files: { tenant_id: string; token: string; order_id: string; content: string }
  acme_challenge_addresses: { tenant_id: string; public_id: string }
}

export const tables = (db: Database) => db.withTables<OrderingTables>()

type Page = { page: number; size: number; text: string }

const authoritiesOf = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('external_acme_authorities').where('tenant_id', '=', tenantId)
const respondersOf = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('dns_responders').where('tenant_id', '=', tenantId)

export const findAuthorities = (tenancy: Tenancy, { text, ...page }: Page): Promise<{ rows: AuthorityRecord[]; total: number }> =>
  readPage(
    authoritiesOf(tenancy).$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.toLowerCase())]), '>', 0)),
    ),
    page,
    (all) => all.selectAll().orderBy('name').orderBy('id'),
  )

export const listAuthorities = (tenancy: Tenancy): Promise<{ id: string; name: string }[]> =>
  authoritiesOf(tenancy).select(['id', 'name']).orderBy('name').execute()

export const findAuthority = (tenancy: Tenancy, id: string): Promise<AuthorityRecord | undefined> =>
  authoritiesOf(tenancy).selectAll().where('id', '=', id).executeTakeFirst()

/** Throws where the name is taken: the constraint `external_acme_authorities_by_name`. */
export const insertAuthority = async ({ db }: Tenancy, row: AuthorityRecord): Promise<void> =>
  void (await tables(db).insertInto('external_acme_authorities').values(row).execute())

/** Answers the new version; undefined where somebody has changed the row since. Throws where the name is taken. */
export async function updateAuthority(
  { db, tenantId, now }: Tenancy,
  { id, version }: { id: string; version: number },
  changed: Partial<Omit<AuthorityRecord, 'tenant_id' | 'id' | 'version'>>,
): Promise<number | undefined> {
  const row = await tables(db)
    .updateTable('external_acme_authorities')
    .set({ ...changed, version: version + 1, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return row?.version
}

/** Writes where our account is, unless the directory was changed meanwhile. */
export const setAccountUrl = async (
  { db, tenantId }: Tenancy,
  { id, directory_url: directoryUrl }: Pick<AuthorityRecord, 'id' | 'directory_url'>,
  accountUrl: string | null,
): Promise<void> =>
  void (await tables(db)
    .updateTable('external_acme_authorities')
    .set({ account_url: accountUrl })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('directory_url', '=', directoryUrl)
    .execute())

/** Answers its name. */
export const deleteAuthority = async ({ db, tenantId }: Tenancy, id: string): Promise<string | undefined> =>
  (
    await tables(db)
      .deleteFrom('external_acme_authorities')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst()
  )?.name

const responderOf = (row: Omit<ResponderRecord, 'settings'> & { settings: StoredResponder }): ResponderRecord => row

export async function findResponders(tenancy: Tenancy, { text, ...page }: Page): Promise<{ rows: ResponderRecord[]; total: number }> {
  const { rows, total } = await readPage(
    respondersOf(tenancy).$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.toLowerCase())]), '>', 0)),
    ),
    page,
    (all) => all.selectAll().orderBy('name').orderBy('id'),
  )
  return { rows: rows.map(responderOf), total }
}

export const listResponders = (tenancy: Tenancy): Promise<{ id: string; name: string }[]> =>
  respondersOf(tenancy).select(['id', 'name']).orderBy('name').execute()

export const findResponder = async (tenancy: Tenancy, id: string): Promise<ResponderRecord | undefined> => {
  const row = await respondersOf(tenancy).selectAll().where('id', '=', id).executeTakeFirst()
  return row && responderOf(row)
}

/** Throws where the name is taken: the constraint `dns_responders_by_name`. */
export const insertResponder = async ({ db }: Tenancy, { settings, ...row }: ResponderRecord): Promise<void> =>
  void (await tables(db)
    .insertInto('dns_responders')
    .values({ ...row, settings: JSON.stringify(settings) })
    .execute())

/** Answers the new version; undefined where somebody has changed the row since. Throws where the name is taken. */
export async function updateResponder(
  { db, tenantId, now }: Tenancy,
  { id, version }: { id: string; version: number },
  { settings, ...changed }: Pick<ResponderRecord, 'name' | 'settings'> & Partial<Pick<ResponderRecord, 'secret_sealed' | 'tenant_key_id'>>,
): Promise<number | undefined> {
  const row = await tables(db)
    .updateTable('dns_responders')
    .set({ ...changed, settings: JSON.stringify(settings), version: version + 1, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return row?.version
}

/** Answers its name. */
export const deleteResponder = async ({ db, tenantId }: Tenancy, id: string): Promise<string | undefined> =>
  (
    await tables(db)
      .deleteFrom('dns_responders')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst()
  )?.name
