// What a tenancy makes of the templates that it may use, its own and licensed ones alike: on or off, for whom, in which order, under which stricter rules.

import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { narrow, narrowingFaults, noNarrowing, renumber, type Narrowing } from '#areas/templates/narrowing.ts'
import { orderTemplates } from '#areas/templates/rules.ts'
import { changeUse, listPlainTemplates, type Template } from '#areas/templates/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Handlers } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import type { licensing } from '../contract.ts'
import { bothHold, mayBeAnonymous } from '../rules.ts'
import { presentLicence } from './licences.ts'
import { presentRoot } from './roots.ts'
import { allRoots } from './store.ts'

type Contract = typeof licensing
type UsableHandlers = Pick<
  Handlers<Contract>,
  'templates' | 'setFlags' | 'rules' | 'rule' | 'setRule' | 'ordered' | 'setOrder' | 'attestation' | 'setAttestation'
>

/** The templates that the tenancy may use, in their order, with what a row says of each. */
async function usableOf(db: Database, tenantId: string, now: Date) {
  const issuers = new Map((await listUsableIssuers(db, tenantId, now)).map((issuer) => [issuer.caId, issuer]))
  const all = await listPlainTemplates(db, tenantId, now)
  const names = all.some(({ granted }) => granted !== undefined)
    ? new Map((await listTenancies(db)).map(({ id, name }) => [id, name]))
    : new Map<string, string>()
  const usable = all.map((template) => {
    const issuer = issuers.get(template.caId)
    return {
      template,
      caName: issuer?.friendlyName ?? '',
      templateName: template.templateName,
      licensedTemplateId: template.licensedTemplateId,
      row: {
        licensedTemplateId: template.licensedTemplateId,
        templateId: template.id,
        templateName: template.templateName,
        displayName: template.displayName || template.templateName,
        caId: template.caId,
        caName: issuer?.friendlyName ?? '',
        class: template.class,
        own: template.granted === undefined,
        owner: template.granted === undefined ? '' : (names.get(template.ownerId) ?? ''),
        granted: template.granted !== false && issuer?.granted !== false,
        ...(template.licence !== undefined && {
          licence: presentLicence(issuer?.licence === undefined ? template.licence : bothHold(template.licence, issuer.licence), now),
        }),
        enabled: template.enabled,
        anonymousEnabled: template.anonymousEnabled,
        selfServiceEligible: template.selfServiceEligible,
        ...(template.priority === undefined ? {} : { priority: template.priority }),
        pinned: template.pinned,
      },
    }
  })
  return orderTemplates(usable, ({ template }) => template.priority)
}

type Usable = Awaited<ReturnType<typeof usableOf>>[number]

const matching = (all: readonly Usable[], text: string): Usable[] => {
  const sought = text.trim().toLowerCase()
  return all.filter(({ row }) =>
    [row.displayName, row.templateName, row.caName, row.owner].some((name) => name.toLowerCase().includes(sought)),
  )
}

async function findUsable(db: Database, tenantId: string, licensedTemplateId: string, now: Date): Promise<Template | undefined> {
  return (await listPlainTemplates(db, tenantId, now)).find((template) => template.licensedTemplateId === licensedTemplateId)
}

const isNarrowed = ({ attestationRoots: _, ...narrowing }: Narrowing): boolean =>
  JSON.stringify(narrowing) !== JSON.stringify({ ...noNarrowing, attestationRoots: undefined })

export const usableHandlers: UsableHandlers = {
  async templates({ page, size, text, origin }, { db, viewer, now }) {
    const fitting = matching(await usableOf(db, viewer.tenantId, now), text).filter(
      ({ row }) => origin === undefined || row.own === (origin === 'own'),
    )
    return { rows: fitting.slice((page - 1) * size, page * size).map(({ row }) => row), total: fitting.length }
  },

  async setFlags({ licensedTemplateId, ...flags }, { db, viewer, now, emit, fault }) {
    const template = (await findUsable(db, viewer.tenantId, licensedTemplateId, now)) ?? fault('missing')
    if (flags.anonymousEnabled && !mayBeAnonymous(template.class)) fault('forPeople')
    if (!(await changeUse(db, viewer.tenantId, template, flags, now))) fault('conflict')
    emit('flagsSet', { licensedTemplateId, ...flags }, licensedTemplateId)
    return {}
  },

  async rules({ page, size, text }, { db, viewer, now }) {
    const fitting = matching(await usableOf(db, viewer.tenantId, now), text)
    return {
      rows: fitting.slice((page - 1) * size, page * size).map(({ template, row }) => {
        const { issueApprovers, rules } = narrow(template, template.narrowing)
        return { ...row, narrowed: isNarrowed(template.narrowing), issueApprovers, allowedDomains: rules.allowedDomains }
      }),
      total: fitting.length,
    }
  },

  async rule({ licensedTemplateId }, { db, viewer, now, fault }) {
    const { template, row } =
      (await usableOf(db, viewer.tenantId, now)).find((one) => one.licensedTemplateId === licensedTemplateId) ?? fault('missing')
    const { keys, allowedDomains, wildcards, maximumNames } = template.rules
    const { attestation: _attestation, attestationRoots: _roots, ...rules } = template.narrowing
    return {
      ...row,
      says: {
        keys,
        allowedDomains,
        wildcards,
        maximumNames,
        issueApprovers: template.issueApprovers,
        revocationApprovers: template.revocationApprovers,
      },
      rules,
      version: template.version,
    }
  },

  async setRule({ licensedTemplateId, version, ...rules }, { db, viewer, now, emit, fault }) {
    const template = (await findUsable(db, viewer.tenantId, licensedTemplateId, now)) ?? fault('missing')
    if (template.version !== version) fault('conflict')
    const narrowing: Narrowing = { ...template.narrowing, ...rules }
    const fields = narrowingFaults(template, narrowing)
    if (fields.length > 0) fault('invalid', { fields })
    const changed = Object.entries(rules).flatMap(([name, value]) =>
      JSON.stringify(Reflect.get(template.narrowing, name)) === JSON.stringify(value) ? [] : [name],
    )
    if (!(await changeUse(db, viewer.tenantId, template, { narrowing }, now))) fault('conflict')
    emit('rulesSet', { licensedTemplateId, changed }, licensedTemplateId)
    return {}
  },

  async ordered(_input, { db, viewer, now }) {
    return { templates: (await usableOf(db, viewer.tenantId, now)).map(({ row }) => row) }
  },

  async setOrder({ templates: wanted }, { db, viewer, now, emit, fault }) {
    const all = new Map((await listPlainTemplates(db, viewer.tenantId, now)).map((template) => [template.licensedTemplateId, template]))
    if (new Set(wanted.map(({ licensedTemplateId }) => licensedTemplateId)).size !== wanted.length)
      fault('invalid', { fields: [{ field: 'templates', says: say`Each template stands in the order once` }] })
    const numbered = renumber(wanted.map((place) => ({ ...place, template: all.get(place.licensedTemplateId) ?? fault('missing') })))
    // Somebody made or got a template meanwhile: it would be left without a place.
    if (numbered.length !== all.size) fault('conflict')
    for (const { template, priority, pinned } of numbered)
      if (template.priority !== priority || template.pinned !== pinned)
        await changeUse(db, viewer.tenantId, template, { priority, pinned }, now)
    emit('orderSet', { templates: numbered.map(({ licensedTemplateId }) => licensedTemplateId) })
    return { templates: numbered.map(({ licensedTemplateId, priority }) => ({ licensedTemplateId, priority })) }
  },

  async attestation(_input, { db, viewer, now }) {
    return {
      roots: (await allRoots(db, viewer.tenantId)).map((root) => presentRoot(root, now)),
      templates: (await usableOf(db, viewer.tenantId, now)).map(({ template, row }) => ({
        licensedTemplateId: row.licensedTemplateId,
        displayName: row.displayName,
        caName: row.caName,
        byTemplate: template.rules.attestation === true,
        required: template.rules.attestation === true || template.narrowing.attestation,
        roots: template.narrowing.attestationRoots,
      })),
    }
  },

  async setAttestation({ licensedTemplateId, required, roots }, { db, viewer, now, emit, fault }) {
    const template = (await findUsable(db, viewer.tenantId, licensedTemplateId, now)) ?? fault('missing')
    const known = new Set((await allRoots(db, viewer.tenantId)).map(({ id }) => id))
    if (roots.some((id) => !known.has(id))) fault('missing')
    if (
      !(await changeUse(
        db,
        viewer.tenantId,
        template,
        { narrowing: { ...template.narrowing, attestation: required, attestationRoots: roots } },
        now,
      ))
    )
      fault('conflict')
    emit('attestationSet', { licensedTemplateId, required, roots }, licensedTemplateId)
    return {}
  },
}
