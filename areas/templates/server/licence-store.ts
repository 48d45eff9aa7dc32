// The two sides of a template's licence. The owner's row says whether it holds; the licensee's row says what that tenancy makes of the template,
// which is itself read from its owner each time, so that a change or a licence taken back holds from that moment on.

import { sql } from 'kysely'
import type { LicenceTerm } from '#areas/authorities/rules.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import { tables, type LicensedTemplateRecord, type TemplateRecord } from './store.ts'

export type TemplateLicence = {
  tenantId: string
  template: Pick<TemplateRecord, 'id' | 'ca_id' | 'self_service_eligible'>
  licenseeId: string
  term: LicenceTerm
  newId: string
  now: Date
}

/** Grants the licence, for a time or for good, or takes it back, on both sides in the one open transaction, whose tenant is the owner. */
export async function putTemplateLicence(
  db: Database,
  { tenantId, template, licenseeId, term, newId, now }: TemplateLicence,
): Promise<void> {
  const said = { enabled: term.enabled, from_day: term.from ?? null, until_day: term.until ?? null, changed_at: now }
  await tables(db)
    .insertInto('template_licences')
    .values({ tenant_id: tenantId, template_id: template.id, licensee_id: licenseeId, ...said })
    .onConflict((met) => met.columns(['tenant_id', 'template_id', 'licensee_id']).doUpdateSet(said))
    .execute()
  if (!term.enabled) return
  await visitTenant(db, { home: tenantId, tenantId: licenseeId }, async () => {
    await tables(db)
      .insertInto('licensed_templates')
      .values({
        tenant_id: licenseeId,
        id: newId,
        template_id: template.id,
        ca_id: template.ca_id,
        owner_id: tenantId,
        enabled: true,
        anonymous_enabled: false,
        self_service_eligible: template.self_service_eligible,
        priority: null,
        pinned: '',
        narrowing: '{}',
        version: 1,
        licensed_at: now,
        updated_at: now,
      })
      .onConflict((met) => met.columns(['tenant_id', 'template_id']).doNothing())
      .execute()
  })
}

/** The licences that a tenancy has given for its templates. */
export async function templateLicencesGiven(
  db: Database,
  tenantId: string,
  licenseeId?: string,
): Promise<{ templateId: string; tenantId: string; term: LicenceTerm }[]> {
  const rows = await tables(db)
    .selectFrom('template_licences')
    .select(['template_id', 'licensee_id', 'enabled', 'from_day', 'until_day'])
    .where('tenant_id', '=', tenantId)
    .$if(licenseeId !== undefined, (query) => query.where('licensee_id', '=', licenseeId ?? ''))
    .execute()
  return rows.map(({ template_id, licensee_id, enabled, from_day, until_day }) => ({
    templateId: template_id,
    tenantId: licensee_id,
    term: { enabled, from: from_day ?? undefined, until: until_day ?? undefined },
  }))
}

export type LicensedTemplate = { own: LicensedTemplateRecord; record: TemplateRecord; term: LicenceTerm }

/** The templates that others have licensed to this tenancy, each as its owner has it: all of them, or the one of that template. Deleted ones are left out. */
export async function licensedTemplates(db: Database, tenantId: string, templateId?: string): Promise<LicensedTemplate[]> {
  const mine = await tables(db)
    .selectFrom('licensed_templates')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(templateId !== undefined, (query) => query.where('template_id', '=', templateId ?? ''))
    .orderBy('id')
    .execute()
  const found: LicensedTemplate[] = []
  for (const [ownerId, those] of Map.groupBy(mine, ({ owner_id }) => owner_id)) {
    const rows = await visitTenant(db, { home: tenantId, tenantId: ownerId }, () =>
      tables(db)
        .selectFrom('template_licences as licence')
        .innerJoin('templates', (join) =>
          join.onRef('templates.tenant_id', '=', 'licence.tenant_id').onRef('templates.id', '=', 'licence.template_id'),
        )
        .selectAll('templates')
        .select(['licence.enabled as licence_enabled', 'licence.from_day', 'licence.until_day'])
        .where('licence.tenant_id', '=', ownerId)
        .where('licence.licensee_id', '=', tenantId)
        .where(
          'licence.template_id',
          'in',
          those.map(({ template_id }) => template_id),
        )
        .execute(),
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const own of those) {
      const row = byId.get(own.template_id)
      if (row === undefined) continue
      const { licence_enabled: enabled, from_day, until_day, ...record } = row
      found.push({ own, record, term: { enabled, from: from_day ?? undefined, until: until_day ?? undefined } })
    }
  }
  return found
}

export type LicensedChange = Partial<
  Pick<LicensedTemplateRecord, 'enabled' | 'anonymous_enabled' | 'self_service_eligible' | 'priority' | 'pinned' | 'narrowing'>
>

/** Changes what the licensee makes of it, if it is still at `version` (at any, where none is given). */
export async function changeLicensedTemplate(
  db: Database,
  tenantId: string,
  id: string,
  version: number | undefined,
  { narrowing, ...plain }: LicensedChange,
  now: Date,
): Promise<number | undefined> {
  let query = tables(db)
    .updateTable('licensed_templates')
    .set({
      ...plain,
      ...(narrowing === undefined ? {} : { narrowing: JSON.stringify(narrowing) }),
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
  if (version !== undefined) query = query.where('version', '=', version)
  return (await query.returning('version').executeTakeFirst())?.version
}

/** The licensees' rows lead to the authority that the templates have moved to. The transaction's tenant is the owner. */
export async function moveLicences(db: Database, tenantId: string, templateIds: readonly string[], toId: string): Promise<void> {
  const licensees = new Set(
    (await templateLicencesGiven(db, tenantId)).filter(({ templateId }) => templateIds.includes(templateId)).map((given) => given.tenantId),
  )
  for (const licenseeId of licensees) {
    await visitTenant(db, { home: tenantId, tenantId: licenseeId }, async () => {
      await tables(db)
        .updateTable('licensed_templates')
        .set({ ca_id: toId })
        .where('tenant_id', '=', licenseeId)
        .where('template_id', 'in', [...templateIds])
        .execute()
    })
  }
}
