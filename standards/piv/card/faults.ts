// Faults on demand: a card that is pulled out around one of its commands, before it acted or after it acted and before anybody heard.

import type { VirtualCard } from './card.ts'

export class CardGone extends Error {
  override name = 'CardGone'
  constructor() {
    super('The card was taken out')
  }
}

export type Cut = { at: number; acted: boolean }

/** Counts commands, and cuts at one of them, once. The card loses its power, and each command throws until it is put in again. */
export function cuttable(card: VirtualCard): { card: VirtualCard; count(): number; cut(cut: Cut): void; putIn(): void } {
  let count = 0
  let planned: Cut | undefined
  let isOut = false
  return {
    count: () => count,
    cut(cut) {
      planned = { at: count + cut.at, acted: cut.acted }
    },
    putIn: () => void (isOut = false),
    card: {
      ...card,
      async transmit(command) {
        if (isOut) throw new CardGone()
        count += 1
        const cuts = planned?.at === count ? planned : undefined
        if (cuts === undefined) return card.transmit(command)
        planned = undefined
        if (cuts.acted) await card.transmit(command)
        isOut = true
        card.powerOff()
        throw new CardGone()
      },
    },
  }
}
