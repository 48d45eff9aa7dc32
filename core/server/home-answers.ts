// What the cards of the home page read, answered with the page in one call. The slot is filled by `atHome` of a room's `serve`, which needs it here.

import type { Call } from '#core/contract/contract.ts'
import { slot } from '#core/contract/slots.ts'

/** A reading call of a room, with the input that a card of the home page sends: answered with the page. Filled by `atHome` of a room's `serve`. */
export type HomeAnswer = { call: Call; input: unknown; handle(input: unknown, context: unknown): Promise<unknown> }
export const homeAnswers = slot<HomeAnswer>('home answers: what the cards of the home page read')
