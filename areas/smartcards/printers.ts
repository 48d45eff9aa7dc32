// The printers that the security clients of a person have, and what is asked of them, whichever server process holds the link.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { AgentFault } from '#core/agent-link/server.ts'
import type { House } from '#core/server/house.ts'
import { readJsonOrNothing } from '#standards/json/read.ts'
import { agentsOf, type AgentPort } from './server/agents/agents.ts'

export type Printer = { name: string; machine: string; isCardPrinter: boolean; isVirtual: boolean; agent: AgentPort }

/** Why a printer did not do what was asked, in words of its own. */
export class PrinterFault extends Error {
  override name = 'PrinterFault'
}

const Seen = z.array(z.object({ name: z.string().min(1).max(200), isCardPrinter: z.boolean(), isVirtual: z.boolean() })).max(50)
/** Two processes tell each other less than 8,000 bytes, sealed and in base64. */
const pieceBytes = 3_500

const question = { reader: '', session: '', fence: 0, card: '', says: '', data: new Uint8Array() }

/** Undefined where no security client is there. One that knows no printers has none. */
export async function printersOf(house: House, userId: string): Promise<Printer[] | undefined> {
  const agents = await (await agentsOf(house)).of(userId)
  if (agents.length === 0) return undefined
  const all = await Promise.all(
    agents.map(async (agent) => {
      const answer = await agent.ask({ ...question, act: 'printers' }).catch(() => undefined)
      const seen = Seen.safeParse(answer === undefined ? undefined : readJsonOrNothing(answer))
      return seen.success ? seen.data.map((one) => ({ ...one, machine: agent.machine, agent })) : []
    }),
  )
  return all.flat()
}

async function asked(printer: Printer, act: string, data: Uint8Array, session = ''): Promise<Uint8Array> {
  try {
    return await printer.agent.ask({ ...question, act, reader: printer.name, session, data })
  } catch (error) {
    if (error instanceof AgentFault) throw new PrinterFault(error.message, { cause: error })
    throw error
  }
}

/** Sends an IPP request with its document; answers the IPP answer. Throws PrinterFault. */
export async function askPrinter(printer: Printer, request: Uint8Array, document: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
  const session = randomUUID()
  for (let at = 0; at < document.length; at += pieceBytes) await asked(printer, 'piece', document.subarray(at, at + pieceBytes), session)
  return asked(printer, 'ipp', request, session)
}

/** Throws PrinterFault where the printer cannot be told to. */
export const moveCard = async (printer: Printer, to: 'insert' | 'eject'): Promise<void> =>
  void (await asked(printer, to === 'insert' ? 'insertCard' : 'ejectCard', new Uint8Array()))
