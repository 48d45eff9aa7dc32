// Certificates that are alike in what a list can be filtered by make one cell: template, authority, state, and the stretch of time in which they end. Totals
// and facets are sums over cells, which come from the kept counters (count-store.ts) or from what a text finds.

import { certificateStatuses, expiryWindows, type CertificateStatus, type ExpiryWindow } from '../../rules.ts'
import { fitsTrait, traitValues, type TraitFilter } from '../../traits.ts'

export const stretches = ['past', ...(Object.keys(expiryWindows) as ExpiryWindow[]), 'later'] as const
type Stretch = (typeof stretches)[number]
/** `replaced`: valid, and another has taken its place; `pendingReplaced` the same of one that is not valid yet. */
export const states = ['valid', 'pending', 'revoked', 'onHold', 'replaced', 'pendingReplaced'] as const

/** So many certificates are alike in what a list can be filtered by. */
export type Cell = {
  templateId: string | undefined
  caId: string | undefined
  state: (typeof states)[number]
  ends: Stretch
  traits: number
  count: number
}

/** What `cellsOf` can answer for: a text or a stretch of one's own needs the certificates themselves. */
export type CountedFilter = {
  status?: readonly CertificateStatus[] | undefined
  templateId?: readonly string[] | undefined
  caId?: readonly string[] | undefined
  expires?: ExpiryWindow | undefined
} & TraitFilter

const day = 86_400_000
/** In the counters, of what has no template or authority. */
export const none = '00000000-0000-0000-0000-000000000000'
export const later = (at: Date, days: number) => new Date(at.getTime() + days * day)

/** The moments at which the stretches end, the first being now. */
export const limitsAt = (now: Date): Date[] => [now, ...Object.values(expiryWindows).map((days) => later(now, days))]

/** A cell as the database writes it: places in `states` and `stretches`. */
export type CellRow = { template_id: string; ca_id: string; state: number; stretch: number; traits: number; count: number }

export const readCell = ({ template_id, ca_id, state, stretch, traits, count }: CellRow): Cell => ({
  templateId: template_id === none ? undefined : template_id,
  caId: ca_id === none ? undefined : ca_id,
  state: states[state] ?? 'valid',
  ends: stretches[stretch] ?? 'later',
  traits: Number(traits),
  count: Number(count),
})

const statusOfStretch: Record<Stretch, CertificateStatus> = {
  past: 'expired',
  week: 'expiring',
  month: 'expiring',
  quarter: 'active',
  year: 'active',
  later: 'active',
}

/** As `certificateStatus` has it. */
export function statusOf({ state, ends }: Cell): CertificateStatus {
  if (state === 'valid' || (state === 'onHold' && ends === 'past')) return statusOfStretch[ends]
  if (state === 'replaced') return ends === 'past' ? 'expired' : 'active'
  return state === 'pendingReplaced' ? 'pending' : state
}

const isIn = (cell: Cell, window: ExpiryWindow): boolean =>
  (cell.state === 'valid' || cell.state === 'pending') && cell.ends !== 'past' && stretches.indexOf(cell.ends) <= stretches.indexOf(window)

const tests: { readonly [F in keyof CountedFilter]-?: (cell: Cell, filter: CountedFilter) => boolean } = {
  status: (cell, { status = [] }) => status.length === 0 || status.includes(statusOf(cell)),
  templateId: ({ templateId }, { templateId: wanted = [] }) =>
    wanted.length === 0 || (templateId !== undefined && wanted.includes(templateId)),
  caId: ({ caId }, { caId: wanted = [] }) => wanted.length === 0 || (caId !== undefined && wanted.includes(caId)),
  expires: (cell, { expires }) => expires === undefined || isIn(cell, expires),
  key: ({ traits }, filter) => fitsTrait(traits, 'key', filter),
  source: ({ traits }, filter) => fitsTrait(traits, 'source', filter),
  usage: ({ traits }, filter) => fitsTrait(traits, 'usage', filter),
  lint: ({ traits }, filter) => fitsTrait(traits, 'lint', filter),
}
const filterNames = Object.keys(tests) as (keyof CountedFilter)[]

/** When the first certificate comes into the stretch before its own, as milliseconds: from the first end in each stretch. */
export const nextCrossing = (firstEnds: readonly { stretch: number; at: number }[]): number => {
  const before = limitsAt(new Date(0)).map(Number)
  return Math.min(...firstEnds.flatMap(({ stretch, at }) => (stretch === 0 ? [] : [at - (before[stretch - 1] ?? 0)])))
}

export const fits = (cell: Cell, filter: CountedFilter, but?: keyof CountedFilter): boolean =>
  filterNames.every((name) => name === but || tests[name](cell, filter))

export const sum = (cells: readonly Cell[]): number => cells.reduce((total, { count }) => total + count, 0)

export const totalOf = (cells: readonly Cell[], filter: CountedFilter): number => sum(cells.filter((cell) => fits(cell, filter)))

/** For each filter its values with the count that choosing one would show: the other filters hold, its own does not. */
export function facetsOf(cells: readonly Cell[], filter: CountedFilter): Record<keyof CountedFilter, Record<string, number>> {
  const facet = (
    name: keyof CountedFilter,
    values: readonly string[],
    valuesOf: (cell: Cell) => readonly (string | undefined)[],
  ): Record<string, number> => {
    const counts: Record<string, number> = Object.fromEntries(values.map((value) => [value, 0]))
    for (const cell of cells)
      if (fits(cell, filter, name))
        for (const value of valuesOf(cell)) if (value !== undefined) counts[value] = (counts[value] ?? 0) + cell.count
    // What was taken off to the last is no value of the filter any more.
    return Object.fromEntries(Object.entries(counts).filter(([value, count]) => count !== 0 || values.includes(value)))
  }
  const windows = Object.keys(expiryWindows) as ExpiryWindow[]
  return {
    status: facet('status', certificateStatuses, (cell) => [statusOf(cell)]),
    templateId: facet('templateId', filter.templateId ?? [], ({ templateId }) => [templateId]),
    caId: facet('caId', filter.caId ?? [], ({ caId }) => [caId]),
    expires: facet('expires', windows, (cell) => windows.filter((window) => isIn(cell, window))),
    key: facet('key', filter.key ?? [], ({ traits }) => traitValues(traits, 'key')),
    source: facet('source', filter.source ?? [], ({ traits }) => traitValues(traits, 'source')),
    usage: facet('usage', filter.usage ?? [], ({ traits }) => traitValues(traits, 'usage')),
    lint: facet('lint', filter.lint ?? [], ({ traits }) => traitValues(traits, 'lint')),
  }
}
