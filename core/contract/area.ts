// The names of the rooms as a type, so that a misspelt one does not compile. Core knows no room: areas/order.ts fills `Register` with them.

export interface Register {
  /** Keeps the interface from being empty; nobody reads it. */
  core: true
}

export type Area = Register extends { areas: infer A extends string } ? A : string
