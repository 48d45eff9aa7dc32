// What of the rows leaves the server.

import { wallTime } from '#core/contract/wall-time.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { minutesOf, type Move } from '../rules.ts'
import { listEntries, listSteps, type EntryRecord, type Of, type WeekRecord } from './store.ts'

export const presentEntry = ({ id, begins, ends, break_minutes: breakMinutes, activity, project, note }: EntryRecord, zone: string) => {
  const from = wallTime(begins, zone)
  return {
    id,
    day: from.day,
    from: from.time,
    to: wallTime(ends, zone).time,
    start: begins.toISOString(),
    end: ends.toISOString(),
    breakMinutes,
    minutes: minutesOf({ begins, ends }, breakMinutes),
    activity,
    project,
    note,
  }
}

/** A week that was never saved is an empty draft. */
export async function presentSheet(
  tenancy: Tenancy,
  of: Of & { username: string },
  row: WeekRecord | undefined,
  zone: string,
  moves: readonly Move[],
) {
  const [entries, steps] = row === undefined ? [[], []] : [await listEntries(tenancy, of), await listSteps(tenancy, of)]
  return {
    userId: of.userId,
    username: row?.username ?? of.username,
    week: of.week,
    zone,
    state: row?.state ?? ('draft' as const),
    affirmedEmpty: row?.affirmed_empty ?? false,
    minutes: row?.minutes ?? 0,
    version: row?.version ?? 0,
    entries: entries.map((entry) => presentEntry(entry, zone)),
    history: steps.map(({ at, by_name: by, what, reason }) => ({ at: at.toISOString(), by, what, reason })),
    moves: [...moves],
  }
}

export const presentRow = (row: WeekRecord) => ({
  userId: row.user_id,
  username: row.username,
  week: row.week,
  state: row.state,
  minutes: row.minutes,
  affirmedEmpty: row.affirmed_empty,
  changedAt: row.changed_at.toISOString(),
})
