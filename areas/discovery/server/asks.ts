// Tells those who decide what somebody asks to scan: they work in the management tenancy and see nothing of another one, so that each ask is written there, too,
// and decided from there.

import { findTenancy, managementTenancy } from '#areas/tenancy/service.ts'
import { to } from '#core/contract/paths.ts'
import type { House } from '#core/server/house.ts'
import { on, type Handlers, type Viewer } from '#core/server/serve.ts'
import type { WorkSource, WorkWaiting } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { discovery } from '../contract.ts'
import { countAsks, deleteAsk, findAsk, insertAsk, listAsks } from './ask-store.ts'
import { lockNetwork, updateNetwork } from './store.ts'

const actor = { name: 'Discovery' }

/** Somebody whose home is the management tenancy, wherever they work now. */
export const decides = async (tenancy: Tenancy, viewer: Viewer): Promise<boolean> =>
  (await managementTenancy(tenancy.db))?.id === viewer.homeTenantId

async function inManagement(house: House, work: (tenancy: Tenancy) => Promise<void>): Promise<void> {
  const management = await managementTenancy(house.database)
  if (management !== undefined) await house.work(management.id, actor, ({ tenancy }) => work(tenancy))
}

const forget = (house: House, networkId: string) => inManagement(house, (tenancy) => deleteAsk(tenancy, networkId))

export const askSubscriptions = [
  on(discovery.events.networkProposed, async ({ tenantId, body: { networkId } }, house) => {
    const asking = await findTenancy(house.database, tenantId)
    const row = await withTenancy(house, tenantId, (tenancy) => lockNetwork(tenancy, networkId))
    // Decided or taken back before this was told.
    if (asking === undefined || row?.state !== 'proposed') return
    const { cidr, proposed_by, proposed_at } = row
    await inManagement(house, (tenancy) =>
      insertAsk(tenancy, {
        network_id: networkId,
        asking_tenant_id: tenantId,
        asking_tenancy: asking.name,
        cidr,
        proposed_by,
        proposed_at,
      }),
    )
  }),
  on(discovery.events.networkDecided, ({ body: { networkId } }, house) => forget(house, networkId)),
  on(discovery.events.networkRemoved, ({ body: { networkId } }, house) => forget(house, networkId)),
]

const kind = 'scanNetwork'

export const networksAsked: WorkSource = {
  kind,
  needs: 'infrastructureConfig',
  async read(tenancy, viewer, { most }) {
    if (!(await decides(tenancy, viewer))) return { items: [], count: 0 }
    const items = (await listAsks(tenancy, most)).map(({ network_id: networkId, asking_tenancy, cidr, proposed_by, proposed_at }) => ({
      id: networkId,
      title: `${cidr} · ${asking_tenancy}`,
      link: to(discovery.screens.config, { provider: 'allowed' }),
      requestedBy: proposed_by,
      since: proposed_at,
      actions: [true, false].map((allowed) => ({
        name: allowed ? 'allow' : 'refuse',
        call: 'discovery.decideAsked',
        input: { networkId, allowed },
      })),
    }))
    return { items, count: await countAsks(tenancy.db, tenancy.tenantId) }
  },
}

export const asksWaiting: WorkWaiting = {
  needs: 'infrastructureConfig',
  count: async (db, { tenantId }) => ({ [kind]: await countAsks(db, tenantId) }),
}

const mostShown = 200

export const askedElsewhere = async (tenancy: Tenancy) =>
  (await listAsks(tenancy, mostShown))
    .filter(({ asking_tenant_id: id }) => id !== tenancy.tenantId)
    .map(({ network_id: id, asking_tenancy, cidr, proposed_by, proposed_at }) => ({
      id,
      cidr,
      tenancy: asking_tenancy,
      proposedBy: proposed_by,
      proposedAt: proposed_at.toISOString(),
    }))

export const askHandlers: Pick<Handlers<typeof discovery>, 'decideAsked'> = {
  async decideAsked({ networkId, allowed }, { house, viewer, transact, fault, request }) {
    const ask = await withTenancy(house, viewer.tenantId, async (tenancy) => {
      const found = (await findAsk(tenancy, networkId)) ?? fault('missing')
      if (!(await decides(tenancy, viewer))) fault('managementOnly')
      return found
    })
    const { asking_tenant_id: tenantId, cidr, asking_tenancy: askingTenancy } = ask
    const home = await withTenancy(house, viewer.tenantId, ({ db }) => findTenancy(db, viewer.homeTenantId))
    const name = actorOf({ username: viewer.username, ...(home === undefined ? {} : { homeName: home.name }) })
    // At the tenancy first: what breaks off here is asked again, and decided the same.
    const stands = await house.work(tenantId, { userId: viewer.userId, name, address: request.address }, async ({ tenancy, emitFor }) => {
      const row = await lockNetwork(tenancy, networkId)
      if (row?.state === (allowed ? 'allowed' : 'refused')) return true
      // Somebody decided it another way, or took it back: a list that was open since does not undo that.
      if (row?.state !== 'proposed') return false
      await updateNetwork(tenancy, networkId, { state: allowed ? 'allowed' : 'refused', decided_by: name })
      emitFor(discovery)('networkDecided', { networkId, cidr, allowed }, networkId)
      return true
    })
    if (!stands) {
      await transact(({ tenancy }) => deleteAsk(tenancy, networkId))
      fault('missing')
    }
    await transact(async ({ tenancy, emit }) => {
      await deleteAsk(tenancy, networkId)
      emit('askDecided', { networkId, cidr, tenancy: askingTenancy, allowed }, networkId)
    })
    return {}
  },
}
