import { expect, test } from 'vitest'
import { gatherOffers, offer, slot } from './slots.ts'

const lamps = slot<string>('lamps')
const chairs = slot<string>('chairs')

test('What rooms offer to a slot is gathered in the order of the rooms', () => {
  const offers = gatherOffers([
    { offers: [offer(lamps, 'cellar 1', 'cellar 2'), offer(chairs, 'bench')] },
    {},
    { offers: [offer(lamps, 'hall'), offer(lamps, 'stairs')] },
  ])
  expect(offers(lamps)).toEqual(['cellar 1', 'cellar 2', 'hall', 'stairs'])
  expect(offers(chairs)).toEqual(['bench'])
})

test('A slot that nobody offers to is empty, and so is another of the same name', () => {
  const offers = gatherOffers([{ offers: [offer(lamps, 'hall')] }])
  expect(offers(chairs)).toEqual([])
  expect(offers(slot<string>('lamps'))).toEqual([])
})
