import { randomUUID } from 'node:crypto'
import { sealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { discovery } from '../contract.ts'
import { isReading } from '../rules.ts'
import { isScope } from './cluster.ts'
import { readFiles } from './files.ts'
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  lockProvider,
  updateProvider,
  updateReading,
} from './provider-store.ts'
import { beginningOf, keepFound, secretPurpose } from './reading.ts'

async function seal(house: House, { db, tenantId, now }: Tenancy, id: string, secret: string) {
  const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: secretPurpose(id), plain: Buffer.from(secret), now })
  return { sealed_secret: sealed, tenant_key_id: tenantKeyId }
}

type Draft = { name: string; url: string; scope: string; roots: string; everyHours: number }
const columnsOf = ({ name, url, scope, roots, everyHours }: Draft, now: Date) => ({
  name,
  url,
  scope,
  roots,
  every_hours: everyHours,
  next_at: everyHours === 0 ? null : new Date(now.getTime() + everyHours * 3_600_000),
})

export const providerHandlers: Pick<
  Handlers<typeof discovery>,
  'providers' | 'addProvider' | 'changeProvider' | 'removeProvider' | 'readProvider' | 'stopProvider' | 'uploadFound'
> = {
  async providers({ kind }, { tenancy }) {
    return {
      providers: (await listProviders(tenancy, kind)).map((row) => ({
        id: row.id,
        kind: row.kind,
        name: row.name,
        url: row.url,
        scope: row.scope,
        roots: row.roots,
        everyHours: row.every_hours,
        state: row.state,
        says: row.says,
        found: row.found,
        fresh: row.fresh,
        changed: row.changed,
        refused: row.refused,
        ...(row.started_at === null ? {} : { startedAt: row.started_at.toISOString() }),
        ...(row.ended_at === null ? {} : { endedAt: row.ended_at.toISOString() }),
        version: row.version,
      })),
    }
  },

  async addProvider({ kind, secret, ...draft }, { house, viewer, transact, fault }) {
    if (!isScope(draft.scope)) fault('badScope')
    if (secret === undefined) return fault('secretNeeded')
    const refused = await house.outward.refusal({ use: 'cluster', url: draft.url, tenantId: viewer.tenantId })
    if (refused !== undefined) fault('refused', { params: { reason: refused.message } })
    const id = randomUUID()
    await transact(async ({ tenancy, emit }) => {
      await insertProvider(tenancy, { id, kind, ...columnsOf(draft, tenancy.now), ...(await seal(house, tenancy, id, secret)) })
      emit('providerAdded', { providerId: id, name: draft.name }, id)
    })
    return { id }
  },

  async changeProvider({ id, version, secret, ...draft }, { house, viewer, transact, fault }) {
    if (!isScope(draft.scope)) fault('badScope')
    const refused = await house.outward.refusal({ use: 'cluster', url: draft.url, tenantId: viewer.tenantId })
    if (refused !== undefined) fault('refused', { params: { reason: refused.message } })
    await transact(async ({ tenancy, emit }) => {
      const row = (await lockProvider(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      if (isReading(row.state)) fault('reading')
      // Whoever could lead the kept token to another server would have it.
      if (secret === undefined && (row.url !== draft.url || row.roots !== draft.roots)) fault('secretNeeded')
      const { sealed_secret, tenant_key_id } = row
      const sealed = secret === undefined ? { sealed_secret, tenant_key_id } : await seal(house, tenancy, id, secret)
      await updateProvider(tenancy, id, { ...columnsOf(draft, tenancy.now), ...sealed })
      emit('providerChanged', { providerId: id, name: draft.name }, id)
    })
    return {}
  },

  async removeProvider({ id }, { tenancy, emit, fault }) {
    const row = (await findProvider(tenancy, id)) ?? fault('missing')
    await deleteProvider(tenancy, id)
    emit('providerRemoved', { providerId: id, name: row.name }, id)
    return {}
  },

  async readProvider({ id }, { tenancy, emit, house, afterCommit, fault }) {
    const row = (await lockProvider(tenancy, id)) ?? fault('missing')
    if (isReading(row.state)) fault('reading')
    await updateReading(tenancy, id, beginningOf(row, tenancy.now, 'waiting'))
    emit('providerStarted', { providerId: id, name: row.name }, id)
    afterCommit(() => house.wake(discovery.jobs.providers))
    return {}
  },

  async stopProvider({ id }, { tenancy, emit, house, afterCommit, fault }) {
    const row = (await lockProvider(tenancy, id)) ?? fault('missing')
    if (!isReading(row.state)) fault('ended')
    await updateReading(tenancy, id, { state: 'stopping' })
    emit('providerStopped', { providerId: id, name: row.name }, id)
    afterCommit(() => house.wake(discovery.jobs.providers))
    return {}
  },

  async uploadFound({ files }, { tenancy, emit }) {
    const { found, faults } = readFiles(files)
    const counts = await keepFound(tenancy, { provider: 'file', providerId: '' }, found, (finding) =>
      emit('servedAgain', finding, finding.findingId),
    )
    emit('filesFound', { files: files.length, found: counts.found, fresh: counts.fresh })
    return { found: counts.found, fresh: counts.fresh, changed: counts.changed, faults: faults.slice(0, 200) }
  },
}
