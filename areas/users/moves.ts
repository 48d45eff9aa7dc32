// What of a person goes over to another account of the same person, where two are merged. A slot, because what there is stands in rooms above.

import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { MoveKind } from './move-words.ts'

/** `stays`: what the other account has already, and one person has once. It ends with the account that goes. */
export type PersonMove = {
  kind: MoveKind
  count(tenancy: Tenancy, fromId: string, toId: string): Promise<{ moves: number; stays: number }>
  move(tenancy: Tenancy, fromId: string, toId: string): Promise<void>
}

export const personMoves = slot<PersonMove>('users: what goes over where two accounts of one person are merged')
