// PC/SC by the system's own library: pcsc-lite on Linux, the frameworks of macOS and Windows. Each call runs beside the event loop, because the daemon may take
// its time. Where the daemon dies the context is given up and made anew.

import { address, load } from 'koffi'
import type { Reader } from '#core/agent-link/messages.ts'
import { ReaderFault, type CardSession, type ReaderSource } from '#core/agent-link/reader-host.ts'

const isWindows = process.platform === 'win32'
const isMac = process.platform === 'darwin'
const libraries: Record<string, string> = {
  linux: 'libpcsclite.so.1',
  win32: 'winscard.dll',
  darwin: '/System/Library/Frameworks/PCSC.framework/PCSC',
}
/** DWORD, LONG and handles: as wide as a machine word on Linux, 32 bits elsewhere (handles are words on Windows). */
const word = isWindows || isMac ? 4 : 8
const handleSize = isMac ? 4 : 8
const dword = word === 8 ? 'uint64' : 'uint32'
const handle = handleSize === 8 ? 'uint64' : 'uint32'

const code = {
  ok: 0,
  noReaders: 0x8010002e,
  noService: 0x8010001d,
  serviceStopped: 0x8010001e,
  communication: 0x80100013,
  sharing: 0x8010000b,
} as const
const shared = 2
const anyProtocol = 3
const resetCard = 1
const scopeSystem = 2
const emptyState = 0x10
const presentState = 0x20
const mostAnswer = 66_000

class PcscError extends Error {
  override name = 'PcscError'
  readonly result: number
  constructor(did: string, result: number) {
    super(`${did} answered ${result.toString(16).toUpperCase().padStart(8, '0')}`)
    this.result = result
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'PC/SC failed')

const isDead = (error: unknown) =>
  error instanceof PcscError && ([code.noService, code.serviceStopped, code.communication] as number[]).includes(error.result)

type Call = (did: string, ...args: unknown[]) => Promise<void>

function bind(): Record<'establish' | 'release' | 'list' | 'status' | 'connect' | 'begin' | 'transmit' | 'end' | 'disconnect', Call> {
  const library = load(libraries[process.platform] ?? 'libpcsclite.so.1')
  const name = (plain: string) => (isWindows ? `${plain}A` : plain)
  const one = (symbol: string, parameters: string[]): Call => {
    const native = library.func(symbol, word === 8 ? 'int64' : 'int32', parameters)
    return (did, ...args) =>
      new Promise((resolve, reject) =>
        native.async(...args, (error: unknown, answered: number | bigint) => {
          if (error) return reject(error instanceof Error ? error : new Error(did))
          const result = Number(BigInt.asUintN(32, BigInt(answered)))
          return result === code.ok ? resolve() : reject(new PcscError(did, result))
        }),
      )
  }
  return {
    establish: one('SCardEstablishContext', [dword, 'void *', 'void *', 'void *']),
    release: one('SCardReleaseContext', [handle]),
    list: one(name('SCardListReaders'), [handle, 'void *', 'void *', 'void *']),
    status: one(name('SCardGetStatusChange'), [handle, dword, 'void *', dword]),
    connect: one(name('SCardConnect'), [handle, 'void *', dword, dword, 'void *', 'void *']),
    begin: one('SCardBeginTransaction', [handle]),
    transmit: one('SCardTransmit', [handle, 'void *', 'void *', dword, 'void *', 'void *', 'void *']),
    end: one('SCardEndTransaction', [handle, dword]),
    disconnect: one('SCardDisconnect', [handle, dword]),
  }
}

const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * word)
  for (const [at, value] of values.entries()) {
    if (word === 8) bytes.writeBigUInt64LE(BigInt(value), at * 8)
    else bytes.writeUInt32LE(value, at * 4)
  }
  return bytes
}
const wordAt = (bytes: Buffer, at = 0) => (word === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at))
const handleIn = (bytes: Buffer) => (handleSize === 8 ? bytes.readBigUInt64LE() : bytes.readUInt32LE())

export type PcscReaders = ReaderSource & { driver(): string }

const lookMilliseconds = 500
const firstPause = 1_000
const longestPause = 30_000

/** Throws where the system has no PC/SC. */
export function openPcsc(): PcscReaders {
  const calls = bind()
  const readers = new Map<string, Reader>()
  const watchers = new Set<() => void>()
  let context: number | bigint | undefined
  let state = 'PC/SC is being asked'
  let pause = firstPause
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const told = () => watchers.forEach((watcher) => watcher())

  async function establish(): Promise<number | bigint> {
    if (context !== undefined) return context
    const made = Buffer.alloc(8)
    await calls.establish('SCardEstablishContext', scopeSystem, null, null, made)
    context = handleIn(made)
    return context
  }

  async function names(at: number | bigint): Promise<string[]> {
    const length = words(0)
    try {
      await calls.list('SCardListReaders', at, null, null, length)
      const text = Buffer.alloc(wordAt(length))
      await calls.list('SCardListReaders', at, null, text, length)
      return text
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '')
    } catch (error) {
      if (error instanceof PcscError && error.result === code.noReaders) return []
      throw error
    }
  }

  /** SCARD_READERSTATE: name, user data, two states, length of the ATR, ATR; packed on macOS. */
  async function readAtr(at: number | bigint, name: string): Promise<Uint8Array> {
    const atrLength = isWindows ? 36 : 33
    const title = Buffer.from(`${name}\0`)
    const size = 16 + 3 * word + atrLength
    const bytes = Buffer.alloc(Math.ceil(size / 8) * 8)
    bytes.writeBigUInt64LE(address(title), 0)
    await calls.status('SCardGetStatusChange', at, 0, bytes, 1)
    const event = wordAt(bytes, 16 + word)
    const length = wordAt(bytes, 16 + 2 * word)
    // The name lives as long as the call.
    if (title.length === 0 || (event & emptyState) !== 0 || (event & presentState) === 0) return new Uint8Array()
    return Uint8Array.from(bytes.subarray(16 + 3 * word, 16 + 3 * word + Math.min(length, atrLength)))
  }

  async function connect(at: number | bigint, name: string): Promise<{ card: number | bigint; protocol: number }> {
    const card = Buffer.alloc(8)
    const protocol = words(0)
    await calls.connect('SCardConnect', at, Buffer.from(`${name}\0`), shared, anyProtocol, card, protocol)
    return { card: handleIn(card), protocol: wordAt(protocol) }
  }

  async function look(): Promise<void> {
    try {
      const at = await establish()
      const found = await names(at)
      let isChanged = false
      for (const name of readers.keys())
        if (!found.includes(name)) {
          readers.delete(name)
          isChanged = true
        }
      for (const name of found) {
        const before = readers.get(name)
        const atr = await readAtr(at, name)
        if (before !== undefined && Buffer.compare(before.atr, atr) === 0) continue
        readers.set(name, { name, atr, changes: (before?.changes ?? 0) + 1, isVirtual: false })
        isChanged = true
      }
      state = `PC/SC runs, ${found.length} readers`
      pause = firstPause
      if (isChanged) told()
      schedule(lookMilliseconds)
    } catch (error) {
      state = isDead(error) ? `No smart card service of the system runs (${messageOf(error)})` : messageOf(error)
      if (isDead(error) || context === undefined) {
        if (context !== undefined) await calls.release('SCardReleaseContext', context).catch(() => {})
        context = undefined
        const had = readers.size > 0
        readers.clear()
        if (had) told()
      }
      schedule(pause)
      pause = Math.min(longestPause, pause * 2)
    }
  }

  function schedule(milliseconds: number): void {
    if (isClosed) return
    timer = setTimeout(() => void look(), milliseconds)
    timer.unref()
  }
  void look()

  const faultOf = (error: unknown): unknown => {
    if (!(error instanceof PcscError)) return error
    const { result } = error
    if (result === code.sharing) return new ReaderFault('busy', 'Another program holds the card')
    return new ReaderFault('gone', error.message)
  }

  async function begin(name: string): Promise<CardSession> {
    const at = await establish()
    const { card, protocol } = await connect(at, name)
    const { atr = new Uint8Array() } = readers.get(name) ?? {}
    await calls.begin('SCardBeginTransaction', card)
    const send = words(protocol, 2 * word)
    return {
      atr,
      async transmit(command) {
        const answer = Buffer.alloc(mostAnswer)
        const length = words(answer.length)
        try {
          await calls.transmit('SCardTransmit', card, send, Buffer.from(command), command.length, null, answer, length)
        } catch (error) {
          throw faultOf(error)
        }
        return Uint8Array.from(answer.subarray(0, wordAt(length)))
      },
      async end() {
        // What was proven to the card is forgotten: the next who comes proves it again.
        await calls.end('SCardEndTransaction', card, resetCard).catch(() => {})
        await calls.disconnect('SCardDisconnect', card, resetCard).catch(() => {})
      },
    }
  }

  return {
    driver: () => state,
    list: () => [...readers.values()],
    watch(changed) {
      watchers.add(changed)
      return () => void watchers.delete(changed)
    },
    begin: (name) =>
      begin(name).catch((error: unknown) => {
        throw faultOf(error)
      }),
    async close() {
      isClosed = true
      clearTimeout(timer)
      if (context !== undefined) await calls.release('SCardReleaseContext', context).catch(() => {})
    },
  }
}
