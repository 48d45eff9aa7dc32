// The calls about profiles: what each stands for, and what its clients asked for.

import { randomUUID } from 'node:crypto'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { protocolTemplates, protocolViewer } from '#areas/certificates/protocols.ts'
import type { Entity } from '#areas/templates/rules.ts'
import { findTemplate, listTemplates, nameOf, type Template } from '#areas/templates/service.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { commandLines } from '../command-lines.ts'
import { ProfileSettings, type protocolRoom } from '../contract.ts'
import { addressKind, type Protocol } from '../rules.ts'
import { forgetIntune } from './intune.ts'
import { deleteProfile, findProfile, insertProfile, listProfiles, updateProfile } from './store.ts'
import { countTransactions, findTransactionPage } from './transaction-store.ts'
import { windowsLines } from './windows-lines.ts'
import { isFor, policyIdOf, windowsName } from './windows-policy.ts'
import { addressOf } from './wire.ts'

/** Those whose authority is the tenancy's own: it certifies the key of the profile, too. */
async function templatesFor(tenancy: Tenancy, viewer: Viewer, protocol: Protocol | undefined): Promise<Template[]> {
  const { db, tenantId, now } = tenancy
  const own: Template[] = []
  for (const template of await protocolTemplates(tenancy, viewer, protocol === 'windows' ? peopleToo : undefined))
    if ((await findUsableIssuer(db, tenantId, template.caId, now))?.tenantId === tenantId) own.push(template)
  return own
}

type ProfileCalls = Pick<
  Handlers<typeof protocolRoom>,
  'profiles' | 'choices' | 'profile' | 'addProfile' | 'changeProfile' | 'removeProfile' | 'transactions' | 'commandLines'
>

/** At Windows people sign in, too: what they get is their own. */
const peopleToo: readonly Entity[] = ['device', 'user']

const otherTemplate = { fields: [{ field: 'templateId', says: say`Choose one of the templates for devices` }] }

export const profileCalls: ProfileCalls = {
  async profiles({ protocol, page, size, text }, { tenancy, house }) {
    const { db, tenantId, now } = tenancy
    const templates = new Map((await listTemplates(db, tenantId, now)).map((one) => [one.id, nameOf(one)]))
    const issued = await countTransactions(tenancy)
    const wanted = text.trim().toLowerCase()
    const fitting = (await listProfiles(tenancy, protocol)).filter(({ name }) => name.toLowerCase().includes(wanted))
    return {
      rows: fitting.slice((page - 1) * size, page * size).map((row) => ({
        id: row.id,
        protocol: row.protocol,
        name: row.name,
        enabled: row.enabled,
        url: addressOf(house, row),
        templateName: templates.get(row.template_id) ?? '',
        issued: issued.get(row.id) ?? 0,
      })),
      total: fitting.length,
    }
  },

  async choices({ protocol }, { tenancy, viewer }) {
    return {
      templates: (await templatesFor(tenancy, viewer, protocol)).map((one) => ({
        templateId: one.id,
        name: nameOf(one),
        approvals: one.issueApprovers,
        identified: one.extensions.microsoftTemplate === true,
      })),
    }
  },

  async profile({ id }, { tenancy, house, fault }) {
    const row = (await findProfile(tenancy, id)) ?? fault('missing')
    const owner = await protocolViewer(tenancy, { userId: row.owner_id, credentialId: row.id })
    return {
      ...row.settings,
      id,
      protocol: row.protocol,
      name: row.name,
      enabled: row.enabled,
      templateId: row.template_id,
      version: row.version,
      url: addressOf(house, row),
      ownerName: row.owner_name,
      ownerMayAsk: owner !== undefined,
    }
  },

  async addProfile({ protocol, name, enabled, templateId, ...settings }, { tenancy, viewer, house, emit, fault }) {
    if (!(await templatesFor(tenancy, viewer, protocol)).some((one) => one.id === templateId)) fault('invalid', otherTemplate)
    const id = randomUUID()
    const publicId = await addPublicAddress(tenancy.db, { tenantId: tenancy.tenantId, kind: addressKind, target: id })
    await insertProfile(tenancy, {
      tenant_id: tenancy.tenantId,
      id,
      public_id: publicId,
      protocol,
      name,
      enabled,
      template_id: templateId,
      settings: ProfileSettings.parse(settings),
      owner_id: viewer.userId,
      owner_name: actorOf(viewer),
      version: 1,
      created_at: tenancy.now,
      updated_at: tenancy.now,
    })
    emit('profileAdded', { profileId: id, protocol, name }, id)
    return { id, url: addressOf(house, { protocol, public_id: publicId }) }
  },

  async changeProfile({ id, version, name, enabled, templateId, ...settings }, { tenancy, viewer, emit, fault }) {
    const before = (await findProfile(tenancy, id)) ?? fault('missing')
    const isOffered = (await templatesFor(tenancy, viewer, before.protocol)).some((one) => one.id === templateId)
    if (!isOffered && before.template_id !== templateId) fault('invalid', otherTemplate)
    // Whoever says last what a profile does answers for the certificates that it asks for.
    const changed = await updateProfile(
      tenancy,
      { id, version },
      {
        name,
        enabled,
        template_id: templateId,
        settings: ProfileSettings.parse(settings),
        owner_id: viewer.userId,
        owner_name: actorOf(viewer),
      },
    )
    if (changed === undefined) return fault('conflict')
    emit('profileChanged', { profileId: id, name }, id)
    return { version: changed }
  },

  async removeProfile({ id }, { tenancy, emit, fault }) {
    const { name } = (await deleteProfile(tenancy, id)) ?? fault('missing')
    await forgetIntune(tenancy, id)
    emit('profileRemoved', { profileId: id, name }, id)
    return {}
  },

  async transactions({ protocol, ...question }, { tenancy }) {
    const profiles = new Map((await listProfiles(tenancy, protocol)).map((one) => [one.id, one.name]))
    const { rows, total } = await findTransactionPage(tenancy, { ...question, profileIds: [...profiles.keys()] })
    return {
      rows: rows.map((row) => ({
        id: row.id,
        protocol,
        profileName: profiles.get(row.profile_id) ?? '',
        transactionId: row.key,
        kind: row.kind,
        state: row.state,
        subject: row.subject,
        code: row.code,
        reason: row.reason,
        requestId: row.request_id ?? undefined,
        certificateId: row.certificate_id ?? undefined,
        address: row.address,
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      })),
      total,
    }
  },

  async commandLines({ id }, { tenancy, house, fault }) {
    const profile = (await findProfile(tenancy, id)) ?? fault('missing')
    const { protocol } = profile
    const url = addressOf(house, profile)
    const template = await findTemplate(tenancy.db, tenancy.tenantId, profile.template_id, tenancy.now)
    const about = {
      template: template === undefined ? '' : nameOf(template),
      approvals: template?.issueApprovers ?? 0,
      ownerName: profile.owner_name,
    }
    if (protocol !== 'windows') return { ...about, clients: commandLines(protocol, { url, origin: house.settings.origin }) }
    if (template === undefined) return { ...about, clients: [] }
    return {
      ...about,
      clients: windowsLines({
        url,
        policyId: policyIdOf(profile),
        friendlyName: profile.name,
        template: windowsName(template),
        isForMachines: isFor(template, 'device'),
      }),
    }
  },
}
