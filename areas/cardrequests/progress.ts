// Where rooms above tell how far a requested card is, for whoever waits for it.

import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardStep } from './rules.ts'
import type { OpenRequest } from './service.ts'

/** The steps of the cards of these open requests, by request; nothing of those of which the room knows nothing. */
export type CardProgress = (tenancy: Tenancy, requests: readonly OpenRequest[]) => Promise<ReadonlyMap<string, CardStep>>
export const cardProgress = slot<CardProgress>('card requests: how far a requested card is')
