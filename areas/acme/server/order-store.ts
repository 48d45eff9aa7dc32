// Every question about orders, authorisations and challenges.

import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Identifier } from '#standards/acme/identifiers.ts'
import type { AuthorizationStatus, OrderStatus } from '#standards/acme/states.ts'
import { tables, type AuthorizationRecord, type ChallengeRecord, type OrderRecord, type Sighting } from './store.ts'

export const insertOrder = async ({ db }: Tenancy, { identifiers, error, ...record }: OrderRecord): Promise<void> =>
  void (await tables(db)
    .insertInto('acme_orders')
    .values({ ...record, identifiers: JSON.stringify(identifiers), error: error === null ? null : JSON.stringify(error) })
    .execute())

export const findOrder = ({ db, tenantId }: Tenancy, id: string): Promise<OrderRecord | undefined> =>
  tables(db).selectFrom('acme_orders').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Locks the order until the commit, so that one alone takes the next step. */
export const lockOrder = ({ db, tenantId }: Tenancy, id: string): Promise<OrderRecord | undefined> =>
  tables(db).selectFrom('acme_orders').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

type OrderChange = Partial<
  Pick<OrderRecord, 'status' | 'requester_id' | 'csr' | 'request_id' | 'certificate_id' | 'error' | 'finalized_at' | 'replaces'>
>

/** Changes the order if it is still in that state. False where somebody else was first. */
export async function stepOrder(
  { db, tenantId }: Tenancy,
  id: string,
  from: OrderStatus,
  { error, ...change }: OrderChange,
): Promise<boolean> {
  const changed = await tables(db)
    .updateTable('acme_orders')
    .set({ ...change, ...(error === undefined ? {} : { error: error === null ? null : JSON.stringify(error) }) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', from)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

export const findOrderOfCertificate = ({ db, tenantId }: Tenancy, certificateId: string): Promise<OrderRecord | undefined> =>
  tables(db)
    .selectFrom('acme_orders')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('certificate_id', '=', certificateId)
    .executeTakeFirst()

export const findOrderOfRequest = ({ db, tenantId }: Tenancy, requestId: string): Promise<OrderRecord | undefined> =>
  tables(db).selectFrom('acme_orders').selectAll().where('tenant_id', '=', tenantId).where('request_id', '=', requestId).executeTakeFirst()

/** Those of an account that are worth to be listed (RFC 8555 7.1.2.1), behind the one that was listed last. */
export const findOrdersOfAccount = (
  { db, tenantId, now }: Tenancy,
  { accountId, after, most }: { accountId: string; after: string | undefined; most: number },
): Promise<{ id: string }[]> =>
  tables(db)
    .selectFrom('acme_orders')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .where('status', '<>', 'invalid')
    .where((all) => all.or([all('status', '<>', 'pending'), all('expires_at', '>', now)]))
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(most)
    .execute()

export async function countOpenOrders({ db, tenantId, now }: Tenancy, accountId: string): Promise<number> {
  const row = await tables(db)
    .selectFrom('acme_orders')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Those that were finalised and have no certificate yet, the oldest first. */
export const findProcessing = ({ db, tenantId }: Tenancy, before: Date, most: number): Promise<{ id: string }[]> =>
  tables(db)
    .selectFrom('acme_orders')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'processing')
    .where('finalized_at', '<=', before)
    .orderBy('finalized_at')
    .limit(most)
    .execute()

/** Finds the order that replaces this certificate already (RFC 9773 5), unless it is written down as invalid. */
export const findReplacing = ({ db, tenantId }: Tenancy, ariId: string): Promise<OrderRecord | undefined> =>
  tables(db)
    .selectFrom('acme_orders')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('replaces', '=', ariId)
    .where('status', '<>', 'invalid')
    .executeTakeFirst()

export const findAuthorizations = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<AuthorizationRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('acme_authorizations')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

export const findAuthorization = async (tenancy: Tenancy, id: string): Promise<AuthorizationRecord | undefined> =>
  (await findAuthorizations(tenancy, [id]))[0]

export const lockAuthorization = ({ db, tenantId }: Tenancy, id: string): Promise<AuthorizationRecord | undefined> =>
  tables(db)
    .selectFrom('acme_authorizations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const findAccountAuthorizations = ({ db, tenantId, now }: Tenancy, accountId: string): Promise<AuthorizationRecord[]> =>
  tables(db)
    .selectFrom('acme_authorizations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .where('status', '=', 'valid')
    .where('expires_at', '>', now)
    .execute()

/** One of this account that proves the name, or still may, longest valid first. */
export const findReusable = (
  { db, tenantId }: Tenancy,
  { accountId, identifier, wildcard, until }: { accountId: string; identifier: Identifier; wildcard: boolean; until: Date },
): Promise<AuthorizationRecord | undefined> =>
  tables(db)
    .selectFrom('acme_authorizations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .where('type', '=', identifier.type)
    .where('value', '=', identifier.value)
    .where('wildcard', '=', wildcard)
    .where('status', '=', 'valid')
    .where('expires_at', '>', until)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export async function insertAuthorization(
  { db }: Tenancy,
  authorization: AuthorizationRecord,
  challenges: readonly ChallengeRecord[],
): Promise<void> {
  await tables(db).insertInto('acme_authorizations').values(authorization).execute()
  await tables(db)
    .insertInto('acme_challenges')
    .values(challenges.map((one) => ({ ...one, response: null, error: null, evidence: '[]' })))
    .execute()
}

type AuthorizationChange = Partial<Pick<AuthorizationRecord, 'status' | 'expires_at' | 'began_at' | 'method' | 'caa_checked_at'>>

/** Changes the authorisation if it is still in that state. False where somebody else was first. */
export async function stepAuthorization(
  { db, tenantId }: Tenancy,
  id: string,
  from: AuthorizationStatus,
  change: AuthorizationChange,
): Promise<boolean> {
  const changed = await tables(db)
    .updateTable('acme_authorizations')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', from)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

export const noteCaa = async ({ db, tenantId, now }: Tenancy, ids: readonly string[]): Promise<void> =>
  void (ids.length === 0
    ? undefined
    : await tables(db)
        .updateTable('acme_authorizations')
        .set({ caa_checked_at: now })
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute())

/** Validations that a server began and did not end. */
export const findLeftValidations = ({ db, tenantId }: Tenancy, before: Date, most: number): Promise<{ id: string }[]> =>
  tables(db)
    .selectFrom('acme_authorizations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('began_at', '<=', before)
    .orderBy('began_at')
    .limit(most)
    .execute()

export const findChallenges = async ({ db, tenantId }: Tenancy, authorizationIds: readonly string[]): Promise<ChallengeRecord[]> =>
  authorizationIds.length === 0
    ? []
    : tables(db)
        .selectFrom('acme_challenges')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('authorization_id', 'in', [...authorizationIds])
        .orderBy('type')
        .execute()

export const findChallenge = ({ db, tenantId }: Tenancy, id: string): Promise<ChallengeRecord | undefined> =>
  tables(db).selectFrom('acme_challenges').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const beginChallenge = async ({ db, tenantId }: Tenancy, id: string, response: Record<string, unknown>): Promise<void> =>
  void (await tables(db)
    .updateTable('acme_challenges')
    .set((all) => ({ status: 'processing', response: JSON.stringify(response), attempts: all('attempts', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const endChallenge = async (
  { db, tenantId, now }: Tenancy,
  id: string,
  { error, evidence }: { error: ChallengeRecord['error']; evidence: Sighting[] },
): Promise<void> =>
  void (await tables(db)
    .updateTable('acme_challenges')
    .set({
      status: error === null ? 'valid' : 'invalid',
      validated_at: error === null ? now : null,
      error: error === null ? null : JSON.stringify(error),
      evidence: JSON.stringify(evidence),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export type OrderQuestion = {
  page: number
  size: number
  text: string
  directoryId?: string | undefined
  accountId?: string | undefined
  status?: OrderStatus | undefined
}

export async function findOrderPage(
  { db, tenantId, now }: Tenancy,
  { page, size, text, directoryId, accountId, status }: OrderQuestion,
): Promise<{ rows: OrderRecord[]; total: number }> {
  const sought = text.trim().toLowerCase()
  // What is pending on the row may be ready, or over: the first follows from other rows, and is looked for among the pending ones.
  const kept = status === 'ready' ? 'pending' : status
  const matching = tables(db)
    .selectFrom('acme_orders')
    .where('tenant_id', '=', tenantId)
    .$if(directoryId !== undefined, (query) => query.where('directory_id', '=', directoryId ?? ''))
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(kept === 'pending', (query) => query.where('status', '=', 'pending').where('expires_at', '>', now))
    .$if(kept === 'invalid', (query) =>
      query.where((all) => all.or([all('status', '=', 'invalid'), all.and([all('status', '=', 'pending'), all('expires_at', '<=', now)])])),
    )
    .$if(kept === 'processing' || kept === 'valid', (query) => query.where('status', '=', kept ?? 'valid'))
    .$if(sought !== '', (query) => query.where((all) => all.eb(all.fn<number>('strpos', ['names', all.val(sought)]), '>', 0)))
  return readPage(matching, { page, size }, (all) => all.selectAll().orderBy('id', 'desc'))
}

export async function countOrders({ db, tenantId }: Tenancy, by: 'directory_id' | 'account_id'): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('acme_orders')
    .select((all) => [`${by} as key`, all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .groupBy(by)
    .execute()
  return new Map(rows.map(({ key, count }) => [key, Number(count)]))
}

/** Removes orders that came to nothing before that day, and authorisations whose time was over by then. */
export async function deleteOld({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  await tables(db)
    .deleteFrom('acme_orders')
    .where('tenant_id', '=', tenantId)
    .where('expires_at', '<', before)
    .where('status', 'in', ['pending', 'invalid'])
    .execute()
  const old = tables(db).selectFrom('acme_authorizations').select('id').where('tenant_id', '=', tenantId).where('expires_at', '<', before)
  await tables(db).deleteFrom('acme_challenges').where('tenant_id', '=', tenantId).where('authorization_id', 'in', old).execute()
  await tables(db).deleteFrom('acme_authorizations').where('tenant_id', '=', tenantId).where('expires_at', '<', before).execute()
}
