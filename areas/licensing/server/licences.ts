// Who may use which authority and template. A licence has two sides, the owner's and the licensee's, and both are written in one commit, each
// under its own tenancy's row security and each with its own record.

import type { Database } from '#core/server/database.ts'
import { visitTenant } from '#core/server/database.ts'
import { writeEvents } from '#core/server/events.ts'
import type { CallContext, Handlers, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { licencesGiven, putAuthorityLicence } from '#areas/authorities/licensing.ts'
import { listIssuers } from '#areas/authorities/service.ts'
import { findTenancy, managedBy } from '#areas/tenancy/service.ts'
import { licenseTemplate, findOwnTemplate, listOwnTemplates, templateLicencesGiven } from '#areas/templates/service.ts'
import { licensing } from '../contract.ts'

type Contract = typeof licensing
type LicenceHandlers = Pick<Handlers<Contract>, 'tenants' | 'licences' | 'licenseAuthority' | 'licenseTemplate'>

/** The tenancies that this one may license to: those that it manages, if it manages any. */
async function licenseesOf(db: Database, tenantId: string) {
  const own = await findTenancy(db, tenantId)
  return { mayLicense: own?.kind === 'management', tenancies: own?.kind === 'management' ? (await managedBy(db, tenantId)).filter(({ id }) => id !== tenantId) : [] }
}

const licenceIn = (licences: readonly { tenantId: string; enabled: boolean }[]) => ({ enabled: licences[0]?.enabled ?? false, given: licences.length > 0 })

/** What happened, in the record of the tenancy that it happened to. */
async function tellLicensee(db: Database, viewer: Viewer, request: CallContext<Contract, 'licences'>['request'], licenseeId: string, now: Date, body: { caId: string; templateId?: string; ownerId: string; enabled: boolean }): Promise<void> {
  const event = { at: now, actor_id: viewer.userId, actor: actorOf({ username: viewer.username, homeName: viewer.homeName ?? (await findTenancy(db, viewer.tenantId))?.name ?? '' }), address: request.address, area: licensing.area, name: 'licenceReceived', outcome: 'done' as const, about: body.templateId ?? body.caId, body: JSON.stringify(body), request_id: request.id }
  await visitTenant(db, { home: viewer.tenantId, tenantId: licenseeId }, () => writeEvents(db, licenseeId, [event]))
}

export const licenceHandlers: LicenceHandlers = {
  async tenants({ page, size, text, direction }, { db, viewer }) {
    const { mayLicense, tenancies } = await licenseesOf(db, viewer.tenantId)
    const sought = text.trim().toLowerCase()
    const fitting = tenancies.filter(({ name }) => name.toLowerCase().includes(sought))
    if (direction === 'desc') fitting.reverse()
    const shown = fitting.slice((page - 1) * size, page * size)
    const authorities = await licencesGiven(db, viewer.tenantId)
    const templates = await templateLicencesGiven(db, viewer.tenantId)
    const countOf = (licences: readonly { tenantId: string; enabled: boolean }[], id: string) => licences.filter(({ tenantId, enabled }) => tenantId === id && enabled).length
    return { rows: shown.map(({ id, name }) => ({ tenantId: id, name, authorities: countOf(authorities, id), templates: countOf(templates, id) })), total: fitting.length, mayLicense }
  },

  async licences({ tenantId }, { db, viewer, now, fault }) {
    const tenancy = (await licenseesOf(db, viewer.tenantId)).tenancies.find(({ id }) => id === tenantId) ?? fault('missing')
    const authorities = await licencesGiven(db, viewer.tenantId, tenantId)
    const given = await templateLicencesGiven(db, viewer.tenantId, tenantId)
    const templates = (await listOwnTemplates(db, viewer.tenantId)).toSorted((a, b) => (a.priority ?? Infinity) - (b.priority ?? Infinity) || a.templateName.localeCompare(b.templateName))
    return {
      tenantId,
      name: tenancy.name,
      authorities: (await listIssuers(db, viewer.tenantId, now)).map(({ caId, friendlyName, status }) => ({
        caId,
        friendlyName,
        status,
        licence: licenceIn(authorities.filter((licence) => licence.caId === caId)),
        templates: templates
          .filter((template) => template.caId === caId)
          .map(({ id, displayName, templateName, class: kind, enabled }) => ({ templateId: id, displayName: displayName || templateName, class: kind, enabled, licence: licenceIn(given.filter(({ templateId }) => templateId === id)) })),
      })),
    }
  },

  async licenseAuthority({ tenantId, caId, enabled }, { db, viewer, now, request, emit, fault }) {
    const { mayLicense, tenancies } = await licenseesOf(db, viewer.tenantId)
    if (!mayLicense) fault('notManagement')
    if (!tenancies.some(({ id }) => id === tenantId) || !(await listIssuers(db, viewer.tenantId, now)).some((issuer) => issuer.caId === caId)) fault('missing')
    await putAuthorityLicence(db, { tenantId: viewer.tenantId, caId, licenseeId: tenantId, enabled, now })
    emit('authorityLicensed', { caId, tenantId, enabled }, caId)
    await tellLicensee(db, viewer, request, tenantId, now, { caId, ownerId: viewer.tenantId, enabled })
    return {}
  },

  async licenseTemplate({ tenantId, templateId, enabled }, { db, viewer, now, request, emit, fault }) {
    const { mayLicense, tenancies } = await licenseesOf(db, viewer.tenantId)
    if (!mayLicense) fault('notManagement')
    const template = (await findOwnTemplate(db, viewer.tenantId, templateId)) ?? fault('missing')
    if (!tenancies.some(({ id }) => id === tenantId)) fault('missing')
    const authority = (await licencesGiven(db, viewer.tenantId, tenantId)).find(({ caId }) => caId === template.caId)
    if (enabled && authority?.enabled !== true) fault('authorityFirst')
    await licenseTemplate(db, { template, licenseeId: tenantId, enabled, now })
    emit('templateLicensed', { templateId, tenantId, enabled }, templateId)
    await tellLicensee(db, viewer, request, tenantId, now, { caId: template.caId, templateId, ownerId: viewer.tenantId, enabled })
    return {}
  },
}
