// The accounts of programs.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type ProgramRecord = { tenant_id: string; id: string; name: string; scopes: string[]; enabled: boolean }

type ProgramTables = { program_accounts: ProgramRecord }

const tables = (db: Database) => db.withTables<ProgramTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

export const findProgram = ({ db, tenantId }: Own, id: string): Promise<ProgramRecord | undefined> =>
  tables(db).selectFrom('program_accounts').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function insertProgram({ db, tenantId }: Own, { id, ...values }: Omit<ProgramRecord, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('program_accounts')
    .values({ tenant_id: tenantId, id, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doUpdateSet(values))
    .execute()
}

export const deleteProgram = async ({ db, tenantId }: Own, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('program_accounts').where('tenant_id', '=', tenantId).where('id', '=', id).execute())
