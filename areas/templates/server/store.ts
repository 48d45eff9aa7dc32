import { sql, type ColumnType, type Generated, type JSONColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Narrowing, Pinned } from '../narrowing.ts'
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
  anonymous_enabled: boolean
  pinned: Pinned
  narrowing: Partial<Narrowing>
}

type TemplateColumns = Omit<TemplateRecord, 'extensions' | 'rules' | 'narrowing' | 'anonymous_enabled' | 'pinned'> & {
  extensions: JSONColumnType<Extensions>
  rules: JSONColumnType<Rules>
  anonymous_enabled: Generated<boolean>
  pinned: Generated<Pinned>
  narrowing: ColumnType<Partial<Narrowing>, string | undefined, string>
}
export type LicensedTemplateRecord = {
  tenant_id: string
  id: string
  template_id: string
  ca_id: string
  owner_id: string
  enabled: boolean
  anonymous_enabled: boolean
  self_service_eligible: boolean
  priority: number | null
  pinned: Pinned
  narrowing: Partial<Narrowing>
  version: number
  licensed_at: Date
  updated_at: Date
}

/** The owner's side of a licence, which says whether it holds; `licensed_templates` is the licensee's. */
type TemplateLicenceRecord = {
  tenant_id: string
  template_id: string
  licensee_id: string
  enabled: boolean
  from_day: string | null
  until_day: string | null
  changed_at: Date
}
type LicensedTemplateColumns = Omit<LicensedTemplateRecord, 'narrowing'> & { narrowing: JSONColumnType<Partial<Narrowing>> }

export type TemplateTables = {
  templates: TemplateColumns
  template_licences: TemplateLicenceRecord
  licensed_templates: LicensedTemplateColumns
}

export const tables = (db: Database) => db.withTables<TemplateTables>()

/** A tenancy has tens of templates; the lists are put in order by the rules, not by the database. */
const mostTemplates = 2_000

export const allTemplates = (db: Database, tenantId: string): Promise<TemplateRecord[]> =>
  tables(db).selectFrom('templates').selectAll().where('tenant_id', '=', tenantId).orderBy('id').limit(mostTemplates).execute()

export const templateNames = (
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Pick<TemplateRecord, 'id' | 'display_name' | 'template_name'>[]> =>
  tables(db)
    .selectFrom('templates')
    .select(['id', 'display_name', 'template_name'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()

export const templatesNamed = async (db: Database, tenantId: string, text: string, most: number): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('templates')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where((all) =>
        all.or(
          (['display_name', 'template_name'] as const).map((column) =>
            all(all.fn<number>('strpos', [all.fn('lower', [column]), all.val(text.toLowerCase())]), '>', 0),
          ),
        ),
      )
      .orderBy('display_name')
      .limit(most)
      .execute()
  ).map(({ id }) => id)

export const findTemplateRecord = (db: Database, tenantId: string, id: string): Promise<TemplateRecord | undefined> =>
  tables(db).selectFrom('templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** A new template has no narrowing yet. */
export async function insertTemplate(
  db: Database,
  record: Omit<TemplateRecord, 'anonymous_enabled' | 'pinned' | 'narrowing'>,
): Promise<void> {
  await tables(db)
    .insertInto('templates')
    .values({ ...record, extensions: JSON.stringify(record.extensions), rules: JSON.stringify(record.rules) })
    .execute()
}

export type TemplateChange = Partial<Omit<TemplateRecord, 'tenant_id' | 'id' | 'created_at' | 'version'>>

/** Changes the template if it is still at `version` (at any, where none is given). Returns the new version. */
export async function changeTemplate(
  db: Database,
  tenantId: string,
  id: string,
  version: number | undefined,
  change: TemplateChange,
): Promise<number | undefined> {
  const { extensions, rules, narrowing, ...plain } = change
  let query = tables(db)
    .updateTable('templates')
    .set({
      ...plain,
      ...(extensions === undefined ? {} : { extensions: JSON.stringify(extensions) }),
      ...(rules === undefined ? {} : { rules: JSON.stringify(rules) }),
      ...(narrowing === undefined ? {} : { narrowing: JSON.stringify(narrowing) }),
      version: sql<number>`version + 1`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
  if (version !== undefined) query = query.where('version', '=', version)
  return (await query.returning('version').executeTakeFirst())?.version
}

/** Every template of the one authority becomes the other's. Returns them. */
export const moveTemplates = (db: Database, tenantId: string, fromId: string, toId: string, now: Date): Promise<{ id: string }[]> =>
  tables(db)
    .updateTable('templates')
    .set({ ca_id: toId, updated_at: now, version: sql<number>`version + 1` })
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', fromId)
    .returning('id')
    .execute()

export const deleteTemplate = async (db: Database, tenantId: string, id: string): Promise<boolean> =>
  (await tables(db).deleteFrom('templates').where('tenant_id', '=', tenantId).where('id', '=', id).returning('id').executeTakeFirst()) !==
  undefined
