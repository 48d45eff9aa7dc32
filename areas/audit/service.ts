// What other rooms may ask: the activity to show beside a record, and the newest of a tenancy.

import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { LogVerdict } from '#standards/audit-log/verify-log.ts'
import { countUnnumbered, eventsAbout, newestEvents } from './server/store.ts'
import { verifyDatabase } from './server/verify.ts'

export { forgetStoredCheckpoint } from './server/stored-checkpoint.ts'

export { findAboutAll, findBegun, type Begun } from './server/begun-store.ts'

export type Activity = {
  id: string
  at: Date
  actor: string
  address: string
  area: string
  name: string
  outcome: 'done' | 'refused' | 'failed'
  about: string
  body: string
}

/** The newest events whose `about` is this id, newest first. */
export const activityOf = async (db: Database, tenantId: string, about: string, limit: number): Promise<Activity[]> =>
  (await eventsAbout(db, tenantId, about, limit)).map(shown)

/** The newest events of the tenancy. */
export const recentActivity = async (db: Database, tenantId: string, limit: number): Promise<Activity[]> =>
  (await newestEvents(db, tenantId, limit)).map(shown)

const longestNumbering = 600_000

/** Verifies the whole log, against a checkpoint where there is one, once the sequencer has numbered what waits: so soon after a restore much may. */
export async function verifyOnceNumbered(house: House, checkpoint: string): Promise<LogVerdict> {
  const since = performance.now()
  while ((await countUnnumbered(house.auditor.database)) > 0 && performance.now() - since < longestNumbering) await wait(50)
  return verifyDatabase(house.auditor.database, { checkpoint: checkpoint === '' ? undefined : checkpoint }, undefined, house.now())
}

const shown = ({ id, at, actor, address, area, name, outcome, about, body }: Activity): Activity => ({
  id,
  at,
  actor,
  address,
  area,
  name,
  outcome,
  about,
  body,
})
