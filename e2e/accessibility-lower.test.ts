// Each screen of the lower rooms, in each look. The upper ones are a file of their own, for a second worker.

import { describe, expect, test } from 'vitest'
import { lookAtEach } from './support/each-screen.ts'
import { lowerRooms, withoutExample } from './support/screens.ts'

describe('each screen', () => {
  test('with parameters has an example', () => {
    expect(withoutExample).toEqual([])
  })
})

lookAtEach(lowerRooms)
