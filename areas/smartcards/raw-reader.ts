// A reader as rooms above reach it, without a look at what is on the card: one transaction, in the words of the contract where it fails.

import { randomUUID } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import { cardFaultOf, CardFault, readersOf } from './server/agents/readers.ts'

export { CardFault }

export async function atReader<T>(
  house: House,
  { userId, reader, says }: { userId: string; reader: string; says: string },
  work: (transmit: (command: Uint8Array) => Promise<Uint8Array>) => Promise<T>,
): Promise<T> {
  const found = (await readersOf(house, userId)).find((one) => one.reader.name === reader)
  if (found === undefined) throw new CardFault('noReader')
  if (found.reader.atr === '') throw new CardFault('noCard')
  const question = { reader, session: randomUUID(), card: '', fence: 0, says, data: new Uint8Array() }
  try {
    await found.agent.ask({ ...question, act: 'begin' })
    try {
      return await work((command) => found.agent.ask({ ...question, act: 'transmit', data: command }))
    } finally {
      await found.agent.ask({ ...question, act: 'end' }).catch(() => {})
    }
  } catch (error) {
    throw cardFaultOf(error)
  }
}
