// How a tenancy handles its tickets, and what holds until somebody says otherwise.

import type { Policy } from './clock.ts'
import type { Priority } from './rules.ts'

/** Times of day such as 09:00; `to` may be 24:00. */
export type OpenHours = { from: string; to: string }
/** In minutes of business hours; 0 is no target. */
export type Target = { response: number; resolution: number }
export type CannedAnswer = { name: string; text: string }

export type DeskSettings = {
  /** Monday first; a day without hours is closed. */
  week: OpenHours[][]
  holidays: string[]
  targets: Record<Priority, Target>
  answers: CannedAnswer[]
}

const office = (): OpenHours[] => [{ from: '09:00', to: '17:00' }]
const hours = (count: number): number => count * 60

export const usualSettings: DeskSettings = {
  week: [office(), office(), office(), office(), office(), [], []],
  holidays: [],
  targets: {
    Low: { response: hours(16), resolution: hours(80) },
    Normal: { response: hours(8), resolution: hours(40) },
    High: { response: hours(4), resolution: hours(16) },
    Urgent: { response: hours(1), resolution: hours(8) },
  },
  answers: [],
}

export const minutesOfDay = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

export const policyOf = ({ week, holidays, targets }: DeskSettings, priority: Priority, zone: string): Policy => ({
  calendar: {
    zone,
    week: week.map((day) => day.map(({ from, to }) => ({ from: minutesOfDay(from), to: minutesOfDay(to) }))),
    holidays,
  },
  ...targets[priority],
})

/** Puts in who asked and the number of the ticket. */
export const filledAnswer = (text: string, { requester, ticketId }: { requester: string; ticketId: number }): string =>
  text.replaceAll('[requester]', () => requester).replaceAll('[number]', String(ticketId))
