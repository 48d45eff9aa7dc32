// Work in the past: one transaction of one tenancy whose records bear the times that the story gives them, not the time of writing.

import type { AnyContract } from '#core/contract/contract.ts'
import { enterTenant, type Database } from '#core/server/database.ts'
import { doneEvent, writeEvents, type NewEvent } from '#core/server/events.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Emit } from '#core/server/serve.ts'

export type PastWork = { db: Database; emitAt<C extends AnyContract>(contract: C, at: Date, actor: Actor): Emit<C> }

export function workInThePast<T>(house: House, tenantId: string, action: (work: PastWork) => Promise<T>): Promise<T> {
  const events: NewEvent[] = []
  return house.database.transaction().execute(async (db) => {
    await enterTenant(db, tenantId)
    const result = await action({
      db,
      emitAt:
        ({ area }, at, { userId, name: actor }) =>
        (name, body, about) =>
          void events.push(doneEvent(at, { userId, name: actor }, { area, name, body, about })),
    })
    await writeEvents(db, tenantId, events)
    return result
  })
}

/** The house as it was then: its clock stands still, and what is done through it is dated by that clock. */
export const houseAt = (house: House, then: Date): House => ({
  ...house,
  now: () => then,
  work: (tenantId, actor, action) =>
    workInThePast(house, tenantId, ({ db, emitAt }) =>
      action({ db, tenancy: { db, tenantId, now: then }, emitFor: (contract) => emitAt(contract, then, actor), afterCommit: () => {} }),
    ),
})
