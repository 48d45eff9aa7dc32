// What people of the management tenancy do to another stands in that tenancy's log as well as in their own: its people are not to learn from
// a stranger's log who made their tenancy and who came in.

import type { sessions } from '#areas/sessions/contract.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import type { BodyOf } from '#core/contract/contract.ts'
import type { Database } from '#core/server/database.ts'
import { doneEvent, isRecorded, writeEvents } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { EventDelivery } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { setup } from '../contract.ts'

type Maker = { userId: string; name: string; address: string; requestId: string }

/** The first two rows of a new tenancy's log. The open transaction stands in that tenancy. */
export async function beginLog(
  db: Database,
  { tenancyId, userId }: { tenancyId: string; userId: string },
  maker: Maker,
  now: Date,
): Promise<void> {
  const row = (name: string, about: string) => doneEvent(now, maker, { area: setup.area, name, body: { tenancyId, userId }, about })
  await writeEvents(db, tenancyId, [row('tenancyAdded', tenancyId), row('administratorAdded', userId)])
}

/** Somebody came into a tenancy that is not the own one, or went out of it. */
export async function recordVisit(delivery: EventDelivery<BodyOf<typeof sessions.events.switched>>, house: House): Promise<void> {
  const { from } = delivery.body
  if (from === delivery.about) return
  if (from !== undefined) await recordIn(from, 'left', delivery, house)
  await recordIn(delivery.about, 'visited', delivery, house)
}

async function recordIn(tenantId: string, name: 'visited' | 'left', { id, actor, actorId }: EventDelivery, house: House): Promise<void> {
  const visited = await findTenancy(house.database, tenantId)
  const home = visited?.managedBy === undefined ? undefined : await findTenancy(house.database, visited.managedBy)
  if (visited === undefined || home === undefined) return
  await house.work(visited.id, { userId: actorId, name: actorOf({ username: actor, homeName: home.name }) }, async ({ db, emitFor }) => {
    // Delivered a second time.
    if (!(await isRecorded(db, visited.id, { area: setup.area, name, about: id }))) emitFor(setup)(name, { switchId: id }, id)
  })
}
