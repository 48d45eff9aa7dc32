// Each refused attempt to change something leaves a row, in a transaction of its own. Floods are summed up: of the same refusal only
// the first few of a minute get a row each, the rest one row with their number, so that nobody anonymous fills the log.

import { inTenant } from './database.ts'
import { installationTenant, writeEvents, type NewEvent } from './events.ts'
import type { Exchange } from './exchange.ts'
import type { Fault } from './fault.ts'
import type { House } from './house.ts'
import { networkOf } from './limits.ts'

const rowsEach = 5
const windowMilliseconds = 60_000
const checkEveryMilliseconds = 5_000

type Flood = { tenantId: string; event: NewEvent; seen: number; windowEnds: number }

export type Refusals = { record(exchange: Exchange, fault: Fault): Promise<void>; close(): Promise<void> }

export function watchRefusals(house: House): Refusals {
  const floods = new Map<string, Flood>()

  const write = (tenantId: string, event: NewEvent) =>
    inTenant(house.database, tenantId, (database) => writeEvents(database, tenantId, [event]))

  async function sumUp(due: (flood: Flood) => boolean): Promise<void> {
    for (const [key, flood] of floods) {
      if (!due(flood)) continue
      floods.delete(key)
      const more = flood.seen - rowsEach
      if (more <= 0) continue
      try {
        await write(flood.tenantId, { ...flood.event, body: JSON.stringify({ ...JSON.parse(flood.event.body), more }) })
      } catch (error) {
        floods.set(key, { ...flood, seen: flood.seen + (floods.get(key)?.seen ?? 0) })
        throw error
      }
    }
  }

  // A flood that ended is summed up although nobody is refused after it.
  const timer = setInterval(() => {
    const now = house.now().getTime()
    sumUp((flood) => flood.windowEnds <= now).catch((error: unknown) =>
      house.log.error({ error }, 'refused attempts could not be summed up'),
    )
  }, checkEveryMilliseconds).unref()

  return {
    async record(exchange, fault) {
      const { route } = exchange.match
      const [area, name] = route.kind === 'call' ? [route.binding.call.area, route.binding.call.name] : ['endpoint', route.endpoint.name]
      const tenantId = exchange.scope.tenantId ?? installationTenant
      const event: NewEvent = {
        at: exchange.now,
        actor_id: exchange.scope.actorId ?? null,
        actor: exchange.scope.actor,
        address: exchange.facts.address,
        area,
        name,
        outcome: fault.status >= 500 ? 'failed' : 'refused',
        about: '',
        body: JSON.stringify({ code: fault.code, ...fault.detail.params }),
        request_id: exchange.facts.id,
      }
      const now = exchange.now.getTime()
      await sumUp((flood) => flood.windowEnds <= now)
      const key = [tenantId, event.actor_id ?? networkOf(event.address), area, name, fault.code].join(' ')
      const flood = floods.get(key) ?? { tenantId, event, seen: 0, windowEnds: now + windowMilliseconds }
      floods.set(key, { ...flood, event, seen: flood.seen + 1 })
      if (flood.seen < rowsEach) await write(tenantId, event)
    },
    async close() {
      clearInterval(timer)
      await sumUp(() => true)
    },
  }
}
