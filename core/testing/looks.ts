// How soon a stream notices that its person may not follow it any more, counted in looks and not in seconds.

import { onTestFinished, vi } from 'vitest'
import type { TestHouse } from './house.ts'

export type Looks = {
  /** How often open streams looked whether anything has changed, up to now. */
  made(): number
  /** Milliseconds between two looks of a stream. */
  pause(): number
}

/** To be called before the stream is opened. A look asks the cache whether its version is current. */
export function watchLooks({ house }: TestHouse): Looks {
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const looks = vi.spyOn(house.cache, 'isCurrent')
  onTestFinished(() => {
    intervals.mockRestore()
    looks.mockRestore()
  })
  return {
    made: () => looks.mock.calls.length,
    pause: () => Math.min(...intervals.mock.calls.map(([, milliseconds]) => milliseconds ?? 0)),
  }
}
