// Readers of software, each with a card of software in it: for machines without hardware and for tests.

import type { VirtualCard } from '#standards/piv/card/card.ts'
import { CardGone } from '#standards/piv/card/faults.ts'
import { say } from '#standards/say/say.ts'
import { ReaderFault, type ReaderSource } from './reader-host.ts'

export type VirtualReaders = ReaderSource & { insert(reader: string, card: VirtualCard | undefined): void }

export function virtualReaders(names: readonly string[]): VirtualReaders {
  const cards = new Map<string, { card: VirtualCard | undefined; changes: number }>(
    names.map((name) => [name, { card: undefined, changes: 0 }]),
  )
  const watchers = new Set<() => void>()
  const told = () => watchers.forEach((watcher) => watcher())
  return {
    list: () => [...cards].map(([name, { card, changes }]) => ({ name, atr: card?.atr ?? new Uint8Array(), changes, isVirtual: true })),
    insert(reader, card) {
      const before = cards.get(reader)
      before?.card?.powerOff()
      cards.set(reader, { card, changes: (before?.changes ?? 0) + 1 })
      told()
    },
    watch(changed) {
      watchers.add(changed)
      return () => void watchers.delete(changed)
    },
    async begin(reader) {
      const slot = cards.get(reader)
      const card = slot?.card
      if (card === undefined) throw new ReaderFault('gone', say`There is no card in the reader`)
      return {
        atr: card.atr,
        async transmit(command) {
          if (cards.get(reader)?.card !== card) throw new ReaderFault('gone', say`The card was taken out`)
          try {
            return await card.transmit(command)
          } catch (error) {
            if (error instanceof CardGone) throw new ReaderFault('gone', error.message)
            throw error
          }
        },
        end: async () => card.powerOff(),
      }
    },
    close: async () => {},
  }
}
