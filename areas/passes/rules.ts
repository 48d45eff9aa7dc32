// What both sides know of passes: kinds, states, numbers, and when a pass begins and ends.

export const passKinds = ['positive', 'guest'] as const
export type PassKind = (typeof passKinds)[number]

/** `inactive` are taken out of use; `expired` are still with their holder, after their end. */
export const passStatuses = ['available', 'issued', 'expired', 'misplaced', 'inactive'] as const
export type PassStatus = (typeof passStatuses)[number]

/** What a number answers to who asks whether it can be given. */
export const availabilities = [...passStatuses, 'otherKind', 'unknown'] as const

export const kindLabels: Readonly<Record<PassKind, string>> = { positive: 'Positive pass', guest: 'Guest pass' }
export const statusLabels: Readonly<Record<(typeof availabilities)[number], string>> = {
  available: 'Available',
  issued: 'Issued',
  expired: 'Expired',
  misplaced: 'Lost or stolen',
  inactive: 'Out of use',
  otherKind: 'A pass of the other kind',
  unknown: 'There is no such pass',
}

export const misplacedReasons = ['lost', 'stolen'] as const
export const misplacedLabels: Readonly<Record<(typeof misplacedReasons)[number], string>> = { lost: 'Lost', stolen: 'Stolen' }

export const numberLength = 5
export const highestNumber = 99_999

/** `42` is `00042`. */
export const passNumberOf = (typed: string): string => typed.trim().padStart(numberLength, '0')

export const mostAtOnce = 500
export const longestDays = 366

const pad = (value: number): string => String(value).padStart(2, '0')

/** The local date and time of an instant: `2026-03-29T00:00:00`. */
function localText(at: number, timeZone: string): string {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  return `${parts['year']?.padStart(4, '0')}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}:${parts['second']}`
}

/** The day on which an instant falls in a time zone: `2026-03-29`. */
export const dayIn = (at: Date, timeZone: string): string => localText(at.getTime(), timeZone).slice(0, 10)

/** The first instant whose local time is not before `wanted`: where clocks go forward at midnight, the day begins at one. */
function firstInstant(wanted: string, timeZone: string): Date {
  const near = Date.parse(`${wanted}Z`)
  let [low, high] = [near - 15 * 3_600_000, near + 15 * 3_600_000]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (localText(middle, timeZone) >= wanted) high = middle
    else low = middle
  }
  return new Date(high)
}

export const startOfDay = (day: string, timeZone: string): Date => firstInstant(`${day}T00:00:00`, timeZone)

/** 23:59:59 of the day: the last second before the next one begins. */
export const endOfDay = (day: string, timeZone: string): Date => {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000)
  const nextDay = `${next.getUTCFullYear()}-${pad(next.getUTCMonth() + 1)}-${pad(next.getUTCDate())}`
  return new Date(startOfDay(nextDay, timeZone).getTime() - 1000)
}
