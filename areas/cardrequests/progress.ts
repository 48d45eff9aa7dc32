// Where rooms above tell how far a requested card is, for whoever waits for it.

import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardStep } from './rules.ts'

/** The steps of the cards of a person, by template; nothing of those of which the room knows nothing. */
export type CardProgress = (tenancy: Tenancy, userId: string, cardTemplateIds: readonly string[]) => Promise<ReadonlyMap<string, CardStep>>
export const cardProgress = slot<CardProgress>('card requests: how far a requested card is')
