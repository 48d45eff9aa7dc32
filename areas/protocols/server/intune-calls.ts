// The calls about Microsoft Intune: the application by which a SCEP profile asks it, and whether it answers.

import { sealForTenant } from '#areas/keys/sealing.ts'
import { readTarget } from '#core/server/deliveries/deliveries.ts'
import type { Handlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import type { protocolRoom } from '../contract.ts'
import { intuneAddresses } from '../rules.ts'
import { deleteIntune, findIntune, putIntune } from './intune-store.ts'
import { findService, forgetIntune, IntuneError, intuneNotice, intunePurpose, openIntune } from './intune.ts'
import { findProfile, lockProfile, type ProfileRecord } from './store.ts'

type IntuneCalls = Pick<Handlers<typeof protocolRoom>, 'intune' | 'setIntune' | 'removeIntune' | 'testIntune'>

const ofScep = (profile: ProfileRecord | undefined): ProfileRecord | undefined => (profile?.protocol === 'scep' ? profile : undefined)

async function troubleOf({ db, tenantId }: Tenancy, profileId: string): Promise<string> {
  const { state, failures, reason } = await readTarget(db, { tenantId, kind: intuneNotice.kind, target: profileId })
  return state === 'active' && failures === 0 ? '' : reason
}

export const intuneCalls: IntuneCalls = {
  async intune({ id }, { tenancy, fault }) {
    const profile = ofScep(await findProfile(tenancy, id)) ?? fault('missing')
    const row = await findIntune(tenancy, id)
    return {
      profileName: profile.name,
      directoryId: row?.directory_id ?? '',
      clientId: row?.client_id ?? '',
      loginUrl: row?.login_url ?? intuneAddresses.loginUrl,
      graphUrl: row?.graph_url ?? intuneAddresses.graphUrl,
      resourceUrl: row?.resource_url ?? intuneAddresses.resourceUrl,
      enabled: row?.enabled ?? true,
      hasSecret: row !== undefined,
      version: row?.version ?? 0,
      trouble: row === undefined ? '' : await troubleOf(tenancy, id),
    }
  },

  async setIntune({ id, version, secret, directoryId, clientId, enabled, ...addresses }, { house, viewer, fault, transact }) {
    if (!/^[A-Za-z0-9.-]+$/.test(directoryId)) fault('wrongDirectory')
    const [loginUrl, graphUrl, resourceUrl] = [addresses.loginUrl, addresses.graphUrl, addresses.resourceUrl].map((url) =>
      url.replace(/\/+$/, ''),
    ) as [string, string, string]
    for (const [url, code] of [
      [loginUrl, 'refusedLogin'],
      [graphUrl, 'refusedGraph'],
      [resourceUrl, 'refusedResource'],
    ] as const) {
      const reason = await house.outward.refusal({ use: 'provider', url, tenantId: viewer.tenantId })
      if (reason !== undefined) fault(code, { params: { reason: reason.message } })
    }
    await transact(async ({ tenancy, emit }) => {
      if (ofScep(await lockProfile(tenancy, id)) === undefined) fault('missing')
      const row = await findIntune(tenancy, id)
      if (version !== (row?.version ?? 0)) fault('conflict')
      const elsewhere =
        row === undefined ||
        row.login_url !== loginUrl ||
        row.graph_url !== graphUrl ||
        row.resource_url !== resourceUrl ||
        row.directory_id !== directoryId ||
        row.client_id !== clientId
      if (elsewhere && secret === undefined) fault('secretNeeded')
      const { db, tenantId, now } = tenancy
      const sealed =
        secret === undefined
          ? undefined
          : await sealForTenant(db, house, { tenantId, purpose: intunePurpose(id), plain: Buffer.from(secret), now })
      await putIntune(tenancy, {
        profile_id: id,
        directory_id: directoryId,
        client_id: clientId,
        secret_sealed: sealed?.sealed ?? row?.secret_sealed ?? fault('secretNeeded'),
        tenant_key_id: sealed?.tenantKeyId ?? row?.tenant_key_id ?? fault('secretNeeded'),
        login_url: loginUrl,
        graph_url: graphUrl,
        resource_url: resourceUrl,
        enabled,
      })
      emit('intuneSet', { profileId: id, directoryId, clientId, enabled }, id)
    })
    return {}
  },

  async removeIntune({ id }, { tenancy, emit, fault }) {
    if (!(await deleteIntune(tenancy, id))) return fault('missing')
    await forgetIntune(tenancy, id)
    emit('intuneRemoved', { profileId: id }, id)
    return {}
  },

  async testIntune({ id }, { house, viewer, fault }) {
    const intune = await withTenancy(house, viewer.tenantId, async (tenancy) => {
      const row = (await findIntune(tenancy, id)) ?? fault('missing')
      return openIntune(house, tenancy, row)
    })
    try {
      return { host: await findService(intune) }
    } catch (error) {
      if (error instanceof IntuneError) return fault('noAnswer', { params: { reason: error.message } })
      throw error
    }
  },
}
