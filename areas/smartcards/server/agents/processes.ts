// Questions from one server process to the others: the links of security clients end at one of them, and any of them may be asked for a card. What is said is
// sealed, because it carries PINs on their way to a card and the database may keep a log.

import { randomUUID } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import { listenOn } from '#core/server/listening.ts'
import { linkChannel, tellProcesses } from './link-store.ts'

/** What is asked, and what comes back; both are JSON. */
export type Question = { what: string; [field: string]: unknown }
type Word = { from: string; id: string } & ({ question: Question } | { answer: unknown })

export type Processes = {
  /** The first answer for which `enough` holds, or the last one until then; undefined where nobody answers. */
  ask(question: Question, options: { milliseconds: number; enough?: (answer: unknown) => boolean }): Promise<unknown>
  close(): Promise<void>
}

const purpose = 'card links'
/** PostgreSQL takes less than 8,000 bytes. */
const mostBytes = 7_900

export function openProcesses(house: House, answer: (question: Question) => Promise<unknown>): Processes {
  const own = randomUUID()
  const waiting = new Map<string, (given: unknown) => void>()
  const tell = async (word: Word): Promise<void> => {
    const text = house.installationKey.seal(Buffer.from(JSON.stringify(word)), purpose).toString('base64')
    if (text.length > mostBytes) throw new Error('That is too long to be said to another process')
    await tellProcesses(house, text)
  }
  const hear = async (text: string): Promise<void> => {
    const word = JSON.parse(house.installationKey.unseal(Buffer.from(text, 'base64'), purpose).toString()) as Word
    if ('answer' in word) return waiting.get(word.id)?.(word.answer)
    if (word.from === own) return
    const given = await answer(word.question)
    if (given !== undefined) await tell({ from: own, id: word.id, answer: given })
  }
  const listening = listenOn(house.held, {
    channel: linkChannel,
    begins: () => {},
    heard: (payload) =>
      void hear(payload).catch((error: unknown) => house.log.warn({ error }, 'a word of another process about a card was lost')),
    ends: () => {},
    failed: (error) => house.log.warn({ error }, 'other processes cannot be heard; security clients that they hold are out of reach'),
  })
  return {
    ask: (question, { milliseconds, enough = () => true }) =>
      new Promise((resolve, reject) => {
        const id = randomUUID()
        let last: unknown
        const settle = () => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(last)
        }
        const timer = setTimeout(settle, milliseconds)
        waiting.set(id, (given) => {
          last = given
          if (enough(given)) settle()
        })
        tell({ from: own, id, question }).catch((error: unknown) => {
          clearTimeout(timer)
          waiting.delete(id)
          reject(error)
        })
      }),
    close: () => listening.close(),
  }
}
