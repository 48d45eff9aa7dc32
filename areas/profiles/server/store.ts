// Photos, sealed attributes and who read them: the tables, and every question that is asked of them.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

type ProfileTables = {
  sealed_attributes: { tenant_id: string; user_id: string; group_name: string; sealed: Buffer; tenant_key_id: string }
  attribute_reads: {
    tenant_id: string
    id: string
    user_id: string
    group_name: string
    reader_id: string
    reader: string
    purpose: string
    read_at: Date
  }
  user_photos: { tenant_id: string; user_id: string; type: string; bytes: Buffer; taken_at: Date }
}

export type SealedRecord = ProfileTables['sealed_attributes']
export type ReadRecord = ProfileTables['attribute_reads']

const tables = (db: Database) => db.withTables<ProfileTables>()

export const findSealed = ({ db, tenantId }: Tenancy, userId: string, group: string): Promise<SealedRecord | undefined> =>
  tables(db)
    .selectFrom('sealed_attributes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('group_name', '=', group)
    .executeTakeFirst()

/** The groups of which something is kept. */
export const listSealedGroups = async ({ db, tenantId }: Tenancy, userId: string): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('sealed_attributes')
      .select('group_name')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .execute()
  ).map((row) => row.group_name)

export async function updateSealed({ db, tenantId }: Tenancy, row: Omit<SealedRecord, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('sealed_attributes')
    .values({ tenant_id: tenantId, ...row })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'user_id', 'group_name']).doUpdateSet({ sealed: row.sealed, tenant_key_id: row.tenant_key_id }),
    )
    .execute()
}

export async function deleteSealed({ db, tenantId }: Tenancy, userId: string, group: string): Promise<void> {
  await tables(db)
    .deleteFrom('sealed_attributes')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('group_name', '=', group)
    .execute()
}

export async function insertRead({ db, tenantId }: Tenancy, read: Omit<ReadRecord, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('attribute_reads')
    .values({ tenant_id: tenantId, ...read })
    .execute()
}

/** A page of who was shown sensitive attributes of a person, the latest first. */
export const findReads = ({ db, tenantId }: Tenancy, userId: string, part: { page: number; size: number }) =>
  readPage(tables(db).selectFrom('attribute_reads').where('tenant_id', '=', tenantId).where('user_id', '=', userId), part, (all) =>
    all.selectAll().orderBy('read_at', 'desc').orderBy('id', 'desc'),
  )

export const findPhoto = ({ db, tenantId }: Tenancy, userId: string): Promise<{ type: string; bytes: Buffer } | undefined> =>
  tables(db)
    .selectFrom('user_photos')
    .select(['type', 'bytes'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

/** When the photo was set; undefined where there is none. */
export const findPhotoTime = async ({ db, tenantId }: Tenancy, userId: string): Promise<Date | undefined> =>
  (
    await tables(db)
      .selectFrom('user_photos')
      .select('taken_at')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.taken_at

export async function updatePhoto({ db, tenantId, now }: Tenancy, userId: string, photo: { type: string; bytes: Buffer }): Promise<void> {
  await tables(db)
    .insertInto('user_photos')
    .values({ tenant_id: tenantId, user_id: userId, ...photo, taken_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ ...photo, taken_at: now }))
    .execute()
}

export async function deletePhoto({ db, tenantId }: Tenancy, userId: string): Promise<void> {
  await tables(db).deleteFrom('user_photos').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** What is the person's own: it goes with the account. Who read it stays no longer either. */
export async function deletePersonal(db: Database, tenantId: string, userId: string): Promise<void> {
  for (const table of ['sealed_attributes', 'attribute_reads', 'user_photos'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
