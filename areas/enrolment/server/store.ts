import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { EnrolledEntity, OutcomeState } from '../rules.ts'

export type RuleRecord = {
  tenant_id: string
  id: string
  name: string
  enabled: boolean
  entity: EnrolledEntity
  template_id: string
  role_ids: string[]
  device_names: string[]
  renew_days: number
  made_by: string
  made_by_name: string
  version: number
  created_at: Date
  updated_at: Date
  last_run_at: Date | null
}

export type OutcomeRecord = {
  tenant_id: string
  rule_id: string
  subject: string
  subject_name: string
  state: OutcomeState
  reason: string
  request_id: string | null
  request_key: string
  at: Date
}

export type EnrolmentTables = { enrolment_rules: RuleRecord; enrolment_outcomes: OutcomeRecord }

const tables = (db: Database) => db.withTables<EnrolmentTables>()

const most = 500

export const allRules = (db: Database, tenantId: string) =>
  tables(db).selectFrom('enrolment_rules').selectAll().where('tenant_id', '=', tenantId).orderBy('name').limit(most).execute()

export const findRule = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('enrolment_rules').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The rule, held until the transaction ends: two runs at once leave what the later one found. */
export const lockRule = (db: Database, tenantId: string, id: string) =>
  tables(db)
    .selectFrom('enrolment_rules')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export async function insertRule(db: Database, record: RuleRecord): Promise<void> {
  await tables(db).insertInto('enrolment_rules').values(record).execute()
}

/** Changes the rule if it is still at `version`. Returns the new version. */
export async function changeRule(
  db: Database,
  tenantId: string,
  id: string,
  version: number,
  change: Partial<Omit<RuleRecord, 'tenant_id' | 'id' | 'version'>>,
): Promise<number | undefined> {
  const changed = await tables(db)
    .updateTable('enrolment_rules')
    .set({ ...change, version: sql<number>`version + 1` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return changed?.version
}

export async function noteRun(db: Database, tenantId: string, id: string, at: Date): Promise<void> {
  await tables(db).updateTable('enrolment_rules').set({ last_run_at: at }).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export const deleteRule = (db: Database, tenantId: string, id: string) =>
  tables(db).deleteFrom('enrolment_rules').where('tenant_id', '=', tenantId).where('id', '=', id).returning('name').executeTakeFirst()

export const outcomesOf = (db: Database, tenantId: string, ruleId: string) =>
  tables(db)
    .selectFrom('enrolment_outcomes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('rule_id', '=', ruleId)
    .orderBy('subject_name')
    .execute()

/** How many of each state every rule has. */
export async function countOutcomes(db: Database, tenantId: string): Promise<{ ruleId: string; state: OutcomeState; count: number }[]> {
  return tables(db)
    .selectFrom('enrolment_outcomes')
    .select((all) => ['rule_id as ruleId', 'state', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .groupBy(['rule_id', 'state'])
    .execute()
}

/** What the run found, in place of what the last one did. */
export async function replaceOutcomes(db: Database, tenantId: string, ruleId: string, outcomes: readonly OutcomeRecord[]): Promise<void> {
  await tables(db).deleteFrom('enrolment_outcomes').where('tenant_id', '=', tenantId).where('rule_id', '=', ruleId).execute()
  for (let at = 0; at < outcomes.length; at += 500)
    await tables(db)
      .insertInto('enrolment_outcomes')
      .values(outcomes.slice(at, at + 500))
      .execute()
}
