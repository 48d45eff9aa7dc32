// What was found for the names of the tenancy's own domains, and who issued it.

import { X509Certificate } from 'node:crypto'
import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { listDomainNames, listProvedDomains } from '#areas/domains/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { countByDomain } from './finding-store.ts'
import { nameLine } from './probe.ts'

const mostRows = 5_000
const mostIssuers = 20

export async function reportOnDomains(tenancy: Tenancy) {
  const names = await listDomainNames(tenancy)
  const proved = new Set(await listProvedDomains(tenancy))
  const issuers = await listUsableIssuers(tenancy.db, tenancy.tenantId, tenancy.now)
  const owners = issuers.map(({ certificate }) => nameLine(new X509Certificate(certificate).subject ?? ''))
  const counted = Map.groupBy(await countByDomain(tenancy, { domains: names, owners, most: mostRows }), ({ domain }) => domain)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    domains: names.map((name) => {
      const rows = (counted.get(name) ?? []).map(({ domain: _domain, ...row }) => row)
      return {
        name,
        proved: proved.has(name),
        found: sum(rows.map(({ found }) => found)),
        elsewhere: sum(rows.map((row) => (row.own ? 0 : row.found))),
        untrusted: sum(rows.map(({ untrusted }) => untrusted)),
        issuers: rows.slice(0, mostIssuers),
      }
    }),
  }
}
