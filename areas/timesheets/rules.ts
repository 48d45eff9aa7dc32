// Decisions of timesheets that need nothing but their arguments: weeks, times of day in a zone, overlaps and what a state leads to.

import { momentOf } from '#core/contract/wall-time.ts'

export const states = ['draft', 'submitted', 'approved', 'returned', 'exported'] as const
export type State = (typeof states)[number]

export const stateLook: Readonly<Record<State, { label: string; status: string }>> = {
  draft: { label: 'Draft', status: 'draft' },
  submitted: { label: 'Submitted', status: 'pending' },
  approved: { label: 'Approved', status: 'approved' },
  returned: { label: 'Returned', status: 'denied' },
  exported: { label: 'Exported', status: 'done' },
}

export const moves = ['submit', 'recall', 'approve', 'return', 'export'] as const
export type Move = (typeof moves)[number]

const movesFrom: Readonly<Record<State, Partial<Record<Move, State>>>> = {
  draft: { submit: 'submitted' },
  submitted: { recall: 'draft', approve: 'approved', return: 'returned' },
  approved: { return: 'returned', export: 'exported' },
  returned: { submit: 'submitted' },
  exported: { return: 'returned' },
}

/** Answers the next state; undefined where the move is not open. */
export const stateAfter = (state: State, move: Move): State | undefined => movesFrom[state][move]

/** Whether the person may change the entries of a week. */
export const isOpen = (state: State): boolean => state === 'draft' || state === 'returned'

export const mostEntries = 100
export const mostBreak = 720
/** Weeks that one export holds. */
export const mostExported = 1_000
export const roundings = [1, 5, 6, 10, 15, 30] as const

const day = 86_400_000
const minute = 60_000

const dayNumber = (text: string): number => Date.parse(`${text}T00:00:00Z`)
const textOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

export const isMonday = (text: string): boolean => new Date(dayNumber(text)).getUTCDay() === 1

/** The Monday of the week in which a day lies. */
export const mondayOf = (text: string): string => textOf(dayNumber(text) - ((new Date(dayNumber(text)).getUTCDay() + 6) % 7) * day)

export const weekAfter = (week: string, weeks: number): string => textOf(dayNumber(week) + weeks * 7 * day)

export const daysOf = (week: string): string[] => Array.from({ length: 7 }, (_, at) => textOf(dayNumber(week) + at * day))

export type Times = { day: string; from: string; to: string }
export type Span = { begins: Date; ends: Date }

/** An entry that ends no later than it begins goes on into the next day. */
export const spanOf = ({ day: onDay, from, to }: Times, zone: string): Span => ({
  begins: momentOf({ day: onDay, time: from }, zone),
  ends: momentOf({ day: to > from ? onDay : textOf(dayNumber(onDay) + day), time: to }, zone),
})

/** Spans that only touch do not overlap. */
export const overlap = (one: Span, other: Span): boolean => one.begins < other.ends && other.begins < one.ends

/** The first pair that overlaps, by position. */
export function firstOverlap(spans: readonly Span[]): [number, number] | undefined {
  const order = spans.map((span, at) => ({ span, at })).toSorted((a, b) => a.span.begins.getTime() - b.span.begins.getTime())
  for (const [place, { span, at }] of order.entries()) {
    const next = order[place + 1]
    if (next !== undefined && overlap(span, next.span)) return [at, next.at]
  }
  return undefined
}

/** Whole minutes by the moments, so that a night in which clocks change counts as it was. */
export const minutesOf = ({ begins, ends }: Span, breakMinutes: number): number =>
  Math.round((ends.getTime() - begins.getTime()) / minute) - breakMinutes

/** To the nearest multiple, the half up; only an export rounds. */
export const rounded = (minutes: number, to: number): number => Math.floor((minutes + to / 2) / to) * to

/** `7:30` of 450 minutes. */
export const hoursText = (minutes: number): string => `${Math.trunc(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`

/** Reads `8`, `830`, `8:30`, `8.30` as `08:30`; another text stays as it is, for the shape to refuse. */
export function readTime(typed: string): string {
  const [, hour = '', minutes = '00'] = /^(\d{1,2})(?:[:.]?(\d\d))?$/.exec(typed.trim()) ?? []
  return hour === '' ? typed.trim() : `${hour.padStart(2, '0')}:${minutes}`
}
