import { sealForTenant } from '#areas/keys/sealing.ts'
import { beyondOf } from '#areas/roles/power.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import { doorRefusal } from '#core/contract/access.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { commonFault, faultOfCall } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { fidosync } from '../contract.ts'
import { defaultAddresses } from '../rules.ts'
import { firstPeople, GraphError, readMethods, readPeople } from './graph.ts'
import {
  countCredentials,
  credentialsNamed,
  findCredential,
  findProvider,
  findRows,
  lockCredential,
  lockProvider,
  pageOfCredentials,
  putProvider,
  releasePerson,
  updateCredential,
  updateProvider,
  type CredentialRecord,
} from './store.ts'
import { deleteAtProvider, deletionsTurn, factsOf, graphOf, secretPurpose, syncTurn } from './sync.ts'

const pathOf = (credentialId: string): string => to(fidosync.screens.view, { id: credentialId })
const nameOf = (row: CredentialRecord): string => row.custom_name || row.provider_name || row.model || row.credential_id

async function present(tenancy: Tenancy, rows: readonly CredentialRecord[]) {
  const ids = [...new Set(rows.flatMap(({ user_id: id }) => id ?? []))]
  const people = new Map((await findPeople(tenancy.db, tenancy.tenantId, ids)).map((person) => [person.id, person]))
  return rows.map((row) => {
    const person = people.get(row.user_id ?? '')
    return {
      id: row.id,
      credentialId: row.credential_id,
      customName: row.custom_name,
      providerName: row.provider_name,
      markedForDeletion: row.state === 'marked' || row.state === 'deleting',
      state: row.state,
      ...(person === undefined ? {} : { person: { id: person.id, name: fullName(person) } }),
      account: row.account,
      model: row.model,
      ...(row.created_at === null ? {} : { createdAt: row.created_at.toISOString() }),
      seenAt: row.seen_at.toISOString(),
    }
  })
}

/**
 * Who changes something of another person edits people, and holds no less than that person. What belongs to nobody here may be an administrator's of the
 * provider: who connects the provider changes it.
 */
async function mayChange(
  house: House,
  tenancy: Tenancy,
  viewer: Viewer,
  row: CredentialRecord,
  refuse: (code: 'beyond') => never,
): Promise<void> {
  const refused = doorRefusal(viewer, { needs: 'userEdit' })
  if (refused !== undefined && row.user_id !== viewer.userId) throw commonFault('denied', { params: { permission: 'userEdit' } })
  const unowned = row.user_id === null ? doorRefusal(viewer, { needs: 'ssoConfig' }) : undefined
  if (unowned !== undefined) throw commonFault('denied', { params: { permission: 'ssoConfig' } })
  if (row.user_id === null || row.user_id === viewer.userId) return
  if ((await beyondOf(house, tenancy, row.user_id, viewer)).length > 0) refuse('beyond')
}

export default serve(
  fidosync,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await pageOfCredentials(tenancy, question)
      return { rows: await present(tenancy, rows), total }
    },

    async get({ credentialId }, { tenancy, fault }) {
      const row = (await findCredential(tenancy, credentialId)) ?? fault('missing')
      const [shown = fault('missing')] = await present(tenancy, [row])
      const provider = await findProvider(tenancy)
      return {
        ...shown,
        aaguid: row.aaguid,
        attestation: row.attestation,
        provider: provider === undefined ? '' : new URL(provider.graph_url).host,
        ...(row.marked_at === null ? {} : { markedAt: row.marked_at.toISOString() }),
        markedBy: row.marked_by,
        trouble: row.trouble,
        ...(provider?.last_sync_at ? { lastSyncAt: provider.last_sync_at.toISOString() } : {}),
        left: row.left_at !== null,
      }
    },

    async mark({ credentialId, markedForDeletion }, { tenancy, viewer, house, emit, fault }) {
      const row = (await lockCredential(tenancy, credentialId)) ?? fault('missing')
      await mayChange(house, tenancy, viewer, row, fault)
      if (row.state === 'gone') fault('isGone')
      if (row.state === 'deleting') fault('isDeleting')
      if ((row.state === 'marked') === markedForDeletion) return {}
      await updateCredential(tenancy, row.id, {
        state: markedForDeletion ? 'marked' : 'present',
        marked_at: markedForDeletion ? tenancy.now : null,
        marked_by: markedForDeletion ? viewer.username : '',
        trouble: '',
      })
      emit(markedForDeletion ? 'marked' : 'unmarked', factsOf(row), row.id)
      return {}
    },

    async rename({ credentialId, newCustomName }, { tenancy, viewer, house, emit, fault }) {
      const row = (await lockCredential(tenancy, credentialId)) ?? fault('missing')
      await mayChange(house, tenancy, viewer, row, fault)
      if (row.custom_name === newCustomName) return {}
      await updateCredential(tenancy, row.id, { custom_name: newCustomName })
      emit('renamed', { credentialId, name: newCustomName }, row.id)
      return {}
    },

    async remove({ credentialId }, { house, viewer, fault, transact, request }) {
      const { row, graph } = await transact(async ({ tenancy, emit }) => {
        const found = (await lockCredential(tenancy, credentialId)) ?? fault('missing')
        await mayChange(house, tenancy, viewer, found, fault)
        const provider = await findProvider(tenancy)
        if (provider === undefined || !provider.enabled) return fault('none')
        if (found.state === 'present') fault('notMarked')
        if (found.state === 'marked') {
          await updateCredential(tenancy, found.id, {
            state: 'deleting',
            trouble: '',
            tries: 0,
            try_at: new Date(tenancy.now.getTime() + 60_000),
          })
          emit('deletionBegan', factsOf(found), found.id)
        }
        return { row: found, graph: await graphOf(house, tenancy, provider) }
      })
      if (row.state === 'gone') return { state: 'gone' as const }
      const actor = { userId: viewer.userId, name: actorOf(viewer), address: request.address }
      const error = await deleteAtProvider(graph, row, actor)
      if (error === undefined) return { state: 'gone' as const }
      throw faultOfCall(fidosync.calls.remove, error.reason, { params: error.params })
    },

    async sync(_input, { house, tenancy, fault, afterCommit }) {
      const provider = await lockProvider(tenancy)
      if (provider === undefined || !provider.enabled) return fault('none')
      await updateProvider(tenancy, provider.version, { last_sync_at: null, wait_until: null })
      afterCommit(() => house.wake(fidosync.jobs.sync))
      return {}
    },

    async provider(_input, { tenancy }) {
      const row = await findProvider(tenancy)
      return {
        directoryId: row?.directory_id ?? '',
        clientId: row?.client_id ?? '',
        loginUrl: row?.login_url ?? defaultAddresses.loginUrl,
        graphUrl: row?.graph_url ?? defaultAddresses.graphUrl,
        enabled: row?.enabled ?? false,
        version: row?.version ?? 0,
        hasSecret: row !== undefined,
        ...(row?.last_sync_at ? { lastSyncAt: row.last_sync_at.toISOString() } : {}),
        running: row !== undefined && row.run_began_at !== null,
        people: row?.people ?? 0,
        credentials: await countCredentials(tenancy),
        trouble: row?.trouble ?? '',
      }
    },

    async setProvider({ version, secret, ...asked }, { house, viewer, fault, transact }) {
      const [loginUrl, graphUrl] = [asked.loginUrl.replace(/\/+$/, ''), asked.graphUrl.replace(/\/+$/, '')]
      if (!/^[A-Za-z0-9.-]+$/.test(asked.directoryId)) fault('wrongDirectory')
      for (const [url, code] of [
        [loginUrl, 'refusedLogin'],
        [graphUrl, 'refusedGraph'],
      ] as const) {
        const reason = await house.outward.refusal({ use: 'provider', url, tenantId: viewer.tenantId })
        if (reason !== undefined) fault(code, { params: { reason: reason.message } })
      }
      await transact(async ({ tenancy, emit }) => {
        const row = await lockProvider(tenancy)
        if (version !== undefined && version !== (row?.version ?? 0)) fault('conflict')
        const elsewhere =
          row === undefined ||
          row.login_url !== loginUrl ||
          row.graph_url !== graphUrl ||
          row.directory_id !== asked.directoryId ||
          row.client_id !== asked.clientId
        if (elsewhere && secret === undefined) fault('secretNeeded')
        const { tenantId, db, now } = tenancy
        const sealed =
          secret === undefined
            ? undefined
            : await sealForTenant(db, house, { tenantId, purpose: secretPurpose(tenantId), plain: Buffer.from(secret), now })
        const secretSealed = sealed?.sealed ?? row?.secret_sealed ?? fault('secretNeeded')
        const tenantKeyId = sealed?.tenantKeyId ?? row?.tenant_key_id ?? fault('secretNeeded')
        await putProvider(tenancy, {
          directory_id: asked.directoryId,
          client_id: asked.clientId,
          secret_sealed: secretSealed,
          tenant_key_id: tenantKeyId,
          login_url: loginUrl,
          graph_url: graphUrl,
          enabled: asked.enabled,
        })
        emit('providerSet', { graphUrl, enabled: asked.enabled })
      })
      return {}
    },

    async testProvider(_input, { house, viewer, fault }) {
      const graph = await withTenancy(house, viewer.tenantId, async (tenancy) => {
        const provider = await findProvider(tenancy)
        return provider === undefined ? fault('none') : graphOf(house, tenancy, provider)
      })
      try {
        const { people } = await readPeople(graph, firstPeople)
        if (people.length > 0) await readMethods(graph, people.slice(0, 1))
        return { people: people.length }
      } catch (error) {
        if (error instanceof GraphError) return fault(error.reason, { params: error.params })
        throw error
      }
    },
  },
  {
    jobs: { sync: { inTenancy: syncTurn }, deletions: { inTenancy: deletionsTurn } },
    offers: [offer(personalData, (db, tenantId, userId) => releasePerson({ db, tenantId }, userId))],
    records: {
      fido: {
        names: async (tenancy, ids) =>
          (await findRows(tenancy, ids)).map((row) => ({ id: row.id, name: nameOf(row), path: pathOf(row.credential_id) })),
        seek: async (tenancy, { text, most }) => (await credentialsNamed(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await credentialsNamed(tenancy, text, most)).map((row) => ({
            id: row.id,
            label: nameOf(row),
            detail: row.account,
            path: pathOf(row.credential_id),
          })),
      },
    },
  },
)
