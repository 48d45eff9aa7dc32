// Times as a clock on a wall shows them in a zone, and the moments that they name.

export type WallTime = { day: string; time: string }

const day = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Keeps one for each zone, since making one takes far longer than using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const kept = formats.get(zone)
  if (kept !== undefined) return kept
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, made)
  return made
}

/** What the clock on a wall shows in a zone at a moment. */
export function wallTime(at: Date, zone: string): WallTime {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  return { day: `${parts['year']}-${parts['month']}-${parts['day']}`, time: `${parts['hour']}:${parts['minute']}` }
}

/** How far the clock on the wall is ahead of UTC at a whole minute, in milliseconds. */
export function offsetAt(at: number, zone: string): number {
  const { day: shownDay, time } = wallTime(new Date(at), zone)
  return Date.parse(`${shownDay}T${time}:00Z`) - at
}

/**
 * The moment at which the clock on a wall shows this. Where it shows it twice, as clocks go back, the first; where it never does, as they go forward, the moment
 * as far after the jump as the text is after its beginning.
 */
export function momentOf({ day: onDay, time }: WallTime, zone: string): Date {
  const plain = Date.parse(`${onDay}T${time}:00Z`)
  const [before, after] = [offsetAt(plain - day, zone), offsetAt(plain + day, zone)]
  const fitting = [before, after].map((offset) => plain - offset).filter((at) => at + offsetAt(at, zone) === plain)
  return new Date(fitting.length === 0 ? plain - before : Math.min(...fitting))
}
