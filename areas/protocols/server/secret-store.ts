// Every question about the secrets by which somebody enrols.

import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { tables, type SecretRecord } from './store.ts'

/** Throws where a reference is taken: the constraint `enrolment_secrets_by_reference`. */
export const insertSecret = async ({ db }: Tenancy, { names, ...record }: SecretRecord): Promise<void> =>
  void (await tables(db)
    .insertInto('enrolment_secrets')
    .values({ ...record, names: JSON.stringify(names) })
    .execute())

export const findSecret = ({ db, tenantId }: Tenancy, id: string): Promise<SecretRecord | undefined> =>
  tables(db).selectFrom('enrolment_secrets').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findSecretByHash = ({ db, tenantId }: Tenancy, profileId: string, hash: string): Promise<SecretRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_secrets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('secret_hash', '=', hash)
    .executeTakeFirst()

export const findSecretByReference = ({ db, tenantId }: Tenancy, profileId: string, reference: string): Promise<SecretRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_secrets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .where('reference', '=', reference)
    .executeTakeFirst()

export const findSecretByLink = ({ db, tenantId }: Tenancy, linkHash: string): Promise<SecretRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_secrets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('link_hash', '=', linkHash)
    .executeTakeFirst()

/** Takes one use, whoever else comes at the same moment. False where none is left, its time is over, or it was ended. */
export async function takeUse({ db, tenantId, now }: Tenancy, id: string): Promise<boolean> {
  const used = await tables(db)
    .updateTable('enrolment_secrets')
    .set((all) => ({ uses_left: all('uses_left', '-', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where((all) => all.or([all('uses_left', 'is', null), all('uses_left', '>', 0)]))
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

/** Gives a use back that came to nothing: a mistyped request does not spend it. */
export const giveUseBack = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db)
    .updateTable('enrolment_secrets')
    .set((all) => ({ uses_left: all('uses_left', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Notes that it was shown, and forgets it. False where somebody has seen it already. */
export async function markRevealed({ db, tenantId, now }: Tenancy, id: string): Promise<boolean> {
  const shown = await tables(db)
    .updateTable('enrolment_secrets')
    .set({ revealed_at: now, secret_sealed: null, tenant_key_id: null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('revealed_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return shown !== undefined
}

/** Answers its name where it had not ended yet. */
export async function endSecret({ db, tenantId, now }: Tenancy, id: string): Promise<string | undefined> {
  const ended = await tables(db)
    .updateTable('enrolment_secrets')
    .set({ ended_at: now, secret_sealed: null, tenant_key_id: null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  return ended?.name
}

export async function findSecretPage(
  { db, tenantId }: Tenancy,
  { page, size, text, profileIds }: { page: number; size: number; text: string; profileIds: readonly string[] },
): Promise<{ rows: SecretRecord[]; total: number }> {
  if (profileIds.length === 0) return { rows: [], total: 0 }
  const matching = tables(db)
    .selectFrom('enrolment_secrets')
    .where('tenant_id', '=', tenantId)
    .where('profile_id', 'in', [...profileIds])
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.toLowerCase())]), '>', 0)),
    )
  return readPage(matching, { page, size }, (all) => all.selectAll().orderBy('created_at', 'desc').orderBy('id'))
}

export async function deleteOldSecrets({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  await tables(db).deleteFrom('enrolment_secrets').where('tenant_id', '=', tenantId).where('expires_at', '<', before).execute()
}
