// The agent that comes with a server on the own machine: for whoever tries Chancery, with two readers of software and a blank card in each.

import { join } from 'node:path'
import { virtualReaders as readerNames } from '#areas/smartcards/rules.ts'
import type { ReaderSource } from '#core/agent-link/reader-host.ts'
import { virtualPrinter } from '#core/agent-link/virtual-printer.ts'
import { virtualReaders } from '#core/agent-link/virtual-readers.ts'
import { clientPorts } from '#core/contract/client-ports.ts'
import { startAgent, type Agent } from './agent.ts'
import { ippPrinters, joinPrinters, type ChosenPrinter } from './ipp-printers.ts'
import { openMemory } from './memory.ts'
import { openPcsc, type PcscReaders } from './pcsc.ts'
import { joinReaders } from './readers.ts'

const virtualPrinterName = 'Virtual card printer'

export type BuiltInOptions = {
  version: string
  origin: string
  folder: string
  /** Where the console finds it, where it is not told. */
  port?: number | undefined
  virtual: boolean
  pcsc: boolean
  printers?: readonly ChosenPrinter[]
  say(sentence: string): void
}

export async function startWithReaders({
  version,
  origin,
  folder,
  port,
  virtual,
  pcsc,
  printers = [],
  say,
}: BuiltInOptions): Promise<Agent> {
  const memory = openMemory(folder)
  const sources: ReaderSource[] = []
  let machine: PcscReaders | undefined
  let noPcsc = 'PC/SC is not asked'
  if (pcsc)
    try {
      machine = openPcsc()
      sources.push(machine)
    } catch (error) {
      noPcsc = `There is no PC/SC on this machine (${error instanceof Error ? error.message : String(error)})`
    }
  if (virtual) {
    const readers = virtualReaders(readerNames)
    for (const [place, name] of readerNames.entries()) readers.insert(name, memory.virtualCard(place + 1))
    sources.push(readers)
  }
  const joined = joinPrinters([
    ...(printers.length === 0 ? [] : [ippPrinters(printers)]),
    ...(virtual ? [virtualPrinter(virtualPrinterName)] : []),
  ])
  return startAgent({
    version,
    origin,
    ports: port === undefined ? [...clientPorts, 0] : [port],
    source: joinReaders(sources),
    printers: joined,
    driver: () => machine?.driver() ?? noPcsc,
    memory,
    say,
  })
}

export const agentFolder = (dataDirectory: string): string => join(dataDirectory, 'agent')

/** What a person at the terminal needs to know of the port besides the page; empty where the console finds it. */
export const portSentence = (port: number): string =>
  clientPorts.includes(port) ? '' : ` The console does not look for it at port ${port}: connect it by the code on its page.`
