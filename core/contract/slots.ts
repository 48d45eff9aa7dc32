// How rooms offer things to a room that gathers them, without that room knowing them. A slot is declared once: by the gathering room at its root, or in
// core/server/slots.ts and core/console/slots.ts where that room stands above those that offer. A room offers with `offers: [offer(slot, thing)]`.

/** A named place for things of one type. */
export type Slot<T> = { readonly name: string; readonly takes?: (thing: T) => void }

/** What one room offers to one slot. */
export type Offer = { readonly slot: object; readonly things: readonly unknown[] }

export const slot = <T>(name: string): Slot<T> => ({ name })

/** Holds the things to the type of the slot: one of another type does not compile. */
export const offer = <T>(to: Slot<T>, ...things: readonly NoInfer<T>[]): Offer => ({ slot: to, things })

export type Gathered = <T>(slot: Slot<T>) => readonly T[]

/** What the rooms offer to each slot, in the order of the rooms. */
export function gatherOffers(rooms: readonly { offers?: readonly Offer[] }[]): Gathered {
  const bySlot = Map.groupBy(
    rooms.flatMap(({ offers = [] }) => offers),
    (one) => one.slot,
  )
  const things = new Map([...bySlot].map(([to, offers]) => [to, offers.flatMap((one) => one.things)]))
  // `offer` has held each thing to the type of its slot.
  return <T>(asked: Slot<T>) => (things.get(asked) ?? []) as readonly T[]
}
