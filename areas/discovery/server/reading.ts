// Reads providers page by page. A page's findings, its counts and where the next begins are one commit, so that a dead server repeats one page and counts
// nothing twice.

import { X509Certificate } from 'node:crypto'
import { listProvedDomains } from '#areas/domains/service.ts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { forEach, reasonOf } from '#core/server/each.ts'
import type { House, TenancyTurn } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { storable } from '#core/server/storable.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { discovery } from '../contract.ts'
import { isReading, mostPages, pagesATurn, type ProviderKind } from '../rules.ts'
import { readAws } from './aws.ts'
import { readVault } from './azure.ts'
import { readSecrets } from './cluster.ts'
import { readLog } from './ct-log.ts'
import { readDirectory } from './directory-reader.ts'
import { findAtProvider } from './finding-store.ts'
import { placeLine, readSeen } from './probe.ts'
import { ProviderError, type Asked, type Found, type ProviderPage } from './provider-page.ts'
import { findProvider, listDueProviders, lockProvider, updatePage, updateReading, type ProviderRecord } from './provider-store.ts'
import { keep, trustedOf, type Served } from './running.ts'

const actor = { name: 'Discovery' }
const readers: Record<ProviderKind, (house: House, asked: Asked) => Promise<ProviderPage>> = {
  kubernetes: readSecrets,
  directory: readDirectory,
  aws: readAws,
  azure: readVault,
  ct: readLog,
}

const pageMilliseconds = 60_000

/**
 * Reads one page, with one end in time for all that is asked for it: all tenancies are read one after the other, and whoever answers slowly would hold the others. What
 * is aborted has failed.
 */
export async function readPage(
  house: House,
  kind: ProviderKind,
  asked: Omit<Asked, 'signal'>,
  signal: AbortSignal = AbortSignal.timeout(pageMilliseconds),
): Promise<ProviderPage> {
  try {
    return await readers[kind](house, { ...asked, signal })
  } catch (error) {
    if (signal.aborted) throw new ProviderError(say`It answers too slowly: a page of it takes longer than 60 seconds`, { cause: error })
    throw error
  }
}

export const secretPurpose = (id: string): string => `discovery.provider ${id}`

/** Goes on with each provider that is being read, and begins those whose time has come; each reads a few pages, so that none waits for another's end. */
export async function readTurn({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  let isMore = false
  const due = await withTenancy(house, tenantId, listDueProviders)
  await forEach(due, async ({ id }) => {
    if (performance.now() > until || (await readOn(house, tenantId, id, until))) isMore = true
  })
  return isMore ? 'more' : undefined
}

/** Answers whether there is more to read. An error of any kind ends the reading, because it would come again at the same page. */
async function readOn(house: House, tenantId: string, id: string, until: number): Promise<boolean> {
  try {
    return await readPages(house, tenantId, id, until)
  } catch (error) {
    if (error instanceof OutwardError || error instanceof ProviderError) return end(house, tenantId, id, 'failed', error.message)
    house.log.error({ error, provider: id }, 'the reading of a provider broke off')
    return end(house, tenantId, id, 'failed', `It could not be kept here: ${reasonOf(error)}`)
  }
}

async function readPages(house: House, tenantId: string, id: string, until: number): Promise<boolean> {
  const begun = await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    const row = await lockProvider(tenancy, id)
    if (row === undefined) return row
    await updateReading(tenancy, id, { turn_at: tenancy.now })
    if (row.state === 'running' || row.state === 'stopping' || row.state === 'paused') return row
    const { name } = row
    if (!isReading(row.state)) emitFor(discovery)('providerStarted', { providerId: id, name }, id)
    await updateReading(tenancy, id, beginningOf(row, tenancy.now, 'running'))
    return row
  })
  if (begun === undefined) return false
  for (let pages = 1; ; pages += 1) {
    const asked = await withTenancy(house, tenantId, async (tenancy) => {
      const row = await findProvider(tenancy, id)
      return row && { row, secret: await secretOf(house, tenancy, row), domains: await listProvedDomains(tenancy) }
    })
    if (asked === undefined || !isReading(asked.row.state)) return false
    if (asked.row.state === 'stopping') return end(house, tenantId, id, 'cancelled')
    const page = await readPage(house, asked.row.kind, { ...asked.row, secret: asked.secret, domains: asked.domains })
    if (storable(page.next) !== page.next) throw new ProviderError(say`It names a next page that cannot be kept`)
    const isKept = await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const locked = await lockProvider(tenancy, id)
      if (locked === undefined || locked.cursor !== asked.row.cursor || !isReading(locked.state)) return false
      const serves = (finding: Served) => emitFor(discovery)('servedAgain', finding, finding.findingId)
      const counts = await keepFound(tenancy, { provider: locked.kind, providerId: id }, page.found, serves)
      await updatePage(tenancy, id, { ...counts, refused: counts.refused + page.refused, cursor: page.next })
      return true
    })
    // Paused meanwhile, or begun anew: the page is read again when it goes on.
    if (!isKept) return true
    if (page.done) return end(house, tenantId, id, 'done', page.says)
    if (asked.row.pages + 1 >= mostPages[asked.row.kind]) return endFull(house, tenantId, asked.row, page)
    if (pages >= pagesATurn || performance.now() > until) return true
  }
}

/** A log keeps its place for the next reading; what is read from its beginning each time would come no further. */
const endFull = (house: House, tenantId: string, { id, kind }: ProviderRecord, { says }: ProviderPage): Promise<false> =>
  kind === 'ct'
    ? end(house, tenantId, id, 'done', says)
    : end(house, tenantId, id, 'failed', `After ${mostPages[kind]} pages there are still more: it is read no further`)

/** What a provider's row says when its reading begins. */
export const beginningOf = ({ every_hours: hours, kind, cursor }: ProviderRecord, now: Date, state: 'waiting' | 'running') => ({
  state,
  says: '',
  // A log is read on from where it was left.
  cursor: kind === 'ct' ? cursor : '',
  found: 0,
  fresh: 0,
  changed: 0,
  refused: 0,
  pages: 0,
  started_at: now,
  ended_at: null,
  next_at: hours === 0 ? null : new Date(now.getTime() + hours * 3_600_000),
})

export async function secretOf(house: House, { db, tenantId }: Tenancy, row: ProviderRecord): Promise<string> {
  const { id, sealed_secret: sealed, tenant_key_id: tenantKeyId } = row
  if (sealed === null || tenantKeyId === null) return ''
  return (await unsealForTenant(db, house, { tenantId, purpose: secretPurpose(id), sealed, tenantKeyId })).toString('utf8')
}

async function end(house: House, tenantId: string, id: string, state: 'done' | 'cancelled' | 'failed', says = ''): Promise<false> {
  await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    const row = await lockProvider(tenancy, id)
    if (row === undefined) return
    await updateReading(tenancy, id, {
      state,
      says: storable(says.slice(0, 500)),
      ended_at: tenancy.now,
      cursor: row.kind === 'ct' ? row.cursor : '',
    })
    const { name, found, fresh, changed } = row
    emitFor(discovery)('providerRead', { providerId: id, name, state, found, fresh, changed }, id)
  })
  return false
}

/** Writes what stands at places of a provider; what cannot be read is counted as refused. */
export async function keepFound(
  tenancy: Tenancy,
  { provider, providerId }: { provider: ProviderKind | 'file'; providerId: string },
  found: readonly Found[],
  served: (finding: Served) => void,
  refused: (certificate: Uint8Array) => void = () => undefined,
) {
  const trusted = await trustedOf(tenancy)
  const named = [...new Map(found.map((one) => [placeLine(one.place), { ...one, place: placeLine(one.place) }])).values()]
  const places = named.map(({ place }) => place)
  const chains = new Map<readonly Uint8Array[], Map<string, X509Certificate[]>>()
  const known = new Map((await findAtProvider(tenancy, { provider, providerId, places })).map((row) => [row.place, row]))
  const counts = { found: 0, fresh: 0, changed: 0, refused: 0 }
  for (const { place, certificate, chain } of named) {
    const leaf = readLeaf(certificate)
    const at = { address: null, port: 0, serverName: '', protocol: '', provider, providerId, place }
    const seen = leaf && readSeen(leaf, { ...at, trusted, chain: aboveOf(leaf, chain, chains), now: tenancy.now })
    if (seen === undefined) {
      refused(certificate)
      counts.refused += 1
      continue
    }
    counts.found += 1
    const effect = await keep(tenancy, known.get(place), seen, served)
    if (effect !== 'same') counts[effect] += 1
  }
  return counts
}

const mostAbove = 20
const mostOfOneName = 5

/** The few of a chain that may stand above a leaf. A chain is read once, because each of two thousand in a file comes with all of them. */
function aboveOf(
  leaf: X509Certificate,
  chain: readonly Uint8Array[],
  read: Map<readonly Uint8Array[], Map<string, X509Certificate[]>>,
): X509Certificate[] {
  let bySubject = read.get(chain)
  if (bySubject === undefined) {
    bySubject = Map.groupBy(
      chain.flatMap((der) => readLeaf(der) ?? []),
      ({ subject }) => subject,
    )
    read.set(chain, bySubject)
  }
  const above: X509Certificate[] = []
  for (let below = leaf; above.length < mostAbove;) {
    const next = (bySubject.get(below.issuer) ?? []).slice(0, mostOfOneName).filter((one) => !above.includes(one))
    const [first] = next
    if (first === undefined) break
    above.push(...next)
    below = first
  }
  return above
}

function readLeaf(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}
