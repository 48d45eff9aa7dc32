// From the card that a request names to the card itself: whose reader it is in, whether it is the one that was named, and one transaction with it at a time.

import { randomUUID } from 'node:crypto'
import { AgentFault } from '#core/agent-link/server.ts'
import type { House } from '#core/server/house.ts'
import { ApduError } from '#standards/piv/apdu.ts'
import { identify, openCard, selectPiv, type CardIdentity, type PivCard } from '#standards/piv/client.ts'
import { CardRefused } from '#standards/piv/status.ts'
import { TlvError } from '#standards/piv/tlv.ts'
import { say } from '#standards/say/say.ts'
import type { CardId } from '../../shapes.ts'
import { agentsOf, type AgentPort, type ReaderSeen } from './agents.ts'

/** Why a card was not reached, by the code of the contract's fault. */
export class CardFault extends Error {
  override name = 'CardFault'
  readonly code: CardFaultCode
  readonly params: Record<string, string>
  constructor(code: CardFaultCode, params: Record<string, string> = {}) {
    super(params['reason'] ?? code)
    this.code = code
    this.params = params
  }
}
export type CardFaultCode =
  | 'noClient'
  | 'noReader'
  | 'readerTwice'
  | 'noCard'
  | 'otherCard'
  | 'cardGone'
  | 'cardRefused'
  | 'cardBusy'
  | 'notPiv'

export type FoundReader = { agent: AgentPort; reader: ReaderSeen }
export type Fencing = { card: string; fence: number }

const unfenced: Fencing = { card: '', fence: 0 }

/** What went wrong on the way to a card, in the words of the contract; everything else as it is. */
export function cardFaultOf(error: unknown): unknown {
  if (error instanceof AgentFault)
    return error.code === 'stale' || error.code === 'busy'
      ? new CardFault('cardBusy')
      : new CardFault('cardGone', { reason: error.message })
  if (error instanceof CardRefused || error instanceof TlvError || error instanceof ApduError)
    return new CardFault('cardRefused', { reason: error.message })
  return error
}

export async function readersOf(house: House, userId: string): Promise<FoundReader[]> {
  const agents = await (await agentsOf(house)).of(userId)
  if (agents.length === 0) throw new CardFault('noClient')
  return agents.flatMap((agent) => agent.readers.map((reader) => ({ agent, reader })))
}

/** One transaction: the application is selected and the card's name read; another program cannot come between. */
export async function withCard<T>(
  { agent, reader }: FoundReader,
  { says, fencing = unfenced, expected }: { says: string; fencing?: Fencing; expected?: string },
  work: (card: PivCard, identity: CardIdentity) => Promise<T>,
): Promise<T> {
  const session = randomUUID()
  const question = { reader: reader.name, session, ...fencing, says, data: new Uint8Array() }
  try {
    await agent.ask({ ...question, act: 'begin' })
    try {
      const card = openCard((command) => agent.ask({ ...question, act: 'transmit', data: command }))
      try {
        await selectPiv(card)
      } catch (error) {
        if (error instanceof CardRefused) throw new CardFault('notPiv')
        throw error
      }
      const identity = await identify(card)
      if (identity === undefined) throw new CardFault('notPiv')
      if (expected !== undefined && identity.serial !== expected) throw new CardFault('otherCard', { serial: identity.serial })
      return await work(card, identity)
    } finally {
      await agent.ask({ ...question, act: 'end' }).catch(() => {})
    }
  } catch (error) {
    throw cardFaultOf(error)
  }
}

/** Finds the card that is named: by its reader, or among all readers of the person by its serial number. */
export async function findCard(house: House, userId: string, cardId: CardId): Promise<FoundReader & { identity: CardIdentity }> {
  const readers = await readersOf(house, userId)
  const named = cardId.readerName ?? cardId.reader_name
  const wanted = named === undefined ? readers : readers.filter(({ reader }) => reader.name === named)
  if (wanted.length === 0) throw new CardFault('noReader')
  const filled = wanted.filter(({ reader }) => reader.atr !== '')
  if (filled.length === 0) throw new CardFault('noCard')
  // Two machines may have a reader of this name each: nobody meets the card of the other by chance.
  if (named !== undefined && filled.length > 1 && (cardId.serial ?? '') === '') throw new CardFault('readerTwice')
  let fault: unknown = new CardFault('noCard')
  for (const found of filled) {
    try {
      const identity = await withCard(found, { says: say`Reading the card` }, async (_card, one) => one)
      if (cardId.serial === undefined || cardId.serial === '' || identity.serial === cardId.serial) return { ...found, identity }
      fault = new CardFault('otherCard', { serial: identity.serial })
    } catch (error) {
      fault = error
    }
  }
  throw fault
}
