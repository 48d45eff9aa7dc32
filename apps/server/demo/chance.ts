// Choices that look like chance and come out the same each time, so that two demonstrations tell the same story. Nothing secret is made here.

export type Chance = {
  /** From 0 up to and without 1. */
  number(): number
  /** A whole number from 0, below `most`. */
  below(most: number): number
  between(from: Date, to: Date): Date
  pick<T>(list: readonly T[]): T
  /** By the weight that each one has. */
  weighted<T extends { weight: number }>(list: readonly T[]): T
}

/** mulberry32: small, and even enough for a story. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most: number) => Math.floor(number() * most)
  return {
    number,
    below,
    between: (from, to) => new Date(from.getTime() + number() * (to.getTime() - from.getTime())),
    pick: (list) => only(list[below(list.length)]),
    weighted(list) {
      let left = number() * list.reduce((sum, { weight }) => sum + weight, 0)
      return only(list.find(({ weight }) => (left -= weight) < 0) ?? list.at(-1))
    },
  }
}

function only<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('There is nothing to choose from')
  return value
}
