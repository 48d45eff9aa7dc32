// Who may use which authority and template. A licence has two sides, the owner's and the licensee's, and both are written in one commit, each
// under its own tenancy's row security and each with its own record.

import { licencesGiven, putAuthorityLicence } from '#areas/authorities/licensing.ts'
import { licenceRefusal, type LicenceTerm } from '#areas/authorities/rules.ts'
import { listIssuers } from '#areas/authorities/service.ts'
import { licenseTemplate, findOwnTemplate, listOwnTemplates, templateLicencesGiven } from '#areas/templates/service.ts'
import { findTenancy, managedBy } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import { visitTenant } from '#core/server/database.ts'
import { doneEvent, writeEvents } from '#core/server/events.ts'
import type { CallContext, Handlers, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { licensing } from '../contract.ts'
import { daysLeft, licenceState, soonDays, termFaults, wantedTerm } from '../rules.ts'

type Contract = typeof licensing
type LicenceHandlers = Pick<Handlers<Contract>, 'tenants' | 'licences' | 'licenseAuthority' | 'licenseTemplate'>

/** The tenancies that this one may license to: those that it manages, if it manages any. */
async function licenseesOf(db: Database, tenantId: string) {
  const own = await findTenancy(db, tenantId)
  const tenancies = await managedBy(db, tenantId)
  return { mayLicense: own?.kind === 'management' || tenancies.length > 0, tenancies }
}

/** Without the days that it has not: the log and the wire know no undefined. */
const written = ({ enabled, from, until }: LicenceTerm) => ({
  enabled,
  ...(from !== undefined && { from }),
  ...(until !== undefined && { until }),
})

export const presentLicence = (term: LicenceTerm | undefined, now: Date) => ({
  ...written(term ?? { enabled: false, from: undefined, until: undefined }),
  state: licenceState(term, now),
})

type Licensed = { caId: string; templateId?: string; ownerId: string; before?: Term; after: Term }
type Term = ReturnType<typeof written>

const changeOf = (before: LicenceTerm | undefined, after: LicenceTerm) => ({
  ...(before !== undefined && { before: written(before) }),
  after: written(after),
})

/** What happened, in the record of the tenancy that it happened to. */
async function tellLicensee(
  db: Database,
  viewer: Viewer,
  request: CallContext<Contract, 'licences'>['request'],
  licenseeId: string,
  now: Date,
  body: Licensed,
): Promise<void> {
  const name = actorOf({ username: viewer.username, homeName: viewer.homeName ?? (await findTenancy(db, viewer.tenantId))?.name ?? '' })
  const event = doneEvent(
    now,
    { userId: viewer.userId, name, address: request.address, requestId: request.id },
    { area: licensing.area, name: 'licenceReceived', body, about: body.templateId ?? body.caId },
  )
  await visitTenant(db, { home: viewer.tenantId, tenantId: licenseeId }, () => writeEvents(db, licenseeId, [event]))
}

export const licenceHandlers: LicenceHandlers = {
  async tenants({ page, size, text, direction }, { db, viewer, now }) {
    const { mayLicense, tenancies } = await licenseesOf(db, viewer.tenantId)
    const sought = text.trim().toLowerCase()
    const fitting = tenancies.filter(({ name }) => name.toLowerCase().includes(sought))
    if (direction === 'desc') fitting.reverse()
    const shown = fitting.slice((page - 1) * size, page * size)
    const authorities = await licencesGiven(db, viewer.tenantId)
    const templates = await templateLicencesGiven(db, viewer.tenantId)
    const holding = <T extends { tenantId: string; term: LicenceTerm }>(licences: readonly T[], id: string) =>
      licences.filter(({ tenantId, term }) => tenantId === id && licenceRefusal(term, now) === undefined)
    const caOf = new Map((await listOwnTemplates(db, viewer.tenantId)).map((template) => [template.id, template.caId]))
    return {
      rows: shown.map(({ id, name }) => {
        const licensed = holding(authorities, id)
        // That of its authority must hold as well.
        const own = {
          authorities: licensed,
          templates: holding(templates, id).filter(({ templateId }) => licensed.some(({ caId }) => caId === caOf.get(templateId))),
        }
        const [first] = [...own.authorities, ...own.templates].flatMap(({ term: { until } }) => until ?? []).toSorted()
        return {
          tenantId: id,
          name,
          authorities: own.authorities.length,
          templates: own.templates.length,
          ...(first !== undefined && { endsNext: first }),
          soon: (daysLeft({ until: first }, now) ?? Infinity) <= soonDays,
        }
      }),
      total: fitting.length,
      mayLicense,
    }
  },

  async licences({ tenantId }, { db, viewer, now, fault }) {
    const tenancy = (await licenseesOf(db, viewer.tenantId)).tenancies.find(({ id }) => id === tenantId) ?? fault('missing')
    const authorities = await licencesGiven(db, viewer.tenantId, tenantId)
    const given = await templateLicencesGiven(db, viewer.tenantId, tenantId)
    const templates = (await listOwnTemplates(db, viewer.tenantId)).toSorted(
      (a, b) => (a.priority ?? Infinity) - (b.priority ?? Infinity) || a.templateName.localeCompare(b.templateName),
    )
    return {
      tenantId,
      name: tenancy.name,
      authorities: (await listIssuers(db, viewer.tenantId, now)).map(({ caId, friendlyName, status }) => ({
        caId,
        friendlyName,
        status,
        licence: presentLicence(authorities.find((licence) => licence.caId === caId)?.term, now),
        templates: templates
          .filter((template) => template.caId === caId)
          .map(({ id, displayName, templateName, class: kind, enabled }) => ({
            templateId: id,
            displayName: displayName || templateName,
            class: kind,
            enabled,
            licence: presentLicence(given.find(({ templateId }) => templateId === id)?.term, now),
          })),
      })),
    }
  },

  async licenseAuthority({ tenantId, caId, ...wanted }, { db, viewer, now, request, emit, fault }) {
    const { mayLicense, tenancies } = await licenseesOf(db, viewer.tenantId)
    if (!mayLicense) fault('notManagement')
    if (
      !tenancies.some(({ id }) => id === tenantId) ||
      !(await listIssuers(db, viewer.tenantId, now)).some((issuer) => issuer.caId === caId)
    )
      fault('missing')
    const before = (await licencesGiven(db, viewer.tenantId, tenantId)).find((licence) => licence.caId === caId)?.term
    const term = wantedTerm(wanted, before)
    const fields = termFaults(term, now)
    if (fields.length > 0) fault('invalid', { fields })
    await putAuthorityLicence(db, { tenantId: viewer.tenantId, caId, licenseeId: tenantId, term, now })
    const change = changeOf(before, term)
    emit('authorityLicensed', { caId, tenantId, ...change }, caId)
    await tellLicensee(db, viewer, request, tenantId, now, { caId, ownerId: viewer.tenantId, ...change })
    return {}
  },

  async licenseTemplate({ tenantId, templateId, ...wanted }, { db, viewer, now, request, emit, fault }) {
    const { mayLicense, tenancies } = await licenseesOf(db, viewer.tenantId)
    if (!mayLicense) fault('notManagement')
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    if (!tenancies.some(({ id }) => id === tenantId)) fault('missing')
    const authority = (await licencesGiven(db, viewer.tenantId, tenantId)).find(({ caId }) => caId === template.caId)
    if (wanted.enabled && authority?.term.enabled !== true) fault('authorityFirst')
    const before = (await templateLicencesGiven(db, viewer.tenantId, tenantId)).find((licence) => licence.templateId === templateId)?.term
    const term = wantedTerm(wanted, before)
    const fields = termFaults(term, now)
    if (fields.length > 0) fault('invalid', { fields })
    await licenseTemplate(db, { template, licenseeId: tenantId, term, now })
    const change = changeOf(before, term)
    emit('templateLicensed', { templateId, tenantId, ...change }, templateId)
    await tellLicensee(db, viewer, request, tenantId, now, { caId: template.caId, templateId, ownerId: viewer.tenantId, ...change })
    return {}
  },
}
