// The agent that comes with a server on the own machine: for whoever tries Chancery, with a reader of software and a blank card in it.

import { join } from 'node:path'
import type { ReaderSource } from '#core/agent-link/reader-host.ts'
import { virtualPrinter } from '#core/agent-link/virtual-printer.ts'
import { virtualReaders } from '#core/agent-link/virtual-readers.ts'
import { startAgent, type Agent } from './agent.ts'
import { ippPrinters, joinPrinters, type ChosenPrinter } from './ipp-printers.ts'
import { openMemory } from './memory.ts'
import { openPcsc, type PcscReaders } from './pcsc.ts'
import { joinReaders } from './readers.ts'

/** Where the console looks for it. */
export const agentPort = 8477
const virtualReader = 'Virtual reader'
const virtualPrinterName = 'Virtual card printer'

export type BuiltInOptions = {
  version: string
  origin: string
  folder: string
  port?: number
  virtual: boolean
  pcsc: boolean
  printers?: readonly ChosenPrinter[]
  say(sentence: string): void
}

export async function startWithReaders({
  version,
  origin,
  folder,
  port = agentPort,
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
    const readers = virtualReaders([virtualReader])
    readers.insert(virtualReader, memory.virtualCard())
    sources.push(readers)
  }
  const joined = joinPrinters([
    ...(printers.length === 0 ? [] : [ippPrinters(printers)]),
    ...(virtual ? [virtualPrinter(virtualPrinterName)] : []),
  ])
  return startAgent({
    version,
    origin,
    port,
    source: joinReaders(sources),
    printers: joined,
    driver: () => machine?.driver() ?? noPcsc,
    memory,
    say,
  })
}

export const agentFolder = (dataDirectory: string): string => join(dataDirectory, 'agent')
