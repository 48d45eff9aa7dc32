// Caches what nearly every request reads and what changes rarely, such as tokens and templates. Every change writes an event, so the process that commits
// one empties its cache before it answers, and the database notifies the other processes. An entry lives half a second at most, in case a notice is lost.
// A process that cannot listen for notices caches nothing.

import type pg from 'pg'
import type { Logger } from 'pino'
import { eventChannel, quiet } from './events.ts'
import { listenOn } from './listening.ts'

export type Cache = {
  /** Answers the cached value of this name, or loads it. A load that fails is not cached. */
  get<T>(name: string, load: () => Promise<T>): Promise<T>
  /** Whether this process receives the notices of the others. While it does not, no version is current. */
  isListening(): boolean
  /** Answers the version of the cache, for a caller that waits before it uses what it has read. */
  version(): CacheVersion
  /** Whether no change is known since that version. A version ends after some seconds in any case. */
  isCurrent(version: CacheVersion): boolean
  /** Empties the cache; called after each commit whose events are not quiet. */
  forget(): void
  close(): Promise<void>
}

const leaseMilliseconds = 500
const longestWaitMilliseconds = 5_000
const mostEntries = 10_000

export type CacheVersion = { entries: object; until: number }

type Entry = { value: Promise<unknown>; until: number }

export function openCache(pool: pg.Pool, log: Logger): Cache {
  let entries = new Map<string, Entry>()
  let isListening = false
  const forget = () => void (entries = new Map())
  const listening = listenOn(pool, {
    channel: eventChannel,
    begins() {
      forget()
      isListening = true
    },
    heard: (payload) => void (payload !== quiet && forget()),
    ends: () => void (isListening = false),
    failed: (error) => log.warn({ error }, 'changes made by other servers cannot be heard; nothing is cached until they can'),
  })

  return {
    get<T>(name: string, load: () => Promise<T>): Promise<T> {
      if (!isListening) return load()
      const now = performance.now()
      const known = entries.get(name)
      // Trusts the type, because one name always has the same kind of load.
      if (known !== undefined && now < known.until) return known.value as Promise<T>
      const value = load()
      if (entries.size >= mostEntries) forget()
      const into = entries
      into.set(name, { value, until: now + leaseMilliseconds })
      value.catch(() => into.delete(name))
      return value
    },
    isListening: () => isListening,
    version: () => ({ entries, until: performance.now() + longestWaitMilliseconds }),
    isCurrent: (version) => isListening && version.entries === entries && performance.now() < version.until,
    forget,
    close: listening.close,
  }
}
