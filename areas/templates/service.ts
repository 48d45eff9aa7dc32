// What rooms above ask of the templates: which there are, what a request would become, and the four that a new authority begins with.

import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { templatePresets } from './presets.ts'
import type { CertificateClassName, Extensions, Rules } from './rules.ts'
import { allTemplates, findTemplateRecord, insertTemplate, type TemplateRecord } from './server/store.ts'

export type Template = {
  id: string
  caId: string
  templateName: string
  displayName: string
  class: CertificateClassName
  accessLevel: 'OPERATOR' | 'ADMINISTRATOR'
  selfServiceEligible: boolean
  enabled: boolean
  priority: number | undefined
  issueApprovers: number
  revocationApprovers: number
  extensions: Extensions
  rules: Rules
  version: number
  updatedAt: Date
}

const fromRecord = (record: TemplateRecord): Template => ({
  id: record.id,
  caId: record.ca_id,
  templateName: record.template_name,
  displayName: record.display_name,
  class: record.class,
  accessLevel: record.access_level,
  selfServiceEligible: record.self_service_eligible,
  enabled: record.enabled,
  priority: record.priority ?? undefined,
  issueApprovers: record.issue_approvers,
  revocationApprovers: record.revocation_approvers,
  extensions: record.extensions,
  rules: record.rules,
  version: record.version,
  updatedAt: record.updated_at,
})

export async function findTemplate(db: Database, tenantId: string, id: string): Promise<Template | undefined> {
  const record = await findTemplateRecord(db, tenantId, id)
  return record && fromRecord(record)
}

export const listTemplates = async (db: Database, tenantId: string): Promise<Template[]> => (await allTemplates(db, tenantId)).map(fromRecord)

/** Adds the templates that an authority begins with. Those whose name it has already are left alone. Returns the ids by template name. */
export async function createDefaultTemplates(db: Database, { tenantId, caId, now }: { tenantId: string; caId: string; now: Date }): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const record of await allTemplates(db, tenantId)) if (record.ca_id === caId) ids[record.template_name] = record.id
  for (const [at, { says: _, ...preset }] of templatePresets.entries()) {
    if (ids[preset.templateName] !== undefined) continue
    const id = timeOrderedId(now)
    ids[preset.templateName] = id
    await insertTemplate(db, {
      tenant_id: tenantId,
      id,
      ca_id: caId,
      template_name: preset.templateName,
      display_name: preset.displayName,
      class: preset.class,
      access_level: 'OPERATOR',
      self_service_eligible: preset.selfServiceEligible,
      enabled: true,
      priority: at + 1,
      issue_approvers: preset.issueApprovers,
      revocation_approvers: 0,
      extensions: preset.extensions,
      rules: preset.rules,
      version: 1,
      created_at: now,
      updated_at: now,
    })
  }
  return ids
}
