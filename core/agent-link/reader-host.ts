// What an agent does with its readers when it is asked: one transaction with a card at a time, nothing for an operation that another has overtaken, and the
// card's power taken away between transactions of different owners.

import { say } from '#standards/say/say.ts'
import type { Ask, Answer, Reader } from './messages.ts'

export type CardSession = { atr: Uint8Array; transmit(command: Uint8Array): Promise<Uint8Array>; end(): Promise<void> }

/** PC/SC, or a card made of software. */
export type ReaderSource = {
  list(): readonly Reader[]
  /** A transaction that others wait for. Throws where there is no card. */
  begin(reader: string): Promise<CardSession>
  /** Hears of each change of the list; returns how to stop. */
  watch(changed: () => void): () => void
  close(): Promise<void>
}

export class ReaderFault extends Error {
  override name = 'ReaderFault'
  readonly code: 'gone' | 'stale' | 'busy' | 'failed'
  constructor(code: ReaderFault['code'], says: string) {
    super(says)
    this.code = code
  }
}

export type Activity = { reader: string; says: string } | undefined

export type ReaderHost = {
  answer(ask: Ask): Promise<Answer>
  /** Ends whatever is open: the link is gone. */
  release(): Promise<void>
}

type Open = { session: string; card: CardSession; timer: NodeJS.Timeout; commands: Promise<unknown> }

/** A transaction in which nothing happens for so long has lost its server. */
const idleMilliseconds = 30_000
const waitMilliseconds = 20_000

export function hostReaders(source: ReaderSource, told: (activity: Activity) => void = () => {}): ReaderHost {
  const open = new Map<string, Open>()
  const queues = new Map<string, (() => void)[]>()
  /** The highest number seen for each card. */
  const fences = new Map<string, number>()

  const end = async (reader: string): Promise<void> => {
    const one = open.get(reader)
    if (one === undefined) return
    open.delete(reader)
    clearTimeout(one.timer)
    await one.commands.catch(() => {})
    await one.card.end().catch(() => {})
    told(undefined)
    queues.get(reader)?.shift()?.()
  }
  const idle = (reader: string) => setTimeout(() => void end(reader), idleMilliseconds)

  const turn = (reader: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!open.has(reader)) return resolve()
      const queue = queues.get(reader) ?? []
      queues.set(reader, queue)
      const next = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(next), 1)
        reject(new ReaderFault('busy', say`Another operation holds the card`))
      }, waitMilliseconds)
      queue.push(next)
    })

  const checkFence = ({ card, fence }: Ask) => {
    if (card === '' || fence === 0) return
    if (fence < (fences.get(card) ?? 0)) throw new ReaderFault('stale', say`A newer operation drives this card`)
    fences.set(card, fence)
  }

  async function act(ask: Ask): Promise<Uint8Array> {
    const { act: what, reader, session } = ask
    // One that was overtaken may still end its transaction: the one that overtook it waits for that.
    if (what !== 'end') checkFence(ask)
    if (what === 'begin') {
      await turn(reader)
      const card = await source.begin(reader)
      open.set(reader, { session, card, timer: idle(reader), commands: Promise.resolve() })
      told({ reader, says: ask.says })
      return card.atr
    }
    const one = open.get(reader)
    if (what === 'end') {
      if (one?.session === session) await end(reader)
      return new Uint8Array()
    }
    if (one?.session !== session) throw new ReaderFault('gone', say`The transaction with the card has ended`)
    clearTimeout(one.timer)
    try {
      const answering = one.card.transmit(ask.data)
      one.commands = answering
      return await answering
    } finally {
      if (open.get(reader) === one) one.timer = idle(reader)
    }
  }

  return {
    async answer(ask) {
      try {
        return { id: ask.id, data: await act(ask), fault: '', says: '' }
      } catch (error) {
        const fault = error instanceof ReaderFault ? error.code : 'failed'
        // A card that is gone takes its transaction along.
        if (fault === 'gone' && open.get(ask.reader)?.session === ask.session) await end(ask.reader)
        return { id: ask.id, data: new Uint8Array(), fault, says: error instanceof Error ? error.message : say`The reader failed` }
      }
    },
    async release() {
      for (const reader of open.keys()) await end(reader)
    },
  }
}
