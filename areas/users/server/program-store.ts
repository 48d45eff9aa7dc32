// The accounts of programs.

import { staysOpen } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type ProgramRecord = { tenant_id: string; id: string; name: string; scopes: string[]; enabled: boolean; ends_at: Date | null }
type KeyRecord = { tenant_id: string; id: string; program_id: string; ends_at: Date | null; maker: string }

type ProgramTables = { program_accounts: ProgramRecord; program_keys: KeyRecord }

const tables = (db: Database) => db.withTables<ProgramTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

/** One of a tenancy that ends counts as switched off. */
export async function findProgram({ db, tenantId }: Own, id: string): Promise<ProgramRecord | undefined> {
  const row = await tables(db)
    .selectFrom('program_accounts')
    .selectAll()
    .select(staysOpen(tenantId).as('stays'))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { stays, ...program } = row
  return { ...program, enabled: program.enabled && stays }
}

export async function insertProgram({ db, tenantId }: Own, { id, ...values }: Omit<ProgramRecord, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('program_accounts')
    .values({ tenant_id: tenantId, id, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doUpdateSet(values))
    .execute()
}

export async function deleteProgram({ db, tenantId }: Own, id: string): Promise<void> {
  await tables(db).deleteFrom('program_keys').where('tenant_id', '=', tenantId).where('program_id', '=', id).execute()
  await tables(db).deleteFrom('program_accounts').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** What a program comes by and when each ends, in the place of what the same room said before. */
export async function replaceProgramKeys(
  { db, tenantId }: Own,
  maker: 'applications' | 'kubernetes',
  programId: string,
  keys: readonly Pick<KeyRecord, 'id' | 'ends_at'>[],
): Promise<void> {
  await tables(db)
    .deleteFrom('program_keys')
    .where('tenant_id', '=', tenantId)
    .where('program_id', '=', programId)
    .where('maker', '=', maker)
    .execute()
  if (keys.length > 0)
    await tables(db)
      .insertInto('program_keys')
      .values(keys.map(({ id, ends_at }) => ({ tenant_id: tenantId, id, program_id: programId, ends_at, maker })))
      .execute()
}

/** Whether a program may still come by one of its secrets. */
export async function isKeyGood({ db, tenantId, now }: Tenancy, programId: string, keyId: string): Promise<boolean> {
  const program = await findProgram({ db, tenantId }, programId)
  if (program === undefined || (program.ends_at !== null && program.ends_at <= now)) return false
  const key = await tables(db)
    .selectFrom('program_keys')
    .select('ends_at')
    .where('tenant_id', '=', tenantId)
    .where('program_id', '=', programId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return key !== undefined && (key.ends_at === null || key.ends_at > now)
}
