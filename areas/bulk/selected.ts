// The rows that bulk work is about.

export type Target = { id: string; label: string; version: number }

/** Which rows: those of `ids`, or all that match but those of `without`. */
export type Selected = { ids: readonly string[] } | { without: readonly string[] }
