// Every question about the transactions of clients.

import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { TransactionState } from '../rules.ts'
import { tables, type TransactionRecord } from './store.ts'

export const findTransaction = ({ db, tenantId }: Tenancy, id: string): Promise<TransactionRecord | undefined> =>
  tables(db).selectFrom('enrolment_transactions').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findTransactionByKey = ({ db, tenantId }: Tenancy, profileId: string, key: string): Promise<TransactionRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_transactions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('key', '=', key)
    .where('superseded', '=', false)
    .executeTakeFirst()

export const lockTransactionByKey = ({ db, tenantId }: Tenancy, profileId: string, key: string): Promise<TransactionRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_transactions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('key', '=', key)
    .where('superseded', '=', false)
    .forUpdate()
    .executeTakeFirst()

/** What was asked for before by the same transaction, with this key and by this certificate, and gave way to something else. */
export const listSuperseded = (
  { db, tenantId }: Tenancy,
  profileId: string,
  { key, keyHash, renews, most }: { key: string; keyHash: string; renews: string | null; most: number },
): Promise<TransactionRecord[]> =>
  tables(db)
    .selectFrom('enrolment_transactions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('key', '=', key)
    .where('key_hash', '=', keyHash)
    .where('renews', 'is not distinct from', renews)
    .where('superseded', '=', true)
    .limit(most)
    .execute()

/** By which transaction of this profile a certificate came. */
export const findTransactionOfCertificate = (
  { db, tenantId }: Tenancy,
  profileId: string,
  certificateId: string,
): Promise<TransactionRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_transactions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('certificate_id', '=', certificateId)
    .executeTakeFirst()

/** Whether another transaction used the challenge and was not refused, or somebody denied what any asked for by it. */
export const isChallengeUsed = async (
  { db, tenantId }: Tenancy,
  profileId: string,
  challengeHash: string,
  except: string | undefined,
): Promise<boolean> =>
  (await tables(db)
    .selectFrom('enrolment_transactions')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where((all) =>
      all.or([
        all.and([
          all('challenge_hash', '=', challengeHash),
          all('state', '<>', 'refused'),
          ...(except === undefined ? [] : [all('id', '<>', except)]),
        ]),
        all(all.val(challengeHash), '=', all.fn.any('spent_hashes')),
      ]),
    )
    .executeTakeFirst()) !== undefined

/** False where another request of this key or challenge came at the same moment. */
export async function insertTransaction({ db }: Tenancy, { names, ...record }: TransactionRecord): Promise<boolean> {
  const made = await tables(db)
    .insertInto('enrolment_transactions')
    .values({ ...record, names: JSON.stringify(names) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** Begins a transaction again that has ended. What it has spent stays spent. */
export const restartTransaction = async (
  { db, tenantId }: Tenancy,
  { names, tenant_id: _tenant, id, profile_id: _profile, created_at: _created, spent_hashes: _spent, ...record }: TransactionRecord,
): Promise<void> =>
  void (await tables(db)
    .updateTable('enrolment_transactions')
    .set({ ...record, names: JSON.stringify(names) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Lets another request have its key. What became of it stays. */
export const supersedeTransaction = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db)
    .updateTable('enrolment_transactions')
    .set({ superseded: true })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

type Step = Partial<Pick<TransactionRecord, 'state' | 'request_id' | 'certificate_id' | 'code' | 'reason' | 'confirm_by' | 'spent_hashes'>>

/** Goes on from one of these states. False where somebody else was quicker. */
export async function stepTransaction(
  { db, tenantId, now }: Tenancy,
  id: string,
  from: readonly TransactionState[],
  step: Step,
): Promise<boolean> {
  const done = await tables(db)
    .updateTable('enrolment_transactions')
    .set({ ...step, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .returning('id')
    .executeTakeFirst()
  return done !== undefined
}

/** Ends the wait for a confirmation. False where it had ended. */
export async function endConfirmation({ db, tenantId, now }: Tenancy, id: string): Promise<boolean> {
  const done = await tables(db)
    .updateTable('enrolment_transactions')
    .set({ confirm_by: null, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('confirm_by', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return done !== undefined
}

export const listOpenTransactions = ({ db, tenantId }: Tenancy, before: Date): Promise<TransactionRecord[]> =>
  tables(db)
    .selectFrom('enrolment_transactions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', ['processing', 'pending'])
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(200)
    .execute()

export const listUnconfirmed = ({ db, tenantId, now }: Tenancy): Promise<TransactionRecord[]> =>
  tables(db)
    .selectFrom('enrolment_transactions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('confirm_by', 'is not', null)
    .where('confirm_by', '<', now)
    .where('state', '=', 'issued')
    .orderBy('confirm_by')
    .limit(200)
    .execute()

export async function findTransactionPage(
  { db, tenantId }: Tenancy,
  {
    page,
    size,
    text,
    profileIds,
    state,
  }: { page: number; size: number; text: string; profileIds: readonly string[]; state?: TransactionState | undefined },
): Promise<{ rows: TransactionRecord[]; total: number }> {
  if (profileIds.length === 0) return { rows: [], total: 0 }
  const matching = tables(db)
    .selectFrom('enrolment_transactions')
    .where('tenant_id', '=', tenantId)
    .where('profile_id', 'in', [...profileIds])
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'issued'))
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['subject']), all.val(text.toLowerCase())]), '>', 0)),
    )
  return readPage(matching, { page, size }, (all) => all.selectAll().orderBy('created_at', 'desc').orderBy('id'))
}

/** How many there are of each profile, by state. */
export async function countTransactions({ db, tenantId }: Tenancy): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('enrolment_transactions')
    .select((all) => ['profile_id', all.fn.countAll<string>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'issued')
    .groupBy('profile_id')
    .execute()
  return new Map(rows.map(({ profile_id: id, count }) => [id, Number(count)]))
}

export async function deleteOldTransactions({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  await tables(db)
    .deleteFrom('enrolment_transactions')
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'refused')
    .where('updated_at', '<', before)
    .execute()
}
