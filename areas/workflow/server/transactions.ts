// What was begun and what has become of it: from the audit log when it began and its steps, from the room whose it is how it stands.

import { findAboutAll, findBegun, type Begun } from '#areas/audit/service.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { EventRow } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { transactionSources, type TransactionSource, type TransactionState } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

type Asking = { tenancy: Tenancy; viewer: Viewer; house: House }
type Question = {
  skip: number
  take: number
  countTo: number
  kind: string | undefined
  own: boolean
  status: TransactionState['status'] | undefined
  from: Date | undefined
  until: Date | undefined
}

/** How a transaction stands its room alone knows: of so many, the newest, those that stand so are looked for. */
const mostLookedAt = 500

/** Of one page at most: a thing with more steps shows the newest. */
const mostSteps = 2_000

const idIn = ({ body }: EventRow, field: string): string => {
  const value = bodyOf(body)
  return typeof value === 'object' && value !== null && field in value ? String(value[field as keyof typeof value]) : ''
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function readTransactions({ tenancy, viewer, house }: Asking, { kind, own, status, countTo, ...page }: Question) {
  const { db, tenantId } = tenancy
  const sources = house.offers(transactionSources)
  const asked = sources.filter((source) => kind === undefined || kind === '' || source.kind === kind)
  const begun = asked.flatMap((source): Begun[] => {
    const onlyOwn = own || !satisfies(viewer.permission.api, source.needs)
    return source.begins.map((name) => ({ area: source.area, name, ...(onlyOwn ? { by: viewer.userId } : {}) }))
  })
  const part = status === undefined ? page : { ...page, skip: 0, take: mostLookedAt }
  const { rows, total: begunInAll } = await findBegun(db, tenantId, begun, { ...part, countTo })
  const sourceOf = ({ area, name }: EventRow) => asked.find((source) => source.area === area && source.begins.includes(name))
  const states = new Map<TransactionSource, ReadonlyMap<string, TransactionState>>()
  for (const source of asked) {
    const ids = rows.filter((row) => sourceOf(row) === source).map((row) => idIn(row, source.idField))
    if (ids.length > 0) states.set(source, await source.describe(tenancy, viewer, ids))
  }
  const described = rows.flatMap((row) => {
    const source = sourceOf(row)
    const id = source === undefined ? '' : idIn(row, source.idField)
    const state = source === undefined ? undefined : states.get(source)?.get(id)
    return source === undefined || state === undefined ? [] : [{ row, source, id, state }]
  })
  const standing = described.filter(({ state }) => status === undefined || state.status === status)
  const known = status === undefined ? standing : standing.slice(page.skip, page.skip + page.take)
  const total = status === undefined ? begunInAll : standing.length
  const abouts = known.flatMap(({ row, state: { further } }) => [row.about, ...(further === undefined ? [] : [further])])
  const events = await findAboutAll(db, tenantId, [...new Set(abouts)], mostSteps)
  const says = (event: EventRow): string => house.contracts.find(({ area }) => area === event.area)?.events[event.name]?.says ?? event.name
  return {
    transactions: known.map(({ row, source, id, state: { title, status, endedAt, link } }) => ({
      transactionId: id,
      kind: source.kind,
      title,
      status,
      startedAt: row.at.toISOString(),
      ...(endedAt === undefined ? {} : { endedAt: endedAt.toISOString() }),
      by: row.actor,
      ...(link === undefined ? {} : { link }),
      steps: events
        .filter((event) => event.id === row.id || idIn(event, source.idField) === id)
        .map((event) => ({ at: event.at.toISOString(), what: says(event), by: event.actor, outcome: event.outcome })),
    })),
    total: Math.min(total, countedUpTo),
    more: begunInAll > (status === undefined ? countedUpTo : mostLookedAt),
    kinds: sources.map((source) => source.kind),
  }
}
