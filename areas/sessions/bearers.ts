// What a program may hand in besides a person's token. Rooms above offer how to read it.

import { slot } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import type { RequestFacts, Viewer } from '#core/server/serve.ts'

/** Undefined where it is none of theirs, or opens nothing now. */
export type Bearer = (text: string, facts: RequestFacts, house: House, now: Date) => Promise<Viewer | undefined>
export const bearers = slot<Bearer>('sessions: secrets of programs')
