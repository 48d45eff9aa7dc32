// A room whose screens have parameters brings an example of each in `areas/<room>/examples.fixture.ts`, for the tests that go over all screens and all calls.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from './caller.ts'

/**
 * Makes what a screen shows, as an administrator, and answers the parameters of its path. `session`: the same person in a browser, for calls that no token
 * makes; without it the administrator is in one already.
 */
export type ScreenExample = (
  administrator: Pick<Caller, 'call' | 'fetch'> & { session?(): Promise<Caller> },
) => Promise<Record<string, string>>
/** Several of a screen that shows different things. */
export type ScreenExamples = Readonly<Record<string, ScreenExample | readonly ScreenExample[]>>

export async function examplesOf(area: string): Promise<Readonly<Record<string, readonly ScreenExample[]>>> {
  const file = join(import.meta.dirname, '../../areas', area, 'examples.fixture.ts')
  if (!existsSync(file)) return {}
  const { examples } = (await import(/* @vite-ignore */ file)) as { examples: ScreenExamples }
  return Object.fromEntries(Object.entries(examples).map(([screen, one]) => [screen, typeof one === 'function' ? [one] : one]))
}
