// A whole house behind the screens of a test file: `const { house, as } = await houseForScreens()`. What a page sends goes to it, from whoever `as` named
// last. After each test `fetch` is the page's own again.

import { afterEach } from 'vitest'
import { type SharedHouse, type TestHouse, type TestPerson, useSharedHouse } from './house.ts'
import { leadFetchTo } from './little-server.ts'

type As = (person: Pick<TestPerson, 'token'>) => void

/** The house that the files of a worker share, in which a file has tenancies of its own. */
export async function houseForScreens(): Promise<{ house: SharedHouse; as: As }> {
  const house = await useSharedHouse()
  return { house, as: screensOf(house) }
}

/** For a house of the file's own: `const as = screensOf(await useHouse())`. */
export function screensOf({ origin }: Pick<TestHouse, 'origin'>): As {
  let restore = () => {}
  afterEach(() => restore())
  return ({ token }) => {
    restore()
    restore = leadFetchTo(origin, { authorization: `Bearer ${token}` })
  }
}
