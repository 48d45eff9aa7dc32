// A whole house behind the screens of a test file: `const { house, as } = await houseForScreens()`. What a page sends goes to it, from whoever `as` named
// last. After each test `fetch` is the page's own again; after the file the house is closed.

import { afterEach } from 'vitest'
import { type TestHouse, type TestHouseOptions, type TestPerson, useHouse } from './house.ts'
import { leadFetchTo } from './little-server.ts'

export async function houseForScreens(
  options?: TestHouseOptions,
): Promise<{ house: TestHouse; as(person: Pick<TestPerson, 'token'>): void }> {
  const house = await useHouse(options)
  let restore = () => {}
  afterEach(() => restore())
  return {
    house,
    as({ token }) {
      restore()
      restore = leadFetchTo(house.origin, { authorization: `Bearer ${token}` })
    },
  }
}
