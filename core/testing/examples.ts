// A room whose screens have parameters brings an example of each in `areas/<room>/examples.fixture.ts`, for the journey that looks at every screen.

import type { Caller } from './caller.ts'

/** Makes what a screen shows, as an administrator, and answers the parameters of its path. */
export type ScreenExample = (administrator: Pick<Caller, 'call'>) => Promise<Record<string, string>>
export type ScreenExamples = Readonly<Record<string, ScreenExample>>
