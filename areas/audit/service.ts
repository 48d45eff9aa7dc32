// What other rooms may ask: the activity to show beside a record, and the newest of a tenancy.

import type { Database } from '#core/server/database.ts'
import { eventsAbout, newestEvents } from './server/store.ts'

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
