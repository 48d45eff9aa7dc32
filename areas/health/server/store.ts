import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { CheckKind, FindingName, HealthState } from '../rules.ts'

export type CheckRow = {
  tenant_id: string
  ca_id: string
  kind: CheckKind
  finding: FindingName
  params: Record<string, string>
  mark: number | null
  state: HealthState
  since: Date
  checked_at: Date
  /** Probes that failed in a row. */
  strikes: number
}

export type HealthTables = { health_checks: CheckRow }

const tables = (db: Database) => db.withTables<HealthTables>()

/** Until the transaction ends nobody else judges the tenancy's checks. */
export const holdChecks = async (db: Database, tenantId: string): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${`health:${tenantId}`}, 0))`.execute(db))

/** All of a tenancy, or of one authority. */
export const allChecks = (db: Database, tenantId: string, caId?: string): Promise<CheckRow[]> =>
  tables(db)
    .selectFrom('health_checks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(caId !== undefined, (query) => query.where('ca_id', '=', caId ?? ''))
    .execute()

export async function putCheck(db: Database, row: CheckRow): Promise<void> {
  const { tenant_id: _tenant, ca_id: _authority, kind: _kind, ...found } = row
  await tables(db)
    .insertInto('health_checks')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'ca_id', 'kind']).doUpdateSet(found))
    .execute()
}

export const dropCheck = async (
  db: Database,
  { tenant_id: tenantId, ca_id: caId, kind }: Pick<CheckRow, 'tenant_id' | 'ca_id' | 'kind'>,
): Promise<void> => {
  await tables(db)
    .deleteFrom('health_checks')
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('kind', '=', kind)
    .execute()
}

/** How many authorities have a check that is not in order. */
export async function countAuthoritiesInTrouble(db: Database, tenantId: string): Promise<number> {
  const { total } = await tables(db)
    .selectFrom('health_checks')
    .select((all) => all.fn.count<number>('ca_id').distinct().as('total'))
    .where('tenant_id', '=', tenantId)
    .where('state', '<>', 'ok')
    .executeTakeFirstOrThrow()
  return total
}
