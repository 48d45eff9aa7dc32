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
  const named = (await readersOf(house, userId)).filter((one) => one.reader.name === reader)
  if (named.length === 0) throw new CardFault('noReader')
  const [found, other] = named.filter((one) => one.reader.atr !== '')
  if (found === undefined) throw new CardFault('noCard')
  // What is written to a card here cannot be taken back: it is not written to one of two.
  if (other !== undefined) throw new CardFault('readerTwice')
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
