import type * as z from 'zod'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { findRoles, presentChoice, searchRoles } from '#areas/roles/service.ts'
import { dnsFault } from '#areas/templates/names.ts'
import { listTemplates } from '#areas/templates/service.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { serve } from '#core/server/serve.ts'
import { dependants } from '#core/server/slots.ts'
import { say } from '#standards/say/say.ts'
import { enrolment, type RuleDraft } from '../contract.ts'
import { classOf, type EnrolledEntity } from '../rules.ts'
import { runAllRules, runRule } from './run.ts'
import { allRules, changeRule, countOutcomes, deleteRule, findRule, insertRule, outcomesOf } from './store.ts'

type Draft = z.output<typeof RuleDraft>

async function templatesFor(db: Database, tenantId: string, now: Date) {
  return (await listTemplates(db, tenantId, now)).flatMap((template) => {
    const entity = (Object.keys(classOf) as EnrolledEntity[]).find((name) => classOf[name] === template.class)
    return entity === undefined
      ? []
      : [{ templateId: template.id, name: template.displayName || template.templateName, entity, enabled: template.enabled }]
  })
}

async function faultsOf(db: Database, tenantId: string, draft: Draft, now: Date): Promise<FieldFault[]> {
  const faults: FieldFault[] = []
  const template = (await templatesFor(db, tenantId, now)).find(({ templateId }) => templateId === draft.templateId)
  if (template === undefined || !template.enabled)
    faults.push({ field: 'templateId', says: say`Choose one of the templates for auto-enrolment` })
  else if (template.entity !== draft.entity)
    faults.push({
      field: 'templateId',
      says: draft.entity === 'user' ? say`This template is not for a user` : say`This template is not for a device`,
    })
  if (draft.entity === 'device' && draft.deviceNames.length === 0) faults.push({ field: 'deviceNames', says: say`Name the devices` })
  draft.deviceNames.forEach((name, at) => {
    const fault = dnsFault(name.toLowerCase())
    if (fault !== undefined) faults.push({ field: `deviceNames.${at}`, says: fault })
  })
  const roles = new Set((await findRoles(db, tenantId, draft.roleIds)).map(({ id }) => id))
  if (draft.roleIds.some((id) => !roles.has(id))) faults.push({ field: 'roleIds', says: say`Choose roles of this tenancy` })
  return faults
}

const columnsOf = ({ name, enabled, entity, templateId, roleIds, deviceNames, renewDays }: Draft) => ({
  name,
  enabled,
  entity,
  template_id: templateId,
  role_ids: entity === 'user' ? [...new Set(roleIds)] : [],
  device_names: entity === 'device' ? [...new Set(deviceNames.map((one) => one.toLowerCase()))] : [],
  renew_days: renewDays,
})

export default serve(
  enrolment,
  {
    async search({ page, size, text }, { db, viewer, now }) {
      const names = new Map((await templatesFor(db, viewer.tenantId, now)).map(({ templateId, name }) => [templateId, name]))
      const counts = await countOutcomes(db, viewer.tenantId)
      const sought = text.trim().toLowerCase()
      const fitting = (await allRules(db, viewer.tenantId)).filter(({ name }) => name.toLowerCase().includes(sought))
      const countOf = (ruleId: string, state: string) =>
        Number(counts.find((one) => one.ruleId === ruleId && one.state === state)?.count ?? 0)
      return {
        rows: fitting.slice((page - 1) * size, page * size).map((rule) => ({
          id: rule.id,
          name: rule.name,
          enabled: rule.enabled,
          entity: rule.entity,
          templateName: names.get(rule.template_id) ?? '',
          madeBy: rule.made_by_name,
          ...(rule.last_run_at === null ? {} : { lastRunAt: rule.last_run_at.toISOString() }),
          counts: { held: countOf(rule.id, 'held'), requested: countOf(rule.id, 'requested'), refused: countOf(rule.id, 'refused') },
        })),
        total: fitting.length,
      }
    },

    async choices(_input, { db, viewer, now }) {
      const templates = (await templatesFor(db, viewer.tenantId, now)).filter(({ enabled }) => enabled)
      return {
        templates: templates.map(({ templateId, name, entity }) => ({ templateId, name, entity })),
        roles: (await searchRoles(db, viewer.tenantId, '', 500)).map(presentChoice),
      }
    },

    async get({ id }, { db, viewer, fault }) {
      const rule = (await findRule(db, viewer.tenantId, id)) ?? fault('missing')
      return {
        id,
        version: rule.version,
        name: rule.name,
        enabled: rule.enabled,
        entity: rule.entity,
        templateId: rule.template_id,
        roleIds: rule.role_ids,
        deviceNames: rule.device_names,
        renewDays: rule.renew_days,
      }
    },

    async add(draft, { db, viewer, now, emit, fault }) {
      const fields = await faultsOf(db, viewer.tenantId, draft, now)
      if (fields.length > 0) fault('invalid', { fields })
      const id = timeOrderedId(now)
      await insertRule(db, {
        tenant_id: viewer.tenantId,
        id,
        ...columnsOf(draft),
        made_by: viewer.userId,
        made_by_name: viewer.username,
        version: 1,
        created_at: now,
        updated_at: now,
        last_run_at: null,
      })
      emit('added', { ruleId: id, name: draft.name, templateId: draft.templateId }, id)
      return { id }
    },

    async edit({ id, version, ...draft }, { db, viewer, now, emit, fault }) {
      if ((await findRule(db, viewer.tenantId, id)) === undefined) fault('missing')
      const fields = await faultsOf(db, viewer.tenantId, draft, now)
      if (fields.length > 0) fault('invalid', { fields })
      // Whoever says last what a rule does answers for the requests that it makes.
      const changed =
        (await changeRule(db, viewer.tenantId, id, version, {
          ...columnsOf(draft),
          made_by: viewer.userId,
          made_by_name: viewer.username,
          updated_at: now,
        })) ?? fault('conflict')
      emit('edited', { ruleId: id, name: draft.name }, id)
      return { version: changed }
    },

    async remove({ id }, { db, viewer, emit, fault }) {
      const { name } = (await deleteRule(db, viewer.tenantId, id)) ?? fault('missing')
      emit('removed', { ruleId: id, name }, id)
      return {}
    },

    async run({ id }, { viewer, house, fault }) {
      if ((await inTenant(house.database, viewer.tenantId, (db) => findRule(db, viewer.tenantId, id))) === undefined) fault('missing')
      return (await runRule(house, viewer.tenantId, id)) ?? fault('off')
    },

    async outcomes({ id, page, size, text, state }, { db, viewer, fault }) {
      if ((await findRule(db, viewer.tenantId, id)) === undefined) fault('missing')
      const sought = text.trim().toLowerCase()
      const fitting = (await outcomesOf(db, viewer.tenantId, id)).filter(
        (outcome) => (state === undefined || outcome.state === state) && outcome.subject_name.toLowerCase().includes(sought),
      )
      return {
        rows: fitting.slice((page - 1) * size, page * size).map((outcome) => ({
          subject: outcome.subject,
          name: outcome.subject_name,
          state: outcome.state,
          reason: outcome.reason,
          ...(outcome.request_id === null ? {} : { requestId: outcome.request_id }),
          at: outcome.at.toISOString(),
        })),
        total: fitting.length,
      }
    },
  },
  {
    offers: [
      offer(dependants, {
        record: 'role',
        async count(db, tenantId, roleId) {
          const naming = (await allRules(db, tenantId)).filter(({ role_ids }) => role_ids.includes(roleId))
          return [{ kind: roleUses.enrolment.label, count: naming.length, path: to(enrolment.screens.rules) }]
        },
      }),
    ],
    jobs: { run: { inTenancy: runAllRules } },
  },
)
