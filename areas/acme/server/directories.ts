// The calls about directories: what each offers, demands and says.

import { randomUUID } from 'node:crypto'
import type * as z from 'zod'
import { protocolTemplates, protocolViewer } from '#areas/certificates/protocols.ts'
import { listTemplates, type Template } from '#areas/templates/service.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { faultOfConstraint } from '#core/server/fault.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { nameFault } from '#standards/acme/identifiers.ts'
import { say } from '#standards/say/say.ts'
import { commandLines } from '../command-lines.ts'
import { DirectorySettings, type acme } from '../contract.ts'
import type { DirectoryDraft } from '../contract.ts'
import { acme as contract } from '../contract.ts'
import { addressKind } from '../rules.ts'
import { countAccounts } from './account-store.ts'
import { countOrders } from './order-store.ts'
import { deleteDirectory, findDirectory, insertDirectory, listDirectories, updateDirectory } from './store.ts'
import { directoryUrl } from './wire.ts'

type Draft = z.output<typeof DirectoryDraft>

const nameOf = ({ displayName, templateName }: Template): string => displayName || templateName

async function faultsOf(
  tenancy: Tenancy,
  viewer: Viewer,
  draft: Draft,
  server: (text: string) => Promise<string | undefined>,
): Promise<FieldFault[]> {
  const faults: FieldFault[] = []
  const known = new Set((await protocolTemplates(tenancy, viewer)).map(({ id }) => id))
  draft.profiles.forEach(({ name, templateId }, at) => {
    if (!known.has(templateId)) faults.push({ field: `profiles.${at}.templateId`, says: say`Choose one of the templates for devices` })
    if (draft.profiles.findIndex((one) => one.name === name) !== at)
      faults.push({ field: `profiles.${at}.name`, says: say`Another profile has this name` })
  })
  draft.caaIdentities.forEach((name, at) => {
    const fault = name.startsWith('*') ? 'Write the domain without a wildcard' : nameFault(name)
    if (fault !== undefined) faults.push({ field: `caaIdentities.${at}`, says: fault })
  })
  if (draft.challenges.includes('device-attest-01'))
    faults.push({ field: 'challenges', says: say`Statements of devices (device-attest-01) are not read here yet` })
  if (draft.challenges.includes('dns-persist-01') && draft.caaIdentities.length === 0)
    faults.push({ field: 'caaIdentities', says: 'dns-persist-01 names this authority by a domain. Enter one' })
  for (const [at, text] of draft.nameServers.entries()) {
    const fault = await server(text)
    if (fault !== undefined) faults.push({ field: `nameServers.${at}`, says: fault })
  }
  for (const [at, { nameServers }] of draft.vantagePoints.entries())
    for (const [index, text] of nameServers.entries()) {
      const fault = await server(text)
      if (fault !== undefined) faults.push({ field: `vantagePoints.${at}.nameServers.${index}`, says: fault })
    }
  return faults
}

const serverText = /^(?:\[([0-9a-fA-F:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::(\d{1,5}))?$|^([0-9a-fA-F:]+)$/

const settingsOf = ({ name: _name, enabled: _enabled, ...settings }: Draft): DirectorySettings => DirectorySettings.parse(settings)

type DirectoryCalls = Pick<
  Handlers<typeof acme>,
  'directories' | 'choices' | 'directory' | 'addDirectory' | 'changeDirectory' | 'removeDirectory' | 'commandLines'
>

export const directoryCalls: DirectoryCalls = {
  async directories({ page, size, text }, { tenancy, house }) {
    const templates = new Map((await listTemplates(tenancy.db, tenancy.tenantId, tenancy.now)).map((one) => [one.id, nameOf(one)]))
    const [accounts, orders] = [await countAccounts(tenancy, 'directory_id'), await countOrders(tenancy, 'directory_id')]
    const fitting = (await listDirectories(tenancy)).filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    return {
      rows: fitting.slice((page - 1) * size, page * size).map(({ id, name, enabled, public_id: publicId, settings }) => ({
        id,
        name,
        enabled,
        url: directoryUrl(house, publicId),
        templates: settings.profiles.map(({ templateId }) => templates.get(templateId) ?? ''),
        eabRequired: settings.eabRequired,
        accounts: accounts.get(id) ?? 0,
        orders: orders.get(id) ?? 0,
      })),
      total: fitting.length,
    }
  },

  async choices(_input, { tenancy, viewer }) {
    return {
      templates: (await protocolTemplates(tenancy, viewer)).map((one) => ({
        templateId: one.id,
        name: nameOf(one),
        approvals: one.issueApprovers,
      })),
    }
  },

  async directory({ id }, { tenancy, house, fault }) {
    const row = (await findDirectory(tenancy, id)) ?? fault('missing')
    const owner = await protocolViewer(tenancy, { userId: row.owner_id, credentialId: row.id })
    return {
      ...row.settings,
      id,
      name: row.name,
      enabled: row.enabled,
      version: row.version,
      url: directoryUrl(house, row.public_id),
      ownerName: row.owner_name,
      ownerMayAsk: owner !== undefined,
    }
  },

  async addDirectory(draft, { transact, viewer, house, fault }) {
    const judge = serverFault(house, viewer.tenantId)
    const faults = await transact(({ tenancy }) => faultsOf(tenancy, viewer, draft, judge))
    if (faults.length > 0) return fault('invalid', { fields: faults })
    return transact(async ({ tenancy, emit }) => {
      const id = randomUUID()
      const publicId = await addPublicAddress(tenancy.db, { tenantId: tenancy.tenantId, kind: addressKind, target: id })
      await insertDirectory(tenancy, {
        tenant_id: tenancy.tenantId,
        id,
        public_id: publicId,
        name: draft.name,
        enabled: draft.enabled,
        settings: settingsOf(draft),
        owner_id: viewer.userId,
        owner_name: actorOf(viewer),
        version: 1,
        created_at: tenancy.now,
        updated_at: tenancy.now,
      }).catch((error: unknown) => {
        throw faultOfConstraint(contract.calls.addDirectory, error)
      })
      emit('directoryAdded', { directoryId: id, name: draft.name }, id)
      return { id, url: directoryUrl(house, publicId) }
    })
  },

  async changeDirectory({ id, version, ...draft }, { transact, viewer, house, fault }) {
    const judge = serverFault(house, viewer.tenantId)
    const faults = await transact(async ({ tenancy }) => {
      if ((await findDirectory(tenancy, id)) === undefined) fault('missing')
      return faultsOf(tenancy, viewer, draft, judge)
    })
    if (faults.length > 0) return fault('invalid', { fields: faults })
    return transact(async ({ tenancy, emit }) => {
      // Whoever says last what a directory does answers for the certificates that it asks for.
      const changed = await updateDirectory(
        tenancy,
        { id, version },
        {
          name: draft.name,
          enabled: draft.enabled,
          settings: settingsOf(draft),
          owner_id: viewer.userId,
          owner_name: actorOf(viewer),
        },
      ).catch((error: unknown) => {
        throw faultOfConstraint(contract.calls.changeDirectory, error)
      })
      if (changed === undefined) return fault('conflict')
      emit('directoryChanged', { directoryId: id, name: draft.name }, id)
      return { version: changed }
    })
  },

  async removeDirectory({ id }, { tenancy, emit, fault }) {
    const name = (await deleteDirectory(tenancy, id)) ?? fault('missing')
    emit('directoryRemoved', { directoryId: id, name }, id)
    return {}
  },

  async commandLines({ id }, { tenancy, house, fault }) {
    const { public_id: publicId, settings } = (await findDirectory(tenancy, id)) ?? fault('missing')
    const { eabRequired, httpPort } = settings
    const clients = commandLines({ directoryUrl: directoryUrl(house, publicId), eabRequired, httpPort, name: 'www.example.org' })
    return { eabRequired, clients }
  },
}

/** Why a name server cannot be asked; told when somebody saves it. */
const serverFault =
  (house: Parameters<typeof directoryUrl>[0], tenantId: string) =>
  async (text: string): Promise<string | undefined> => {
    const [, bracketed, plain, port = '53', bare] = serverText.exec(text) ?? []
    const host = bracketed ?? plain ?? bare
    if (host === undefined) return 'Write an address such as 192.0.2.53 or 192.0.2.53:5353'
    return (await house.outward.refusal({ use: 'nameServer', host, port: Number(port), tenantId }))?.message
  }
