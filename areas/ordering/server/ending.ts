// Tells what waits for an authority that this server ends: the job of another goes on with it.

import type { House } from '#core/server/house.ts'

const endings = new WeakMap<House, AbortController>()

export function endingOf(house: House): AbortController {
  const found = endings.get(house) ?? new AbortController()
  endings.set(house, found)
  return found
}
