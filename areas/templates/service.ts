// What rooms above ask of the templates: which there are, what a request would become, and the four that a new authority begins with.

import type { TemplateFlags } from '#areas/authorities/licensing.ts'
import { licenceRefusal, type LicenceTerm } from '#areas/authorities/rules.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { narrow, noNarrowing, type Narrowing, type Pinned } from './narrowing.ts'
import { templatePresets, type TemplatePreset } from './presets.ts'
import { certificateType, type CertificateClassName, type Extensions, type Rules } from './rules.ts'
import {
  changeLicensedTemplate,
  licensedTemplates,
  putTemplateLicence,
  templateLicencesGiven,
  type LicensedTemplate,
} from './server/licence-store.ts'
import { allTemplates, changeTemplate, findTemplateRecord, insertTemplate, type TemplateRecord } from './server/store.ts'

export type Template = {
  id: string
  /** What the tenancy's flags, order and rules are kept under; an own template's own id. */
  licensedTemplateId: string
  /** The tenancy whose template it is. */
  ownerId: string
  /** Undefined for an own template, and false where its licence does not hold now. */
  granted: boolean | undefined
  /** What its owner grants; undefined for an own template. */
  licence: LicenceTerm | undefined
  caId: string
  templateName: string
  displayName: string
  class: CertificateClassName
  accessLevel: 'OPERATOR' | 'ADMINISTRATOR'
  selfServiceEligible: boolean
  anonymousEnabled: boolean
  enabled: boolean
  priority: number | undefined
  pinned: Pinned
  issueApprovers: number
  revocationApprovers: number
  extensions: Extensions
  rules: Rules
  narrowing: Narrowing
  version: number
  /** The version of what changeUse writes: an own template itself, or the tenancy's side of a licensed one. */
  useVersion: number
  updatedAt: Date
}

const fromRecord = (record: TemplateRecord): Template => ({
  id: record.id,
  licensedTemplateId: record.id,
  ownerId: record.tenant_id,
  granted: undefined,
  licence: undefined,
  caId: record.ca_id,
  templateName: record.template_name,
  displayName: record.display_name,
  class: record.class,
  accessLevel: record.access_level,
  selfServiceEligible: record.self_service_eligible,
  anonymousEnabled: record.anonymous_enabled,
  enabled: record.enabled,
  priority: record.priority ?? undefined,
  pinned: record.pinned,
  issueApprovers: record.issue_approvers,
  revocationApprovers: record.revocation_approvers,
  extensions: record.extensions,
  rules: record.rules,
  narrowing: { ...noNarrowing, ...record.narrowing },
  version: record.version,
  useVersion: record.version,
  updatedAt: record.updated_at,
})

/** The owner's template with the licensee's flags. Both sides can switch it off. */
const fromLicensed = ({ own, record, term }: LicensedTemplate, now: Date): Template => ({
  ...fromRecord(record),
  licensedTemplateId: own.id,
  granted: licenceRefusal(term, now) === undefined,
  licence: term,
  enabled: record.enabled && licenceRefusal(term, now) === undefined && own.enabled,
  selfServiceEligible: own.self_service_eligible,
  anonymousEnabled: own.anonymous_enabled,
  priority: own.priority ?? undefined,
  pinned: own.pinned,
  narrowing: { ...noNarrowing, ...own.narrowing },
  // Either side's change makes a new version.
  version: record.version + own.version,
  useVersion: own.version,
  updatedAt: own.updated_at > record.updated_at ? own.updated_at : record.updated_at,
})

const inForce = (template: Template): Template => narrow(template, template.narrowing)

/** A template that the tenancy may use, as it holds there: its own or a licensed one, with the tenancy's own rules over it. */
export async function findTemplate(db: Database, tenantId: string, id: string, now: Date): Promise<Template | undefined> {
  const record = await findTemplateRecord(db, tenantId, id)
  if (record !== undefined) return inForce(fromRecord(record))
  return (await licensedTemplates(db, tenantId, id)).map((found) => inForce(fromLicensed(found, now)))[0]
}

export const listTemplates = async (db: Database, tenantId: string, now: Date): Promise<Template[]> =>
  (await listPlainTemplates(db, tenantId, now)).map(inForce)

/** The same without the tenancy's own rules: what those are laid over. */
export const listPlainTemplates = async (db: Database, tenantId: string, now: Date): Promise<Template[]> => [
  ...(await allTemplates(db, tenantId)).map(fromRecord),
  ...(await licensedTemplates(db, tenantId)).map((found) => fromLicensed(found, now)),
]

/** The tenancy's own template, for those who edit it. */
export async function findOwnTemplate(db: Database, tenantId: string, id: string): Promise<Template | undefined> {
  const record = await findTemplateRecord(db, tenantId, id)
  return record && fromRecord(record)
}

export const listOwnTemplates = async (db: Database, tenantId: string): Promise<Template[]> =>
  (await allTemplates(db, tenantId)).map(fromRecord)

export { templateLicencesGiven }

/** Grants or takes back a licence for an own template. The transaction's tenant is the owner. */
export async function licenseTemplate(
  db: Database,
  { template, licenseeId, term, now }: { template: Template; licenseeId: string; term: LicenceTerm; now: Date },
): Promise<void> {
  const { id, ownerId, caId, selfServiceEligible } = template
  await putTemplateLicence(db, {
    tenantId: ownerId,
    template: { id, ca_id: caId, self_service_eligible: selfServiceEligible },
    licenseeId,
    term,
    newId: timeOrderedId(now),
    now,
  })
}

export type UseOfTemplate = Partial<
  Pick<Template, 'enabled' | 'anonymousEnabled' | 'selfServiceEligible' | 'pinned' | 'narrowing'> & { priority: number | undefined }
>

/** Changes what a tenancy makes of a template that it may use, own or licensed. False where somebody changed it meanwhile. */
export async function changeUse(db: Database, tenantId: string, template: Template, change: UseOfTemplate, now: Date): Promise<boolean> {
  const columns = {
    ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
    ...(change.anonymousEnabled === undefined ? {} : { anonymous_enabled: change.anonymousEnabled }),
    ...(change.selfServiceEligible === undefined ? {} : { self_service_eligible: change.selfServiceEligible }),
    ...(change.pinned === undefined ? {} : { pinned: change.pinned }),
    ...('priority' in change ? { priority: change.priority ?? null } : {}),
    ...(change.narrowing === undefined ? {} : { narrowing: change.narrowing }),
  }
  // The rules are one value, of which each screen changes its part: over what somebody wrote meanwhile it would be lost.
  const version = change.narrowing === undefined ? undefined : template.useVersion
  if (template.granted === undefined)
    return (await changeTemplate(db, tenantId, template.id, version, { ...columns, updated_at: now })) !== undefined
  return (await changeLicensedTemplate(db, tenantId, template.licensedTemplateId, version, columns, now)) !== undefined
}

export const nameOf = ({ displayName, templateName }: Pick<Template, 'displayName' | 'templateName'>): string =>
  displayName === '' ? templateName : displayName

/** A template as the specification names it in the list of authorities. */
export const shortForm = (template: Template) => ({
  id: template.id,
  displayName: nameOf(template),
  class: template.class,
  templateFriendlyName: nameOf(template),
  type: certificateType(template.class),
})

/** What the list of authorities says of the templates of each that the tenancy may use. */
export async function templateFlags(db: Database, tenantId: string, now: Date): Promise<Map<string, TemplateFlags[]>> {
  const all = await listPlainTemplates(db, tenantId, now)
  return new Map(
    [...Map.groupBy(all, ({ caId }) => caId)].map(([caId, those]) => [
      caId,
      those.map((template) => ({
        ...shortForm(template),
        licensedTemplateId: template.licensedTemplateId,
        enabled: template.enabled,
        anonymousEnabled: template.anonymousEnabled,
        selfServiceEligible: template.selfServiceEligible,
      })),
    ]),
  )
}

/** Adds the templates that an authority begins with. Those whose name it has already are left alone. Returns the ids by template name. */
export async function createDefaultTemplates(
  db: Database,
  { tenantId, caId, now }: { tenantId: string; caId: string; now: Date },
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const record of await allTemplates(db, tenantId)) if (record.ca_id === caId) ids[record.template_name] = record.id
  for (const [at, preset] of templatePresets.entries()) {
    if (ids[preset.templateName] === undefined)
      ids[preset.templateName] = await addPreset(db, { tenantId, caId, preset, priority: at + 1, now })
  }
  return ids
}

/** Adds one of the profiles to an authority as a template, for operators and with nobody to agree to revocations unless it says more. Throws where the authority has a template of that name. */
export async function addPreset(
  db: Database,
  {
    tenantId,
    caId,
    preset,
    priority,
    now,
  }: {
    tenantId: string
    caId: string
    preset: TemplatePreset & { accessLevel?: TemplateRecord['access_level']; revocationApprovers?: number }
    priority: number | null
    now: Date
  },
): Promise<string> {
  const id = timeOrderedId(now)
  await insertTemplate(db, {
    tenant_id: tenantId,
    id,
    ca_id: caId,
    template_name: preset.templateName,
    display_name: preset.displayName,
    class: preset.class,
    access_level: preset.accessLevel ?? 'OPERATOR',
    self_service_eligible: preset.selfServiceEligible,
    enabled: true,
    priority,
    issue_approvers: preset.issueApprovers,
    revocation_approvers: preset.revocationApprovers ?? 0,
    extensions: preset.extensions,
    rules: preset.rules,
    version: 1,
    created_at: now,
    updated_at: now,
  })
  return id
}
