/** The day of a moment in UTC, such as 2026-06-30. */
export const dayText = (at: Date): string => at.toISOString().slice(0, 10)
