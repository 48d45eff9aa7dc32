// What a handler leaves behind besides its answer: events to record, and actions for after the commit.

import type { AnyContract, Call } from '#core/contract/contract.ts'
import type { AfterCommit } from './after-commit.ts'
import { doneEvent, type NewEvent } from './events.ts'
import type { Exchange } from './exchange.ts'

type Emitted = { area?: string; event: string; body: unknown; about: string }
type EventScope = { actorId: string | undefined; actor: string }

export type Collected = ReturnType<typeof collectWork>

export function collectWork() {
  const events: Emitted[] = []
  const actions: AfterCommit[] = []
  return {
    face: {
      emit: (event: string, body: unknown, about = '') => void events.push({ event, body, about }),
      emitFor:
        ({ area }: AnyContract) =>
        (event: string, body: unknown, about = '') =>
          void events.push({ area, event, body, about }),
      afterCommit: (action: AfterCommit) => void actions.push(action),
    },
    actions,
    emitted: () => events.length,
    /**
     * The rows of this work; where the handler emitted nothing, one that names the call and the ids in it. Where nobody is known to have
     * acted (a sign-out without a session) there is nothing to record, and nobody anonymous who repeats it fills the log.
     */
    rows(exchange: Exchange, scope: EventScope, call: Call, answer: unknown): NewEvent[] {
      const automatic: Emitted[] = scope.actorId === undefined ? [] : [{ event: call.name, body: idsIn(exchange.input, answer), about: '' }]
      const at = exchange.house.now()
      const actor = { userId: scope.actorId, name: scope.actor, address: exchange.facts.address, requestId: exchange.facts.id }
      const listed = events.length > 0 ? events : automatic
      return listed.map(({ area = call.area, event: name, body, about }) => doneEvent(at, actor, { area, name, body, about }))
    },
  }
}

/** Only the ids, so that no secret and no personal data reaches the log by accident. */
function idsIn(...values: unknown[]): Record<string, string | number> {
  const ids: Record<string, string | number> = {}
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    for (const [name, field] of Object.entries(value)) {
      if (/id$/i.test(name) && (typeof field === 'string' || typeof field === 'number')) ids[name] = field
    }
  }
  return ids
}
