// What an agent does with its printers when it is asked: it names them, and passes on IPP messages to those that were chosen on its machine. A document
// comes in pieces, because two server processes pass on little at a time.

import { say } from '#standards/say/say.ts'
import type { Answer, Ask } from './messages.ts'

export type PrinterSeen = { name: string; isCardPrinter: boolean; isVirtual: boolean }

export type PrinterSource = {
  list(): readonly PrinterSeen[]
  /** An IPP request with its document; answers with the IPP answer. */
  ask(printer: string, request: Uint8Array): Promise<Uint8Array>
  /** Moves the card of a printer that can be told to. Throws where it cannot. */
  move?(printer: string, to: 'insert' | 'eject'): Promise<void>
}

export const printerActs = ['printers', 'piece', 'ipp', 'insertCard', 'ejectCard'] as const
export const isPrinterAct = (act: string): boolean => printerActs.some((one) => one === act)

const mostBytes = 8 * 1024 * 1024
const mostSessions = 20

export type PrinterHost = { answer(ask: Ask): Promise<Answer> }

export function hostPrinters(source: PrinterSource): PrinterHost {
  /** What has come of documents, by the session that sends one. */
  const pieces = new Map<string, Uint8Array[]>()

  async function act({ act: what, reader: printer, session, data }: Ask): Promise<Uint8Array> {
    if (what === 'printers') return Buffer.from(JSON.stringify(source.list()))
    if (!source.list().some(({ name }) => name === printer)) throw new Error(say`There is no such printer`)
    if (what === 'piece') {
      const before = pieces.get(session) ?? []
      if (before.reduce((sum, { length }) => sum + length, 0) + data.length > mostBytes) throw new Error(say`The document is too long`)
      // Whoever began and went away is forgotten.
      const [oldest] = pieces.keys()
      if (!pieces.has(session) && pieces.size >= mostSessions && oldest !== undefined) pieces.delete(oldest)
      pieces.set(session, [...before, Uint8Array.from(data)])
      return new Uint8Array()
    }
    if (what === 'ipp') {
      const document = pieces.get(session) ?? []
      pieces.delete(session)
      return source.ask(printer, Buffer.concat([data, ...document]))
    }
    if (source.move === undefined) throw new Error(say`This printer moves its cards by itself`)
    await source.move(printer, what === 'insertCard' ? 'insert' : 'eject')
    return new Uint8Array()
  }

  return {
    async answer(ask) {
      try {
        return { id: ask.id, data: await act(ask), fault: '', says: '' }
      } catch (error) {
        return {
          id: ask.id,
          data: new Uint8Array(),
          fault: 'failed',
          says: error instanceof Error ? error.message : say`The printer failed`,
        }
      }
    },
  }
}
