// What `offer` refuses at compile time. Each `@ts-expect-error` is a test: where the line below it compiles, the compiler complains.

import { gatherOffers, offer, slot, type Slot } from './slots.ts'

type Lamp = { colour: string; light(): number }

const lamps = slot<Lamp>('lamps')

export const offers = [
  offer(lamps, { colour: 'red', light: () => 3 }, { colour: 'green', light: () => 4 }),
  // @ts-expect-error a part is missing
  offer(lamps, { colour: 'red' }),
  // @ts-expect-error a part is misspelt
  offer(lamps, { color: 'red', light: () => 3 }),
  // @ts-expect-error a part is of another type
  offer(lamps, { colour: 'red', light: () => 'bright' }),
  // @ts-expect-error there is no such slot
  offer('lamps', { colour: 'red', light: () => 3 }),
]

export const lights = (): number[] => gatherOffers([{ offers }])(lamps).map(({ light }) => light())

// @ts-expect-error a slot of one type is none of another
export const switches: Slot<{ toggle(): void }> = lamps
