import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { listUsableIssuers, templateFlagsOf } from '#areas/authorities/licensing.ts'
import { findIssuer, listIssuers, type Issuer } from '#areas/authorities/service.ts'
import { successorMoves } from '#areas/authorities/succession.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { serve, type Handlers } from '#core/server/serve.ts'
import { firstSteps } from '#core/server/slots.ts'
import { checkNameText } from '#standards/lint/name-text.ts'
import { say } from '#standards/say/say.ts'
import type { OfferedTemplate, TemplateDraft, TemplateRow } from '../contract.ts'
import { furtherExtensions, furtherRules, templates } from '../contract.ts'
import { omitted } from '../omitted.ts'
import { askedValues, planCertificate } from '../plan.ts'
import { allPresets } from '../presets.ts'
import { previewCertificate, samplePublicKey, serverKeyOf } from '../preview.ts'
import { readRequest } from '../requests.ts'
import {
  asymmetricAlgorithm,
  keyTypesOf,
  certificateClasses,
  extendedUsages,
  keyUsages,
  orderTemplates,
  sanFields,
  subjectFields,
  templateFaults,
  usageLabel,
  type Entity,
  type Extensions,
} from '../rules.ts'
import { addPreset, findOwnTemplate, listOwnTemplates, listTemplates, nameOf, shortForm, templateFlags, type Template } from '../service.ts'
import { moveToSuccessor } from './moving.ts'
import { sampleRecord, sampleValues } from './samples.ts'
import { changeTemplate, deleteTemplate, insertTemplate, templateNames, templatesNamed } from './store.ts'

type Row = z.input<typeof TemplateRow>
type Draft = z.output<typeof TemplateDraft>

const handlers: Handlers<typeof templates> = {
  async list({ page, size, text, caId, class: wanted }, { db, viewer, now }) {
    const all = await rowsOf(db, viewer.tenantId, now)
    const rows = all.filter(
      (row) => (caId === undefined || row.caId === caId) && (wanted === undefined || row.class === wanted) && isMeantBy(text, row),
    )
    return { rows: rows.slice((page - 1) * size, page * size), total: rows.length }
  },

  async offered({ entity }, { db, viewer, now }) {
    const api = viewer.permission.api
    const uploads = api.includes(entity === 'user' ? 'certSigningRequestUser' : 'certSigningRequest')
    const issuers = new Map((await listUsableIssuers(db, viewer.tenantId, now)).map((issuer) => [issuer.caId, issuer]))
    const found = (await listTemplates(db, viewer.tenantId, now)).filter((template) => {
      const issuer = issuers.get(template.caId)
      const entities: readonly Entity[] = certificateClasses[template.class].entities
      if (!template.enabled || issuer?.enabled !== true || issuer.status !== 'ActiveCert' || !entities.includes(entity)) return false
      if (template.rules.cardsOnly === true) return false
      if (template.accessLevel === 'ADMINISTRATOR' && !api.includes('manageCAs')) return false
      return uploads || template.selfServiceEligible
    })
    const rows = found.map((template): z.input<typeof OfferedTemplate> => ({
      ...rowOf(template, issuers.get(template.caId)),
      asks: askedValues(template, entity),
      ignoreCsrDetails: template.extensions.ignoreCsrDetails,
      serverKey: serverKeyOf(template.rules.keys) !== undefined,
      keyArchival: template.extensions.keyArchival === true,
      keys: template.rules.keys,
    }))
    return { templates: orderTemplates(rows, (row) => row.priority) }
  },

  async names({ caId }, { db, viewer }) {
    const found = (await listOwnTemplates(db, viewer.tenantId)).filter((template) => caId === undefined || template.caId === caId)
    return {
      templates: found.map(shortForm),
    }
  },

  async get({ templateId }, { db, viewer, now, fault }) {
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    const issuer = await findIssuer(db, viewer.tenantId, template.caId, now)
    const {
      id,
      updatedAt,
      priority,
      licensedTemplateId: _licensed,
      ownerId: _owner,
      granted: _granted,
      anonymousEnabled: _anonymous,
      pinned: _pinned,
      narrowing: _narrowing,
      ...rest
    } = template
    return {
      ...rest,
      ...(priority === undefined ? {} : { priority }),
      templateId: id,
      caName: issuer?.friendlyName ?? '',
      updatedAt: updatedAt.toISOString(),
    }
  },

  async extensions({ templateId }, { db, viewer, fault }) {
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    return { templateId, version: template.version, ...template.extensions }
  },

  async setExtensions({ templateId, version, ...sent }, { db, viewer, now, emit, fault }) {
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    const extensions = changedBy(template.extensions, sent)
    const fields = allFaults({ ...template, extensions })
    if (fields.length > 0)
      return fault('invalid', { fields: fields.map(({ field, says }) => ({ field: field.replace(/^extensions\./, ''), says })) })
    // What was not sent was read just now: what somebody else saved since is not overwritten by it.
    const changed =
      (await changeTemplate(db, viewer.tenantId, templateId, version ?? template.version, { extensions, updated_at: now })) ??
      fault('conflict')
    emit('edited', { templateId, templateName: template.templateName, changed: ['extensions'] }, templateId)
    return { templateId, version: changed }
  },

  async add(draft, { db, viewer, now, emit, fault }) {
    await refuseDraft(db, viewer.tenantId, draft, now, (fields) => fault('invalid', { fields }))
    const templateId = timeOrderedId(now)
    await insertTemplate(db, {
      tenant_id: viewer.tenantId,
      id: templateId,
      ...columnsOf(draft),
      version: 1,
      created_at: now,
      updated_at: now,
    })
    emit('added', { templateId, templateName: draft.templateName, caId: draft.caId }, templateId)
    return { templateId }
  },

  async edit({ templateId, version, caName: _, updatedAt: __, ...sent }, { db, viewer, now, emit, fault }) {
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    if (template.version !== version) return fault('conflict')
    const unsaid = unsaidIn(template, sent)
    if (unsaid.length > 0) return fault('invalid', { fields: unsaid })
    const draft = {
      ...sent,
      priority: sent.priority ?? undefined,
      extensions: withoutNull(sent.extensions),
      rules: withoutNull(sent.rules),
    }
    await refuseDraft(db, viewer.tenantId, draft, now, (fields) => fault('invalid', { fields }))
    const changed =
      (await changeTemplate(db, viewer.tenantId, templateId, version, { ...columnsOf(draft), updated_at: now })) ?? fault('conflict')
    emit('edited', { templateId, templateName: draft.templateName, changed: changesBetween(template, draft) }, templateId)
    return { templateId, version: changed }
  },

  async remove({ templateId }, { db, viewer, emit, fault }) {
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    await deleteTemplate(db, viewer.tenantId, templateId)
    emit('removed', { templateId, templateName: template.templateName }, templateId)
    return {}
  },

  async system(_input, { db, viewer, now }) {
    const own = await listOwnTemplates(db, viewer.tenantId)
    return {
      templates: allPresets.map(({ templateName, displayName, says, class: kind, extensions, rules, issueApprovers }) => ({
        templateName,
        displayName,
        says,
        class: kind,
        keyUsages: extensions.keyUsages.map((name) => keyUsages[name]),
        extendedUsages: [
          ...extensions.extendedUsages.map((name) => extendedUsages[name].label),
          ...(extensions.customUsages ?? []).map(usageLabel),
        ],
        names: [
          ...extensions.certificateSubjects.map(({ subjectField }) => subjectFields[subjectField]),
          ...extensions.certificateSans.map(({ sanField }) => sanFields[sanField].label),
        ],
        keys: rules.keys,
        validityPeriod: extensions.validityPeriod,
        validityPeriodUnits: extensions.validityPeriodUnits,
        issueApprovers,
        presentAt: own.filter((template) => template.templateName.toLowerCase() === templateName.toLowerCase()).map(({ caId }) => caId),
      })),
      authorities: (await listIssuers(db, viewer.tenantId, now)).map(({ caId, friendlyName }) => ({ caId, friendlyName })),
    }
  },

  async addSystem({ templateName, caId }, { db, viewer, now, emit, fault }) {
    const preset =
      allPresets.find((one) => one.templateName === templateName) ??
      fault('invalid', { fields: [{ field: 'templateName', says: say`Choose one of the system templates` }] })
    if ((await findIssuer(db, viewer.tenantId, caId, now)) === undefined) fault('invalid', { fields: [noAuthority] })
    const templateId = await addPreset(db, { tenantId: viewer.tenantId, caId, preset, priority: null, now })
    emit('added', { templateId, templateName, caId }, templateId)
    return { templateId }
  },

  async preview({ draft, csr, values }, { viewer, now, transact }) {
    const faults = templateFaults(draft)
    const issuer = await transact(({ db }) => findIssuer(db, viewer.tenantId, draft.caId, now))
    if (issuer === undefined) return { findings: [], faults: [...faults, noAuthority] }
    const request = csr === undefined || csr.trim() === '' ? undefined : readRequest(csr)
    if (request !== undefined && 'faults' in request) return { findings: [], faults: [...faults, ...request.faults] }
    const entity: Entity = certificateClasses[draft.class].entities[0] ?? 'device'
    const key = request === undefined ? (serverKeyOf(draft.rules.keys) ?? draft.rules.keys[0]) : request.key
    const sample = await samplePublicKey(key)
    const planned = planCertificate(draft, {
      entity,
      key,
      keyText: request?.keyText ?? '',
      record: sampleRecord,
      typed: { ...(request === undefined || draft.extensions.ignoreCsrDetails ? sampleValues(draft, entity) : {}), ...values },
      csr: request?.details,
    })
    const warned = [...(request?.findings ?? []), ...planned.findings]
    if ('faults' in planned)
      return { findings: warned, faults: [...faults, ...planned.faults.filter(({ says }) => !faults.some((fault) => fault.says === says))] }
    const leftOut = request === undefined ? [] : omitted(request.details, planned.draft, 'certificate')
    const preview = previewCertificate(issuer, draft.extensions, planned.draft, request?.csr.publicKey.spki ?? sample, now, 'csr')
    const { notBefore, notAfter, ...described } = preview.planned
    return {
      planned: { ...described, notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() },
      findings: [...warned, ...leftOut, ...preview.findings],
      faults,
    }
  },
}

export default serve(templates, handlers, {
  offers: [
    offer(templateFlagsOf, templateFlags),
    offer(successorMoves, moveToSuccessor),
    offer(firstSteps, {
      step: 'template',
      isDone: async (db, tenantId, now) => (await listTemplates(db, tenantId, now)).some(({ enabled }) => enabled),
    }),
  ],
  records: {
    template: {
      names: async ({ db, tenantId }, ids) =>
        (await templateNames(db, tenantId, ids)).map(({ id, display_name: displayName, template_name: templateName }) => ({
          id,
          name: nameOf({ displayName, templateName }),
          path: pathOf(id),
        })),
      seek: ({ db, tenantId }, { text, most }) => templatesNamed(db, tenantId, text, most),
      search: async ({ db, tenantId, now }, { text, most }) =>
        (await rowsOf(db, tenantId, now))
          .filter((row) => isMeantBy(text, row))
          .slice(0, most)
          .map(({ templateId, displayName, caName }) => ({
            id: templateId,
            label: displayName,
            detail: caName,
            path: pathOf(templateId),
          })),
    },
  },
})

const pathOf = (id: string): string => to(templates.screens.manage, { id })

/** By a part of its own name or its authority's. */
const isMeantBy = (text: string, { templateName, displayName, caName }: Row): boolean =>
  [templateName, displayName, caName].some((name) => name.toLowerCase().includes(text.toLowerCase()))

const noAuthority = { field: 'caId', says: say`Choose an authority that has a certificate` }

async function rowsOf(db: Database, tenantId: string, now: Date): Promise<Row[]> {
  const issuers = new Map((await listIssuers(db, tenantId, now)).map((issuer) => [issuer.caId, issuer]))
  const rows = (await listOwnTemplates(db, tenantId)).map((template) => rowOf(template, issuers.get(template.caId)))
  return orderTemplates(rows, (row) => row.priority)
}

const rowOf = (template: Template, issuer: Issuer | undefined): Row => ({
  asymmetricAlgorithm: asymmetricAlgorithm(template.rules.keys),
  keyTypes: keyTypesOf(template.rules.keys),
  class: template.class,
  caName: issuer?.friendlyName ?? '',
  templateName: template.templateName,
  templateId: template.id,
  licensedTemplateId: template.licensedTemplateId,
  csrRules: JSON.stringify(template.rules),
  accessLevel: template.accessLevel,
  caExpiry: issuer?.notAfter.toISOString() ?? '',
  digicertOrgName: '',
  digicertOrgId: '',
  selfServiceEligible: template.selfServiceEligible,
  caId: template.caId,
  ...(template.priority === undefined ? {} : { priority: template.priority }),
  displayName: nameOf(template),
  enabled: template.enabled,
  issueApprovers: template.issueApprovers,
  validityPeriod: template.extensions.validityPeriod,
  validityPeriodUnits: template.extensions.validityPeriodUnits,
  updatedAt: template.updatedAt.toISOString(),
})

const columnsOf = (draft: Draft) => ({
  ca_id: draft.caId,
  template_name: draft.templateName,
  display_name: draft.displayName,
  class: draft.class,
  access_level: draft.accessLevel,
  self_service_eligible: draft.selfServiceEligible,
  enabled: draft.enabled,
  priority: draft.priority ?? null,
  issue_approvers: draft.issueApprovers,
  revocation_approvers: draft.revocationApprovers,
  extensions: draft.extensions,
  rules: draft.rules,
})

/** The names of what an edit changed, for the record: values stay out of it. */
function changesBetween(template: Template, draft: Draft): string[] {
  const before: Record<string, unknown> = { ...template }
  return Object.entries(draft).flatMap(([name, value]) => (isDeepStrictEqual(before[name], value) ? [] : [name]))
}

type FieldFaults = ReturnType<typeof templateFaults>

/** What the template has now, need not have, and was neither sent nor taken away. Left out in silence, archived keys would not be archived any more. */
function unsaidIn(
  { priority, extensions, rules }: Template,
  sent: Pick<InputOf<typeof templates.calls.edit>, 'priority' | 'extensions' | 'rules'>,
): FieldFaults {
  const further: [string, string[], object, object][] = [
    ['', ['priority'], { priority }, sent],
    ['extensions.', Object.keys(furtherExtensions.shape), extensions, sent.extensions],
    ['rules.', Object.keys(furtherRules.shape), rules, sent.rules],
  ]
  return further.flatMap(([within, names, now, then]) =>
    names
      .filter((name) => isThere(Object(now)[name]) && Object(then)[name] === undefined)
      .map((name) => ({
        field: within + name,
        says: say`${within}${name} is required, as the template has it: send null to take it away`,
      })),
  )
}

/** What is not sent stays. */
const changedBy = (before: Extensions, sent: { [K in keyof Extensions]?: Extensions[K] | null | undefined }): Extensions =>
  withoutNull({ ...before, ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) })

const isThere = (value: unknown): boolean =>
  value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)

type WithoutNull<T> = { [K in keyof T]: Exclude<T[K], null> }
const withoutNull = <T extends object>(sent: T): WithoutNull<T> =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== undefined)) as WithoutNull<T>

/** Also that the names read as they are written: they stand in lists, letters and certificates of others. */
function allFaults(draft: Pick<Draft, 'templateName' | 'displayName' | 'class' | 'extensions' | 'rules'>): FieldFaults {
  const names = {
    templateName: draft.templateName,
    displayName: draft.displayName,
    'extensions.microsoftTemplateName': draft.extensions.microsoftTemplateName ?? '',
  }
  const disguised = Object.entries(names).map(([field, name]) => ({ field, says: checkNameText('The name', name) }))
  return [...disguised.flatMap(({ field, says }) => (says === undefined ? [] : [{ field, says }])), ...templateFaults(draft)]
}

async function refuseDraft(db: Database, tenantId: string, draft: Draft, now: Date, refuse: (fields: FieldFaults) => never): Promise<void> {
  const fields = allFaults(draft)
  if ((await findIssuer(db, tenantId, draft.caId, now)) === undefined) fields.push(noAuthority)
  if (fields.length > 0) refuse(fields)
}
