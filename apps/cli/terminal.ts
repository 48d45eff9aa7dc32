/** What a command writes to. */
export type Terminal = { out(text: string): void; error(text: string): void }
