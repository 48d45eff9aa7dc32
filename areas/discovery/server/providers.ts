import { createHash, randomUUID } from 'node:crypto'
import { listProvedDomains } from '#areas/domains/service.ts'
import { sealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { Handlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { checkRoots } from '#core/server/trusted-roots.ts'
import { say } from '#standards/say/say.ts'
import { discovery } from '../contract.ts'
import { isOpen, type ProviderKind } from '../rules.ts'
import { isScope } from './cluster.ts'
import { readLogKey } from './ct-log.ts'
import { readDirectoryUrl } from './directory-reader.ts'
import { readFiles, settlePlaces } from './files.ts'
import { findInFiles } from './finding-store.ts'
import { plain } from './probe.ts'
import { ProviderError } from './provider-page.ts'
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  lockProvider,
  updateProvider,
  updateReading,
  type ProviderRecord,
} from './provider-store.ts'
import { beginningOf, keepFound, readPage, secretOf, secretPurpose } from './reading.ts'

async function seal(house: House, { db, tenantId, now }: Tenancy, id: string, secret: string) {
  const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: secretPurpose(id), plain: Buffer.from(secret), now })
  return { sealed_secret: sealed, tenant_key_id: tenantKeyId }
}

const unsealed = { sealed_secret: null, tenant_key_id: null }

type Draft = { name: string; url: string; scope: string; roots: string; account: string; login: string; everyHours: number }
const columnsOf = ({ name, url, scope, roots, account, login, everyHours }: Draft, now: Date) => ({
  name,
  url,
  scope,
  roots,
  account,
  login,
  every_hours: everyHours,
  next_at: everyHours === 0 ? null : new Date(now.getTime() + everyHours * 3_600_000),
})

type Wrong = { code: 'badScope' | 'badAccount' | 'badUrl' | 'refused' | 'loginRefused'; reason: string }

/** What is wrong with how a provider is asked; undefined where nothing is. Addresses are judged as they are whenever it is read. */
async function faultOf(
  house: House,
  tenantId: string,
  kind: ProviderKind,
  draft: Omit<Draft, 'name' | 'everyHours'>,
): Promise<Wrong | undefined> {
  checkRoots(draft.roots)
  const scope = scopeFault(kind, draft.scope)
  if (scope !== undefined) return { code: 'badScope', reason: scope }
  if (kind === 'ct' && readLogKey(draft.account) === undefined)
    return { code: 'badAccount', reason: say`Enter the public key of the log as base64, as lists of logs give it` }
  if (kind !== 'ct' && kind !== 'kubernetes' && draft.account === '') return { code: 'badAccount', reason: say`Enter who asks` }
  const directory = kind === 'directory' ? readDirectoryUrl(draft.url) : undefined
  if (kind === 'directory' && directory === undefined) return { code: 'badUrl', reason: '' }
  const use = kind === 'kubernetes' ? 'cluster' : 'cloud'
  const refused =
    directory === undefined
      ? await house.outward.refusal({ use, url: draft.url, tenantId })
      : await house.outward.refusal({ use: 'directory', host: directory.host, port: directory.port, tenantId })
  if (refused !== undefined) return { code: 'refused', reason: refused.message }
  const login = draft.login === '' ? undefined : await house.outward.refusal({ use: 'cloud', url: draft.login, tenantId })
  return login && { code: 'loginRefused', reason: login.message }
}

function scopeFault(kind: ProviderKind, scope: string): string | undefined {
  if (kind === 'kubernetes') return isScope(scope) ? undefined : 'A namespace has small letters, digits and hyphens, at most 63'
  if (kind === 'directory') return scope === '' ? 'Enter where the entries stand, such as dc=example,dc=org' : undefined
  if (kind === 'aws') return /^[a-z]{2}[a-z0-9-]{1,40}$/.test(scope) ? undefined : 'Enter the region, such as eu-central-1'
  if (kind === 'azure') return /^[A-Za-z0-9.-]{1,100}$/.test(scope) ? undefined : 'Enter the tenant: its id or its domain'
  return /^\d{0,15}$/.test(scope) ? undefined : 'Enter a number, or leave it empty to begin at the present end'
}

/** Whoever could lead the kept secret to another server, or have another judge it, would have it. */
const leadsElsewhere = (row: ProviderRecord, draft: Omit<Draft, 'name' | 'everyHours'>): boolean =>
  row.url !== draft.url || row.roots !== draft.roots || row.account !== draft.account || row.login !== draft.login

export const providerHandlers: Pick<
  Handlers<typeof discovery>,
  | 'providers'
  | 'addProvider'
  | 'changeProvider'
  | 'removeProvider'
  | 'readProvider'
  | 'pauseProvider'
  | 'tryProvider'
  | 'stopProvider'
  | 'uploadFound'
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
        account: row.account,
        login: row.login,
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
    const wrong = await faultOf(house, viewer.tenantId, kind, draft)
    if (wrong !== undefined) fault(wrong.code, { params: { reason: wrong.reason } })
    if (secret === undefined && kind !== 'ct') return fault('secretNeeded')
    const id = randomUUID()
    await transact(async ({ tenancy, emit }) => {
      const sealed = secret === undefined ? unsealed : await seal(house, tenancy, id, secret)
      await insertProvider(tenancy, { id, kind, ...columnsOf(draft, tenancy.now), ...sealed })
      emit('providerAdded', { providerId: id, name: draft.name }, id)
    })
    return { id }
  },

  async changeProvider({ id, version, secret, ...draft }, { house, viewer, transact, fault }) {
    const { kind } = (await withTenancy(house, viewer.tenantId, (tenancy) => findProvider(tenancy, id))) ?? fault('missing')
    const wrong = await faultOf(house, viewer.tenantId, kind, draft)
    if (wrong !== undefined) fault(wrong.code, { params: { reason: wrong.reason } })
    await transact(async ({ tenancy, emit }) => {
      const row = (await lockProvider(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      if (isOpen(row.state)) fault('reading')
      if (secret === undefined && kind !== 'ct' && leadsElsewhere(row, draft)) fault('secretNeeded')
      const { sealed_secret, tenant_key_id } = row
      const sealed = secret === undefined ? { sealed_secret, tenant_key_id } : await seal(house, tenancy, id, secret)
      await updateProvider(tenancy, id, { ...columnsOf(draft, tenancy.now), ...sealed })
      // Another log, or one that is begun anew, is not read on from the old place.
      if (row.url !== draft.url || row.scope !== draft.scope) await updateReading(tenancy, id, { cursor: '' })
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
    if (isOpen(row.state)) fault('reading')
    await updateReading(tenancy, id, beginningOf(row, tenancy.now, 'waiting'))
    emit('providerStarted', { providerId: id, name: row.name }, id)
    afterCommit(() => house.wake(discovery.jobs.providers))
    return {}
  },

  async pauseProvider({ id, paused }, { tenancy, emit, house, afterCommit, fault }) {
    const row = (await lockProvider(tenancy, id)) ?? fault('missing')
    if (!isOpen(row.state) || row.state === 'stopping') fault('ended')
    if ((row.state === 'paused') === paused) return {}
    // What was not begun yet is begun when it goes on.
    await updateReading(tenancy, id, { state: paused ? 'paused' : 'running' })
    emit(paused ? 'providerPaused' : 'providerResumed', { providerId: id, name: row.name }, id)
    afterCommit(() => house.wake(discovery.jobs.providers))
    return {}
  },

  async tryProvider({ id, kind, secret, name: _name, everyHours: _everyHours, ...draft }, { house, viewer, fault }) {
    const wrong = await faultOf(house, viewer.tenantId, kind, draft)
    if (wrong !== undefined) fault(wrong.code, { params: { reason: wrong.reason } })
    const asked = await withTenancy(house, viewer.tenantId, async (tenancy) => {
      const row = id === undefined ? undefined : ((await findProvider(tenancy, id)) ?? fault('missing'))
      if (secret === undefined && kind !== 'ct' && (row === undefined || row.kind !== kind || leadsElsewhere(row, draft)))
        fault('secretNeeded')
      return { secret: secret ?? (row === undefined ? '' : await secretOf(house, tenancy, row)), domains: await listProvedDomains(tenancy) }
    })
    try {
      const page = await readPage(house, kind, { ...draft, ...asked, tenant_id: viewer.tenantId, cursor: '' })
      const places = page.found.slice(0, 5).map(({ place }) => plain(place))
      return { found: page.found.length, more: !page.done, places, says: page.says ?? '' }
    } catch (error) {
      if (error instanceof OutwardError || error instanceof ProviderError) return fault('failed', { params: { reason: error.message } })
      throw error
    }
  },

  async stopProvider({ id }, { tenancy, emit, house, afterCommit, fault }) {
    const row = (await lockProvider(tenancy, id)) ?? fault('missing')
    if (!isOpen(row.state)) fault('ended')
    await updateReading(tenancy, id, { state: 'stopping' })
    emit('providerStopped', { providerId: id, name: row.name }, id)
    afterCommit(() => house.wake(discovery.jobs.providers))
    return {}
  },

  async uploadFound({ files }, { tenancy, emit }) {
    const read = readFiles(files)
    const before = await findInFiles(
      tenancy,
      read.found.map((one) => one.fingerprint),
    )
    const found = settlePlaces(read.found, before)
    const unreadable: string[] = []
    const counts = await keepFound(
      tenancy,
      { provider: 'file', providerId: '' },
      found,
      (finding) => emit('servedAgain', finding, finding.findingId),
      (certificate) => unreadable.push(createHash('sha256').update(certificate).digest('hex')),
    )
    const faults = [
      ...read.faults,
      ...found
        .filter((one) => unreadable.includes(one.fingerprint))
        .map(({ file, at }) => ({ file, says: say`Certificate ${at} in it cannot be read` })),
    ]
    emit('filesFound', { files: files.length, found: counts.found, fresh: counts.fresh })
    return { found: counts.found, fresh: counts.fresh, changed: counts.changed, faults: faults.slice(0, 200) }
  },
}
