/** A screen at other parameters or with a query, by a name of its own. `first` as on a screen. */
export type Jump = { title: string; params?: Record<string, string>; query?: string; also?: string; first?: number }
