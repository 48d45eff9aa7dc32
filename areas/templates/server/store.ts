import { sql, type JSONColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { CertificateClassName, Extensions, Rules } from '../rules.ts'

export type TemplateRecord = {
  tenant_id: string
  id: string
  ca_id: string
  template_name: string
  display_name: string
  class: CertificateClassName
  access_level: 'OPERATOR' | 'ADMINISTRATOR'
  self_service_eligible: boolean
  enabled: boolean
  priority: number | null
  issue_approvers: number
  revocation_approvers: number
  extensions: Extensions
  rules: Rules
  version: number
  created_at: Date
  updated_at: Date
}

type TemplateColumns = Omit<TemplateRecord, 'extensions' | 'rules'> & { extensions: JSONColumnType<Extensions>; rules: JSONColumnType<Rules> }
export type TemplateTables = { templates: TemplateColumns }

const tables = (db: Database) => db.withTables<TemplateTables>()

/** A tenancy has tens of templates; the lists are put in order by the rules, not by the database. */
const mostTemplates = 2_000

export const allTemplates = (db: Database, tenantId: string): Promise<TemplateRecord[]> =>
  tables(db).selectFrom('templates').selectAll().where('tenant_id', '=', tenantId).orderBy('id').limit(mostTemplates).execute()

export const findTemplateRecord = (db: Database, tenantId: string, id: string): Promise<TemplateRecord | undefined> =>
  tables(db).selectFrom('templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function insertTemplate(db: Database, record: TemplateRecord): Promise<void> {
  await tables(db)
    .insertInto('templates')
    .values({ ...record, extensions: JSON.stringify(record.extensions), rules: JSON.stringify(record.rules) })
    .execute()
}

export type TemplateChange = Partial<Omit<TemplateRecord, 'tenant_id' | 'id' | 'created_at' | 'version'>>

/** Changes the template if it is still at `version` (at any, where none is given). Returns the new version. */
export async function changeTemplate(db: Database, tenantId: string, id: string, version: number | undefined, change: TemplateChange): Promise<number | undefined> {
  const { extensions, rules, ...plain } = change
  let query = tables(db)
    .updateTable('templates')
    .set({
      ...plain,
      ...(extensions === undefined ? {} : { extensions: JSON.stringify(extensions) }),
      ...(rules === undefined ? {} : { rules: JSON.stringify(rules) }),
      version: sql<number>`version + 1`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
  if (version !== undefined) query = query.where('version', '=', version)
  return (await query.returning('version').executeTakeFirst())?.version
}

export const deleteTemplate = async (db: Database, tenantId: string, id: string): Promise<boolean> =>
  (await tables(db).deleteFrom('templates').where('tenant_id', '=', tenantId).where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
