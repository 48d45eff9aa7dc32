// What a version of the news means, and whether it is shown today.

export const mostText = 20_000

/** A version is a number that goes up: who has seen one is shown the next. */
export const isLower = (version: string, than: string): boolean => Number(version) < Number(than)

type Span = { from?: string | undefined; until?: string | undefined }

/** Whether a day, `2026-03-31`, lies in the span; both ends belong to it. */
export const isShownOn = (day: string, { from, until }: Span): boolean =>
  (from === undefined || day >= from) && (until === undefined || day <= until)
