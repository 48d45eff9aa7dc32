// Reads systems that manage devices, by the wire of Microsoft Graph: a list of pages, each with the address of the next. All pages stay on the server that
// somebody named, and the token goes nowhere else.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { sealForTenant, unsealForTenant } from '#areas/keys/sealing.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { Handlers, TenancyTurn } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { checkRoots } from '#core/server/trusted-roots.ts'
import { readStorableJson } from '#standards/json/read.ts'
import { readMoment } from '#standards/storable/storable.ts'
import { devices } from '../contract.ts'
import { readHostname } from '../rules.ts'
import { learnDevice } from './learning.ts'
import { readable } from './saving.ts'
import {
  deleteSource,
  findSource,
  insertSource,
  listDue,
  pageOfSources,
  updateReading,
  updateSource,
  type MdmRecord,
} from './source-store.ts'
import { listTypes } from './store.ts'

const mostPages = 1_000
const readingMilliseconds = 120_000
/** What was read since is not due again in the same run, also where somebody asked for it by hand. */
const restMilliseconds = 30 * 60_000
const mostDevices = 100_000
/** A page has a thousand devices with up to sixty values. */
const mostValues = 60_000

const Text = z.string().max(1_000).nullish()
/** RFC-less: https://learn.microsoft.com/graph/api/resources/intune-devices-manageddevice. */
const Managed = z.looseObject({
  id: z.string().min(1).max(200),
  deviceName: Text,
  serialNumber: Text,
  imei: Text,
  wiFiMacAddress: Text,
  ethernetMacAddress: Text,
  operatingSystem: Text,
  lastSyncDateTime: Text,
})
const Page = z.looseObject({ value: z.array(z.unknown()).max(5_000), '@odata.nextLink': z.string().max(4_000).optional() })

/** A system that did not answer as it should, in a sentence. */
class SourceError extends Error {
  override name = 'SourceError'
}

const purposeOf = (id: string): string => `devices.source ${id}`

async function seal(house: House, { db, tenantId, now }: Tenancy, id: string, token: string) {
  const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: purposeOf(id), plain: Buffer.from(token), now })
  return { sealed_token: sealed, tenant_key_id: tenantKeyId }
}

const tooSlow = `it answers too slowly: all of it takes longer than ${readingMilliseconds / 1_000} seconds`

/** With one end in time for all pages: whoever answers slowly would hold the other tenancies. */
async function readPages(house: House, source: MdmRecord, token: string, signal: AbortSignal): Promise<unknown[]> {
  try {
    return await readAll(house, source, token, signal)
  } catch (error) {
    if (signal.aborted) throw new SourceError(tooSlow, { cause: error })
    throw error
  }
}

async function readAll(house: House, source: MdmRecord, token: string, signal: AbortSignal): Promise<unknown[]> {
  const found: unknown[] = []
  const { origin } = new URL(source.url)
  let url: string | undefined = source.url
  for (let pages = 0; url !== undefined; pages += 1) {
    if (pages >= mostPages || found.length > mostDevices) throw new SourceError('it has more devices than are read')
    if (!URL.canParse(url) || new URL(url).origin !== origin) throw new SourceError('its next page stands on another server')
    const answer = await house.outward.request({
      use: 'provider',
      url,
      tenantId: source.tenant_id,
      signal,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      ...(source.roots === '' ? {} : { tls: { trust: { roots: [source.roots] } } }),
    })
    if (answer.status !== 200) throw new SourceError(`it answered with status ${answer.status}`)
    const page = Page.safeParse(readStorableJson(answer.body.toString('utf8'), { values: mostValues }))
    if (!page.success) throw new SourceError('its answer is no list of devices')
    found.push(...page.data.value)
    url = page.data['@odata.nextLink']
  }
  return found
}

const typeWords: readonly (readonly [RegExp, string])[] = [
  [/ios|ipados|android|mobile/i, 'Mobile'],
  [/windows|mac|linux|chrome/i, 'Laptop'],
]

const together = 200

/** Reads all of a system, then writes what it told, in parts. */
export async function sync(
  house: House,
  tenantId: string,
  sourceId: string,
  signal: AbortSignal = AbortSignal.timeout(readingMilliseconds),
) {
  const found = await withTenancy(house, tenantId, async (tenancy) => {
    const source = await findSource(tenancy, sourceId)
    if (source === undefined) return undefined
    const { sealed_token: sealed, tenant_key_id: tenantKeyId } = source
    const plain = await unsealForTenant(tenancy.db, house, { tenantId, purpose: purposeOf(sourceId), sealed, tenantKeyId })
    return { source, token: plain.toString('utf8') }
  })
  if (found === undefined) return undefined
  const { source } = found
  const actor = { name: source.name }
  let rows: unknown[]
  try {
    rows = await readPages(house, source, found.token, signal)
  } catch (error) {
    if (!(error instanceof OutwardError || error instanceof SourceError)) throw error
    await withTenancy(house, tenantId, (tenancy) =>
      updateReading(tenancy, sourceId, { state: 'failed', says: error.message, seen: source.seen }),
    )
    throw new SourceError(error.message, { cause: error })
  }
  const counts = { seen: rows.length, added: 0, changed: 0, refused: 0 }
  for (let from = 0; from < rows.length; from += together)
    await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const types = await listTypes(tenancy)
      for (const row of rows.slice(from, from + together)) {
        const told = Managed.safeParse(row)
        if (!told.success) {
          counts.refused += 1
          continue
        }
        const { id, deviceName, serialNumber, imei, wiFiMacAddress, ethernetMacAddress, operatingSystem, lastSyncDateTime } = told.data
        const type = typeWords.find(([words]) => words.test(operatingSystem ?? ''))?.[1]
        const seenAt = readMoment(lastSyncDateTime)
        const { effect } = await learnDevice(tenancy, emitFor(devices), {
          source: 'mdm',
          by: `mdm ${sourceId}`,
          key: id,
          name: plainName(deviceName ?? '') || id,
          hostname: readHostname(deviceName ?? '').value ?? '',
          type: type !== undefined && types.includes(type) ? type : source.device_type,
          status: 'active',
          identifiers: readable([
            ['serial', serialNumber ?? undefined],
            ['imei', imei ?? undefined],
            ['eui48', wiFiMacAddress ?? undefined],
            ['eui48', ethernetMacAddress ?? undefined],
          ]),
          // A clock that runs ahead would hide for good that a device fell silent.
          seenAt: seenAt === undefined || seenAt > tenancy.now ? undefined : seenAt,
        })
        if (effect !== 'same') counts[effect] += 1
      }
    })
  await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    await updateReading(tenancy, sourceId, { state: 'done', says: '', seen: counts.seen })
    const { seen, added, changed } = counts
    emitFor(devices)('synced', { sourceId, name: source.name, seen, added, changed }, sourceId)
  })
  return counts
}

const plainName = (name: string): string =>
  name
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 120)

export async function syncDue({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  let isMore = false
  const before = new Date(house.now().getTime() - restMilliseconds)
  await forEach(await withTenancy(house, tenantId, (tenancy) => listDue(tenancy, before)), async ({ id }) => {
    if (performance.now() > until) isMore = true
    else await sync(house, tenantId, id)
  })
  return isMore ? 'more' : undefined
}

type Draft = { name: string; url: string; roots: string; deviceType: string; active: boolean }
const columnsOf = ({ name, url, roots, deviceType, active }: Draft) => ({ name, url, roots, device_type: deviceType, active })

export const sourceHandlers: Pick<
  Handlers<typeof devices>,
  'searchSources' | 'addSource' | 'changeSource' | 'removeSource' | 'syncSource'
> = {
  async searchSources({ text, ...page }, { tenancy }) {
    const { rows, total } = await pageOfSources(tenancy, text.trim(), page)
    return {
      rows: rows.map((row) => ({
        id: row.id,
        name: row.name,
        url: row.url,
        roots: row.roots,
        deviceType: row.device_type,
        active: row.active,
        state: row.state,
        says: row.says,
        seen: row.seen,
        ...(row.synced_at === null ? {} : { syncedAt: row.synced_at.toISOString() }),
        version: row.version,
      })),
      total,
    }
  },

  async addSource({ token, ...draft }, { house, viewer, transact, fault }) {
    checkRoots(draft.roots)
    const refused = await house.outward.refusal({ use: 'provider', url: draft.url, tenantId: viewer.tenantId })
    if (refused !== undefined) fault('refused', { params: { reason: refused.message } })
    const id = randomUUID()
    await transact(async ({ tenancy, emit }) => {
      if (!(await listTypes(tenancy)).includes(draft.deviceType)) fault('unknownType')
      await insertSource(tenancy, id, { ...columnsOf(draft), ...(await seal(house, tenancy, id, token)) })
      emit('sourceAdded', { sourceId: id, name: draft.name }, id)
    })
    return { id }
  },

  async changeSource({ id, version, token, ...draft }, { house, viewer, transact, fault }) {
    checkRoots(draft.roots)
    const refused = await house.outward.refusal({ use: 'provider', url: draft.url, tenantId: viewer.tenantId })
    if (refused !== undefined) fault('refused', { params: { reason: refused.message } })
    await transact(async ({ tenancy, emit }) => {
      const row = (await findSource(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      // Whoever could lead the kept token to another server would have it.
      if (token === undefined && (row.url !== draft.url || row.roots !== draft.roots)) fault('tokenNeeded')
      if (!(await listTypes(tenancy)).includes(draft.deviceType)) fault('unknownType')
      const sealed =
        token === undefined ? { sealed_token: row.sealed_token, tenant_key_id: row.tenant_key_id } : await seal(house, tenancy, id, token)
      await updateSource(tenancy, id, { ...columnsOf(draft), ...sealed })
      emit('sourceChanged', { sourceId: id, name: draft.name }, id)
    })
    return {}
  },

  async removeSource({ id }, { tenancy, emit, fault }) {
    const row = (await findSource(tenancy, id)) ?? fault('missing')
    await deleteSource(tenancy, id)
    emit('sourceRemoved', { sourceId: id, name: row.name }, id)
    return {}
  },

  async syncSource({ id }, { house, viewer, fault }) {
    try {
      return (await sync(house, viewer.tenantId, id)) ?? fault('missing')
    } catch (error) {
      if (error instanceof SourceError) return fault('unreachable', { params: { reason: error.message } })
      throw error
    }
  },
}
