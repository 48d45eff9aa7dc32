import { countByMailDomain } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { offer } from '#core/contract/slots.ts'
import type { Gathered } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { unicodeName } from '#standards/dns/unicode-name.ts'
import { domains } from '../contract.ts'
import { claimEnds, fileUrls, peopleUse, proofText, readDomain, recordName, soughtName } from '../rules.ts'
import { claimDomain } from '../service.ts'
import { domainUses } from '../uses.ts'
import { seekProof } from './proof.ts'
import { recheck, releaseHolder, settle } from './settle.ts'
import {
  deleteDomain,
  deleteProof,
  findDomain,
  findDomains,
  insertProof,
  listNames,
  lockDomain,
  pageOfDomains,
  updateDomain,
  type DomainRecord,
} from './store.ts'

const mostDomains = 500

export default serve(
  domains,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await pageOfDomains(tenancy, { ...question, text: soughtName(question.text) })
      return { rows: rows.map(presentDomain), total }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findDomain(tenancy, id)) ?? fault('missing')
      return {
        ...presentDomain(row),
        version: row.version,
        recordName: recordName(row.name),
        fileUrl: fileUrls(row.name)[0] ?? '',
        proofText: proofText(row.token),
        ...(row.state === 'claimed' ? { claimEnds: claimEnds(row.added_at).toISOString() } : {}),
        seen: row.seen,
      }
    },

    async add({ name: typed }, { tenancy, emit, fault }) {
      const name = readDomain(typed) ?? fault('notADomain')
      if ((await listNames(tenancy)).length >= mostDomains) fault('tooMany', { params: { most: mostDomains } })
      const id = await claimDomain(tenancy, name)
      emit('added', { domainId: id, name }, id)
      return { id }
    },

    async change({ id, includesSubdomains, version }, { tenancy, emit, fault }) {
      const row = (await lockDomain(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      if (includesSubdomains && row.state === 'proved' && row.proof !== 'dns') fault('wantsDns')
      await updateDomain(tenancy, id, { includes_subdomains: includesSubdomains })
      if (row.state === 'proved')
        await insertProof(tenancy.db, {
          name: row.name,
          tenant_id: tenancy.tenantId,
          domain_id: id,
          includes_subdomains: includesSubdomains,
        })
      emit('changed', { domainId: id, name: row.name, includesSubdomains }, id)
      return {}
    },

    async check({ id }, { house, viewer, transact, fault }) {
      const row = (await withTenancy(house, viewer.tenantId, (tenancy) => findDomain(tenancy, id))) ?? fault('missing')
      const outcome = await seekProof(house, row)
      const write = () => transact(({ tenancy, emit }) => settle({ tenancy, emit, house, counted: false }, id, outcome))
      let settled = await write()
      if (settled?.elsewhere === true && (await releaseHolder(house, row.name))) settled = await write()
      if (settled === undefined) return fault('missing')
      if (settled.elsewhere === true) return fault('provedElsewhere')
      return { state: settled.state, proved: outcome.proof !== undefined, seen: outcome.seen }
    },

    async remove({ id }, { tenancy, house, emit, fault }) {
      const row = (await lockDomain(tenancy, id)) ?? fault('missing')
      const found = await usesOf(house.offers, tenancy, [row.name], true)
      const uses = (found[row.name] ?? []).map(({ kind, count }) => `${kind} (${count})`).join(', ')
      if (uses !== '') fault('inUse', { params: { uses } })
      await deleteProof(tenancy.db, id)
      await deleteDomain(tenancy, id)
      emit('removed', { domainId: id, name: row.name }, id)
      return {}
    },

    use: async (_input, { tenancy, house }) => ({ domains: await usesOf(house.offers, tenancy, await listNames(tenancy)) }),
  },
  {
    jobs: { recheck: { inTenancy: recheck } },
    offers: [
      offer(domainUses, {
        kind: peopleUse,
        blocks: false,
        path: to(searchScreen, { searchType: 'user' }),
        count: ({ db, tenantId }, names) => countByMailDomain(db, tenantId, names),
      }),
    ],
    records: {
      domain: {
        names: async (tenancy, ids) =>
          (await findDomains(tenancy, ids)).map(({ id, name }) => ({ id, name: unicodeName(name), path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await found(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await found(tenancy, text, most)).map(({ id, name }) => {
            const label = unicodeName(name)
            return { id, label, detail: label === name ? '' : name, path: pathOf(id) }
          }),
      },
    },
  },
)

const pathOf = (id: string): string => to(domains.screens.view, { id })

const found = async (tenancy: Tenancy, text: string, most: number): Promise<DomainRecord[]> =>
  (await pageOfDomains(tenancy, { page: 1, size: most, text: soughtName(text), direction: 'asc' })).rows

const presentDomain = (row: DomainRecord) => ({
  id: row.id,
  name: row.name,
  shownName: unicodeName(row.name),
  state: row.state,
  ...(row.proof === null ? {} : { proof: row.proof }),
  ...(row.proved_at === null ? {} : { provedAt: row.proved_at.toISOString() }),
  ...(row.checked_at === null ? {} : { checkedAt: row.checked_at.toISOString() }),
  includesSubdomains: row.includes_subdomains,
  failures: row.failures,
  addedAt: row.added_at.toISOString(),
})

type Use = { kind: string; count: number; path: string }

/** What uses each of the domains. `blocking`: that alone which keeps a domain in the list. */
async function usesOf(offers: Gathered, tenancy: Tenancy, names: readonly string[], blocking = false): Promise<Record<string, Use[]>> {
  const uses = new Map<string, Use[]>(names.map((name) => [name, []]))
  if (names.length === 0) return {}
  for (const { kind, blocks, path, count } of offers(domainUses)) {
    if (blocking && !blocks) continue
    for (const [name, counted] of await count(tenancy, names)) if (counted > 0) uses.get(name)?.push({ kind, count: counted, path })
  }
  return Object.fromEntries(uses)
}
