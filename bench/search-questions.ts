// What people ask of the inventory, in the shares in which they do: mostly its first page, then something typed, then filters, other pages and other orders.
// The same seed asks the same.

import type { Question } from './search-load.ts'
import { hostName, serialOf, subjectOf, type Tenant } from './search-rows.ts'

const kinds: { kind: string; share: number; ask(tenant: Tenant, chance: (below: number) => number): object }[] = [
  { kind: 'first', share: 25, ask: () => ({ size: 10 }) },
  { kind: 'textOne', share: 10, ask: (tenant, chance) => ({ size: 10, text: hostOf(tenant, chance) }) },
  {
    kind: 'pasted',
    share: 5,
    ask: (tenant, chance) => ({ size: 10, text: chance(2) === 0 ? subjectAt(chance(tenant.rows)) : sha1At(tenant, chance(tenant.rows)) }),
  },
  {
    kind: 'textFew',
    share: 10,
    ask: (tenant, chance) => ({
      size: 10,
      text: chance(2) === 0 ? beginningOf(hostOf(tenant, chance)) : serialOf(tenant.id, chance(tenant.rows)).slice(0, 6),
    }),
  },
  {
    kind: 'textMany',
    share: 10,
    ask: (_tenant, chance) => ({
      size: 10,
      text: ['web', 'mail', 'london', 'northwind', 'contoso lon', 'a', 'example', 'gateway ber'][chance(8)],
    }),
  },
  { kind: 'facets', share: 20, ask: (tenant, chance) => ({ size: 10, ...filterOf(tenant, chance) }) },
  { kind: 'page1000', share: 10, ask: (tenant, chance) => farBehind(tenant, [10, 100][chance(2)] ?? 10) },
  {
    kind: 'sorted',
    share: 10,
    ask: (_tenant, chance) => ({
      size: 25,
      page: 1 + chance(20),
      sort: ['name', 'notAfter', 'serialNumber', 'issuedAt'][chance(4)],
      direction: chance(2) === 0 ? 'asc' : 'desc',
    }),
  },
]

/** The thousandth page, or the last where there are fewer. */
const farBehind = (tenant: Tenant, size: number) => ({ page: Math.min(1000, Math.ceil(tenant.rows / size)), size })

/** The name of a machine. Every fifth is not there, as the row is a person's. */
const hostOf = (tenant: Tenant, chance: (below: number) => number): string => hostName(chance(tenant.rows))

/** As OpenSSL prints it. */
const subjectAt = (at: number): string => subjectOf(hostName(at), at).replaceAll(/([,=])/g, (sign) => (sign === ',' ? ', ' : ' = '))

/** Of none that is there, which is looked for in the same places. */
const sha1At = (tenant: Tenant, at: number): string =>
  `${serialOf(tenant.id, at)}${serialOf(tenant.id, at + 1)}`
    .slice(0, 40)
    .toUpperCase()
    .replaceAll(/..(?=.)/g, '$&:')

/** Without its last two digits. */
const beginningOf = (host: string): string => host.slice(0, host.indexOf('.') - 2)

function filterOf(tenant: Tenant, chance: (below: number) => number): object {
  const filters = [
    { status: ['active'] },
    { status: ['expiring'] },
    { status: ['revoked'] },
    { status: ['expired', 'revoked'] },
    { templateId: [tenant.templateIds[chance(tenant.templateIds.length)]] },
    { expires: 'week' },
    { caId: [tenant.caIds[chance(2)]], status: ['active'] },
    { templateId: tenant.templateIds.slice(0, 2), expires: 'quarter' },
  ]
  return filters[chance(filters.length)] ?? {}
}

/** Half of them in the largest tenancy, the others in the middling ones. */
export function questionsAbout(tenants: readonly Tenant[], count: number, seed: number): Question[] {
  let state = (seed + 1) * 0x9e3779b1
  const chance = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((state >>> 8) / 2 ** 24) * below)
  }
  return Array.from({ length: count }, () => {
    const tenant = tenants[chance(2) === 0 ? 0 : chance(tenants.length)] as Tenant
    let left = chance(100)
    const { kind, ask } = kinds.find(({ share }) => (left -= share) < 0) ?? (kinds[0] as (typeof kinds)[number])
    return { kind, token: tenant.token, body: ask(tenant, chance), mustFind: kind !== 'textOne' && kind !== 'textFew' && kind !== 'pasted' }
  })
}
