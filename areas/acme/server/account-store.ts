// Every question about accounts.

import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { AccountStatus } from '#standards/acme/states.ts'
import { tables, type AccountRecord } from './store.ts'

export const findAccount = ({ db, tenantId }: Tenancy, id: string): Promise<AccountRecord | undefined> =>
  tables(db).selectFrom('acme_accounts').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findAccountByKey = (
  { db, tenantId }: Tenancy,
  { directoryId, thumbprint }: { directoryId: string; thumbprint: string },
): Promise<AccountRecord | undefined> =>
  tables(db)
    .selectFrom('acme_accounts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('directory_id', '=', directoryId)
    .where('thumbprint', '=', thumbprint)
    .executeTakeFirst()

/** Locks the account until the commit. */
export const lockAccount = ({ db, tenantId }: Tenancy, id: string): Promise<AccountRecord | undefined> =>
  tables(db).selectFrom('acme_accounts').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** False where the directory has an account of this key already: two that register at once are one. */
export async function insertAccount({ db }: Tenancy, { jwk, binding, ...record }: AccountRecord): Promise<boolean> {
  const made = await tables(db)
    .insertInto('acme_accounts')
    .values({ ...record, jwk: JSON.stringify(jwk), binding: binding === null ? null : JSON.stringify(binding) })
    .onConflict((met) => met.columns(['tenant_id', 'directory_id', 'thumbprint']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

export const changeContact = async ({ db, tenantId }: Tenancy, id: string, contact: string[]): Promise<void> =>
  void (await tables(db).updateTable('acme_accounts').set({ contact }).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** Throws where another account has that key: the constraint `acme_accounts_by_key`. */
export const changeKey = async (
  { db, tenantId }: Tenancy,
  id: string,
  { jwk, thumbprint }: Pick<AccountRecord, 'jwk' | 'thumbprint'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('acme_accounts')
    .set({ jwk: JSON.stringify(jwk), thumbprint })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Ends an account that is valid. False where it has ended. */
export async function endAccount({ db, tenantId }: Tenancy, id: string, status: Exclude<AccountStatus, 'valid'>): Promise<boolean> {
  const ended = await tables(db)
    .updateTable('acme_accounts')
    .set({ status })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'valid')
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}

/** Ends every account that came with this key of an external account. Answers which. */
export const endAccountsOfEab = ({ db, tenantId }: Tenancy, eabId: string): Promise<{ id: string }[]> =>
  tables(db)
    .updateTable('acme_accounts')
    .set({ status: 'revoked' })
    .where('tenant_id', '=', tenantId)
    .where('eab_id', '=', eabId)
    .where('status', '=', 'valid')
    .returning('id')
    .execute()

/** Notes that the account was here, once an hour. */
export const noteSeen = async ({ db, tenantId, now }: Tenancy, id: string): Promise<void> =>
  void (await tables(db)
    .updateTable('acme_accounts')
    .set({ last_seen_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export type AccountQuestion = {
  page: number
  size: number
  text: string
  directoryId?: string | undefined
  status?: AccountStatus | undefined
}

export async function findAccountPage(
  { db, tenantId }: Tenancy,
  { page, size, text, directoryId, status }: AccountQuestion,
): Promise<{ rows: AccountRecord[]; total: number }> {
  const sought = text.trim().toLowerCase()
  const matching = tables(db)
    .selectFrom('acme_accounts')
    .where('tenant_id', '=', tenantId)
    .$if(directoryId !== undefined, (query) => query.where('directory_id', '=', directoryId ?? ''))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'valid'))
    .$if(sought !== '', (query) =>
      query.where((all) =>
        all.or([
          all.eb(
            all.fn<number>('strpos', [all.fn('lower', [all.fn('array_to_string', ['contact', all.val(' ')])]), all.val(sought)]),
            '>',
            0,
          ),
          all.eb('thumbprint', '=', text.trim()),
        ]),
      ),
    )
  return readPage(matching, { page, size }, (all) => all.selectAll().orderBy('id', 'desc'))
}

export async function countAccounts({ db, tenantId }: Tenancy, by: 'directory_id' | 'eab_id'): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('acme_accounts')
    .select((all) => [`${by} as key`, all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .groupBy(by)
    .execute()
  return new Map(rows.flatMap(({ key, count }) => (key === null ? [] : [[key, Number(count)]])))
}
