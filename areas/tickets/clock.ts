// When a ticket is due: a pure function of what happened to it. Only business hours count, and only while the ticket waits for those who handle it.

import { momentOf, offsetAt, wallTime } from '#core/contract/wall-time.ts'

/** Minutes of the day; `to` may be 1440, the end of the day. */
export type Hours = { from: number; to: number }
/** `week`: the hours of each day, Monday first. `holidays`: days such as 2026-12-25. */
export type Calendar = { zone: string; week: readonly (readonly Hours[])[]; holidays: readonly string[] }
/** In minutes of business hours; 0 is no target. */
export type Policy = { calendar: Calendar; response: number; resolution: number }

/** `pause`: it waits for the requester. `policy`: what was used counts on, by the policy that held then. */
export const clockKinds = ['start', 'pause', 'resume', 'stop', 'policy'] as const
export type ClockEvent = { at: Date; kind: (typeof clockKinds)[number]; /** Of `start` and `policy`. */ policy?: Policy }

export type Dues = { response?: Date; resolution?: Date }

const minute = 60_000
const wholeDay = 86_400_000
/** What is not reached in so many days has no due time: a calendar may have no hours at all. */
const mostDays = 1_100

type Span = readonly [from: number, to: number]

const spansOfDays = new WeakMap<Calendar, Map<string, readonly Span[]>>()

const nextDay = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + wholeDay).toISOString().slice(0, 10)

/** The business hours of one day as moments. In a night in which clocks change, what the clock on the wall shows decides. */
function spansOf(calendar: Calendar, day: string): readonly Span[] {
  let kept = spansOfDays.get(calendar)
  if (kept === undefined) spansOfDays.set(calendar, (kept = new Map()))
  const known = kept.get(day)
  if (known !== undefined) return known
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const hours = calendar.holidays.includes(day) ? [] : (calendar.week[(new Date(midnight).getUTCDay() + 6) % 7] ?? [])
  const spans =
    hours.length === 0
      ? []
      : evenParts(calendar.zone, day).flatMap(([from, to, offset]) =>
          hours.flatMap((one): Span[] => {
            const begins = Math.max(from, midnight + one.from * minute - offset)
            const ends = Math.min(to, midnight + one.to * minute - offset)
            return begins < ends ? [[begins, ends]] : []
          }),
        )
  const sorted = spans.toSorted(([one], [other]) => one - other)
  kept.set(day, sorted)
  return sorted
}

/** A day in the parts in which the clock on the wall goes evenly: one, or two where it is put forward or back. */
function evenParts(zone: string, day: string): [from: number, to: number, offset: number][] {
  const from = momentOf({ day, time: '00:00' }, zone).getTime()
  const to = momentOf({ day: nextDay(day), time: '00:00' }, zone).getTime()
  const [first, last] = [offsetAt(from, zone), offsetAt(to - minute, zone)]
  if (first === last) return [[from, to, first]]
  let [before, after] = [from, to - minute]
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / 2 / minute) * minute
    if (offsetAt(middle, zone) === first) before = middle
    else after = middle
  }
  return [
    [from, after, first],
    [after, to, last],
  ]
}

/** A week without any is never searched, since each message of a ticket would look through years of it again. */
const hasHours = ({ week }: Calendar): boolean => week.some((hours) => hours.length > 0)

/** The moment at which so many milliseconds of business hours are over; undefined where `until` comes first, or they never are. */
function after(calendar: Calendar, since: number, milliseconds: number, until = Number.POSITIVE_INFINITY): number | undefined {
  if (!hasHours(calendar)) return undefined
  let left = milliseconds
  let { day } = wallTime(new Date(since), calendar.zone)
  for (let days = 0; days < mostDays; days += 1, day = nextDay(day))
    for (const [from, to] of spansOf(calendar, day)) {
      const begins = Math.max(from, since)
      if (begins >= until) return undefined
      const ends = Math.min(to, until)
      if (ends <= begins) continue
      if (ends - begins >= left) return begins + left
      left -= ends - begins
    }
  return undefined
}

/** Milliseconds of business hours between two moments. */
export function businessTime(calendar: Calendar, from: Date, to: Date): number {
  if (!hasHours(calendar)) return 0
  let sum = 0
  const { day: last } = wallTime(to, calendar.zone)
  for (let { day } = wallTime(from, calendar.zone); day <= last; day = nextDay(day))
    for (const [begins, ends] of spansOf(calendar, day)) sum += Math.max(0, Math.min(ends, to.getTime()) - Math.max(begins, from.getTime()))
  return sum
}

export const addBusiness = (calendar: Calendar, start: Date, minutes: number): Date | undefined => {
  const at = after(calendar, start.getTime(), minutes * minute)
  return at === undefined ? undefined : new Date(at)
}

/** While the clock ran, by one calendar. `fresh`: it had been paused or stopped before, so that an answer is due anew. */
type Run = { calendar: Calendar; from: Date; to: Date | undefined; fresh: boolean }

/** When an answer and the end are due. A clock that is paused or stopped has no due time unless it had run out by then. */
export function duesOf(events: readonly ClockEvent[]): Dues {
  const runs: Run[] = []
  let policy: Policy | undefined
  let state: 'idle' | 'running' | 'paused' | 'stopped' = 'idle'
  const begin = (from: Date, fresh: boolean) =>
    policy === undefined ? undefined : runs.push({ calendar: policy.calendar, from, to: undefined, fresh })
  const end = (at: Date) => {
    const last = runs.at(-1)
    if (last !== undefined && last.to === undefined) last.to = at
  }
  for (const event of events) {
    if (event.policy !== undefined) policy = event.policy
    if (event.kind === 'policy') {
      if (state !== 'running') continue
      end(event.at)
      begin(event.at, false)
    } else if (event.kind === 'start' || event.kind === 'resume') {
      if (state === 'running') continue
      begin(event.at, true)
      state = 'running'
    } else {
      if (state === 'stopped') continue
      end(event.at)
      state = event.kind === 'pause' ? 'paused' : 'stopped'
    }
  }
  if (policy === undefined || state === 'stopped') return {}
  const sinceAnswer = runs.slice(runs.findLastIndex(({ fresh }) => fresh))
  const response = state === 'running' ? reached(sinceAnswer, policy.response) : undefined
  const resolution = reached(runs, policy.resolution)
  return { ...(response === undefined ? {} : { response }), ...(resolution === undefined ? {} : { resolution }) }
}

/** The moment at which the runs together reach the target. */
function reached(runs: readonly Run[], minutes: number): Date | undefined {
  if (minutes === 0) return undefined
  let left = minutes * minute
  for (const { calendar, from, to } of runs) {
    const at = after(calendar, from.getTime(), left, to?.getTime())
    if (at !== undefined) return new Date(at)
    if (to === undefined) return undefined
    left -= businessTime(calendar, from, to)
  }
  return undefined
}
