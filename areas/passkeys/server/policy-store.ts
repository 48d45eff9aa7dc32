// Which passkeys a tenancy accepts, and what metadata says of the models.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type ModelRecord = {
  tenant_id: string
  aaguid: string
  name: string
  icon: string
  roots: Buffer[]
  compromised: boolean
  imported_at: Date
  /** The number of the list that it came from last; null where it came alone. */
  list_no: number | null
}

type PolicyTables = {
  passkey_policies: { tenant_id: string; device_bound: boolean; models: string[]; version: number }
  authenticator_models: ModelRecord
}

const tables = (db: Database) => db.withTables<PolicyTables>()

export const findPolicy = ({ db, tenantId }: Tenancy) =>
  tables(db).selectFrom('passkey_policies').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

/** False where somebody changed it since `version`. */
export async function updatePolicy(
  { db, tenantId }: Tenancy,
  version: number,
  { deviceBound, models }: { deviceBound: boolean; models: string[] },
): Promise<boolean> {
  const next = { device_bound: deviceBound, models, version: version + 1 }
  const written =
    version === 0
      ? await tables(db)
          .insertInto('passkey_policies')
          .values({ tenant_id: tenantId, ...next })
          .onConflict((conflict) => conflict.doNothing())
          .returning('version')
          .executeTakeFirst()
      : await tables(db)
          .updateTable('passkey_policies')
          .set(next)
          .where('tenant_id', '=', tenantId)
          .where('version', '=', version)
          .returning('version')
          .executeTakeFirst()
  return written !== undefined
}

export const listModels = ({ db, tenantId }: Tenancy): Promise<ModelRecord[]> =>
  tables(db).selectFrom('authenticator_models').selectAll().where('tenant_id', '=', tenantId).orderBy('name').orderBy('aaguid').execute()

export const findModel = ({ db, tenantId }: Tenancy, aaguid: string): Promise<ModelRecord | undefined> =>
  tables(db)
    .selectFrom('authenticator_models')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('aaguid', '=', aaguid)
    .executeTakeFirst()

/** The number of the newest list that was imported. */
export async function findListNumber({ db, tenantId }: Tenancy): Promise<number | undefined> {
  const { no } = await tables(db)
    .selectFrom('authenticator_models')
    .where('tenant_id', '=', tenantId)
    .select((all) => all.fn.max('list_no').as('no'))
    .executeTakeFirstOrThrow()
  return no ?? undefined
}

/** One after another: a list of all models is some hundreds. */
export async function replaceModels(
  { db, tenantId, now }: Tenancy,
  models: readonly Omit<ModelRecord, 'tenant_id' | 'imported_at'>[],
): Promise<void> {
  for (const model of models)
    await tables(db)
      .insertInto('authenticator_models')
      .values({ tenant_id: tenantId, ...model, imported_at: now })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'aaguid']).doUpdateSet({ ...model, imported_at: now }))
      .execute()
}
