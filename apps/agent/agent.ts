// The agent: readers on one side, one server on the other, and a door for the console on the same machine. It does what the server asks with the cards while
// somebody is joined, says who that is, and writes no PIN and no key anywhere.

import { hostname } from 'node:os'
import { openClientLink, wrongKey, type ClientLink, type LinkTarget } from '#core/agent-link/client.ts'
import type { Hello } from '#core/agent-link/messages.ts'
import { hostPrinters, isPrinterAct, type PrinterSource } from '#core/agent-link/printers.ts'
import { hostReaders, type ReaderSource } from '#core/agent-link/reader-host.ts'
import { say } from '#standards/say/say.ts'
import { askServer } from './ask-server.ts'
import { diagnosed } from './diagnosis.ts'
import { ConnectRefused, openDoor, type Connect } from './door.ts'
import type { Memory, Remembered } from './memory.ts'
import type { AgentState } from './state.ts'

export type AgentOptions = {
  version: string
  /** Of the console, exactly. */
  origin: string
  /** Of the door on loopback: the first of these that is free. */
  ports: readonly number[]
  source: ReaderSource
  printers: PrinterSource
  driver(): string
  memory: Memory
  /** The account that gives orders at the door; that of the process where it is not told. */
  user?: number | undefined
  say(sentence: string): void
}

export type Agent = { port: number; state(): AgentState; close(): Promise<void> }

const firstPause = 1_000
const longestPause = 60_000
const joinMilliseconds = 10_000

export async function startAgent({
  version,
  origin,
  ports,
  source,
  printers,
  driver,
  memory,
  say: tell,
  user = process.getuid?.(),
}: AgentOptions): Promise<Agent> {
  let remembered: Remembered = memory.read()
  let shown: AgentState['link'] = { person: '', code: '', why: '' }
  let activity = ''
  let link: ClientLink | undefined
  let again: NodeJS.Timeout | undefined
  let pause = firstPause
  let isClosing = false
  const diagnosis = diagnosed(source)
  const host = hostReaders(diagnosis.source, (now) => {
    diagnosis.note(now)
    activity = now === undefined ? '' : say`${now.says} in ${now.reader}`
  })

  const printerHost = hostPrinters(printers)

  const targetOf = ({ address, port: linkPort, pin }: Remembered): LinkTarget | undefined =>
    address === undefined || linkPort === undefined || pin === undefined ? undefined : { address, port: linkPort, pin }

  const remember = async (more: Remembered): Promise<void> => {
    remembered = { ...remembered, ...more }
    await memory.write(remembered)
  }

  /** Returns when the server knows who is joined, or shows a code; throws what it says instead. */
  function call(target: LinkTarget, who: Pick<Hello, 'ticket' | 'secret'>): Promise<void> {
    clearTimeout(again)
    // Forgets it first: whoever is replaced does not call again.
    const before = link
    link = undefined
    before?.close()
    return new Promise((resolve, reject) => {
      const tooLong = setTimeout(() => made.close(), joinMilliseconds)
      let refused = ''
      let isMade = false
      const made = openClientLink({
        ...target,
        hello: { version, machine: hostname(), ...who },
        readers: source.list(),
        heard({ welcome, ask, refused: why }, client) {
          if (why !== '') refused = why
          if (ask !== undefined) void (isPrinterAct(ask.act) ? printerHost : host).answer(ask).then((answer) => client.tell({ answer }))
          if (welcome === undefined) return
          clearTimeout(tooLong)
          isMade = true
          pause = firstPause
          shown = { person: welcome.person, code: welcome.code, why: '' }
          // Without a secret it is joined for this link only, and nobody who was joined before comes back afterwards.
          if (welcome.person !== '')
            void remember({ ...target, secret: welcome.secret }).catch(() => tell('What the server gave could not be kept'))
          if (welcome.person !== '') tell(`${welcome.person} drives the cards in these readers now`)
          resolve()
        },
        ended(why) {
          clearTimeout(tooLong)
          const isLast = link === made
          if (isLast) link = undefined
          void host.release()
          const reason = refused === '' ? (why ?? '') : refused
          reject(new ConnectRefused(reason === '' ? say`The server does not answer` : reason))
          if (!isLast) return
          shown = { person: '', code: '', why: reason }
          // Whoever was sent away waits for a person; whoever lost the server calls again.
          if (refused !== '') void remember({ secret: '' }).catch(() => {})
          else if (!isClosing && why !== wrongKey && (isMade || who.ticket === '')) callAgain()
        },
      })
      link = made
    })
  }

  function callAgain(): void {
    const target = targetOf(remembered)
    if (target === undefined) return
    const wait = pause * (0.5 + Math.random())
    pause = Math.min(longestPause, pause * 2)
    clearTimeout(again)
    again = setTimeout(() => void call(target, { ticket: '', secret: remembered.secret ?? '' }).catch(() => {}), wait)
    again.unref()
  }

  async function connect({ SessionCookie, GRPCConfig }: Connect): Promise<void> {
    const told =
      GRPCConfig === undefined ? undefined : { address: GRPCConfig.AgentAddress, port: GRPCConfig.AgentPort, pin: GRPCConfig.ServerKey }
    const target = told ?? targetOf(remembered)
    if (target === undefined) throw new ConnectRefused(say`The security client does not know its server yet`)
    // The first console tells the key of its server; from then on it is the only one.
    if (remembered.pin !== undefined && remembered.pin !== target.pin) throw new ConnectRefused(wrongKey)
    await call(target, { ticket: SessionCookie, secret: '' })
  }

  let introducing: Promise<void> | undefined
  /** Calls the server, for the person who was joined or for a code; where nobody has told yet where that is, asks at the address of the console. */
  function introduce(): void {
    if (link !== undefined || isClosing) return
    introducing ??= (async () => {
      const target = targetOf(remembered) ?? (await askServer(origin))
      // Whoever connected meanwhile stays.
      if (link === undefined && !isClosing) void call(target, { ticket: '', secret: remembered.secret ?? '' }).catch(() => {})
    })()
      .catch((error: unknown) => {
        if (link === undefined) shown = { person: '', code: '', why: error instanceof Error ? error.message : String(error) }
      })
      .finally(() => (introducing = undefined))
  }

  const state = (): AgentState => ({
    origin,
    driver: driver(),
    link: shown,
    readers: source.list().map(({ name, atr, isVirtual }) => ({ name, isVirtual, atr: Buffer.from(atr).toString('hex').toUpperCase() })),
    printers: printers.list().map(({ name, isVirtual }) => ({ name, isVirtual })),
    activity,
    diagnosis: diagnosis.all(),
    trouble: shown.why,
  })

  const stopWatching = source.watch(() => link?.tell({ readers: { readers: [...source.list()] } }))
  const door = await openDoor({
    ports,
    version,
    origin,
    user,
    state,
    looked: introduce,
    connect,
    killSession: () => {
      void remember({ secret: '' }).catch(() => {})
      link?.close()
      clearTimeout(again)
      shown = { person: '', code: '', why: say`Signed out` }
    },
  })
  introduce()
  return {
    port: door.port,
    state,
    async close() {
      isClosing = true
      clearTimeout(again)
      stopWatching()
      link?.close()
      await door.close()
      await source.close()
    },
  }
}
