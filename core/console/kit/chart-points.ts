/** The tones of a picture, as of a status. */
export type Tone = 'good' | 'warn' | 'bad' | 'wait' | 'quiet'
/** `path` is empty where the viewer may not see what is counted. */
export type Bar = { name: string; tone: Tone; count: number; text: string; path: string }
/** One place on the axis. `name` says it in full; `short` stands below it, where there is room. */
export type BarGroup = { key: string; name: string; short: string; bars: readonly Bar[] }
