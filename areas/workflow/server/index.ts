import { findRequestPlace } from '#areas/certificates/service.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import { serve, type CallContext } from '#core/server/serve.ts'
import { workSources } from '#core/server/slots.ts'
import { workflow } from '../contract.ts'
import { countedTo, mostItems, skipOf } from '../rules.ts'
import { readTransactions } from './transactions.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export default serve(workflow, {
  items,

  async transactions(query, { tenancy, viewer, house }) {
    const limit = query['paging[limit]']
    const skip = skipOf({ page: query['paging[pageNumber]'], offset: query['paging[offset]'], limit })
    return readTransactions(
      { tenancy, viewer, house },
      {
        skip,
        take: limit,
        countTo: countedUpTo + 1,
        kind: query.kind,
        own: query.own === 'true',
        status: query.status,
        from: query.from === undefined ? undefined : new Date(query.from),
        until: query.until === undefined ? undefined : new Date(query.until),
      },
    )
  },

  async place({ ca, id }, { tenancy, viewer }) {
    const [caId, requestId] = [ca.toLowerCase(), id.toLowerCase()]
    if (!uuid.test(caId) || !uuid.test(requestId)) return {}
    const path = await findRequestPlace(tenancy, viewer, { caId, requestId })
    return path === undefined ? {} : { path, requestId }
  },
})

/** Each kind in a transaction of its own: one that fails takes no other with it. */
async function items(_input: object, { viewer, house, transact, request }: CallContext<typeof workflow, 'items'>) {
  const found = []
  const counts = []
  for (const { kind, needs, read } of house.offers(workSources)) {
    if (!satisfies(viewer.permission.api, needs)) continue
    try {
      const { items: some, count } = await transact(({ tenancy }) => read(tenancy, viewer, { most: mostItems, countTo: countedTo }))
      counts.push({ kind, count: Math.min(count, countedTo) })
      for (const { since, due, actions, ...item } of some.slice(0, mostItems))
        found.push({
          ...item,
          kind,
          since: since.toISOString(),
          ...(due === undefined ? {} : { due: due.toISOString() }),
          actions: actions.map(({ needsReason = false, input, ...action }) => ({ ...action, input: { ...input }, needsReason })),
        })
    } catch (error) {
      house.log.error({ error, kind, request: request.id }, 'what waits for a person could not be read')
      counts.push({ kind, count: -1 })
    }
  }
  const dueFirst = ({ due, since }: { due?: string; since: string }) => due ?? since
  return { workflowItems: found.toSorted((a, b) => (dueFirst(a) < dueFirst(b) ? -1 : 1)), counts }
}
