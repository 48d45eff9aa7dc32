/** A screen at other parameters or with a query, by a name of its own. */
export type Jump = { title: string; params?: Record<string, string>; query?: string; also?: string }
