// What every request asks the database anew (who holds this token, what this template says) and what changes rarely. A process may remember
// it until somebody changes something: every change leaves an event, so whoever commits one forgets everything before answering, and is heard by
// the other processes. Should a message be lost, half a second is the longest that anything is remembered; and who cannot hear remembers nothing.

import type pg from 'pg'
import type { Logger } from 'pino'
import { eventChannel, quiet } from './events.ts'
import { listenOn } from './listening.ts'

export type Memory = {
  /** What `load` gives, or gave a moment ago to another asker under this name. A load that fails is not remembered. */
  recall<T>(name: string, load: () => Promise<T>): Promise<T>
  /** Whether changes by other processes are heard now. While they are not, no moment holds. */
  hears(): boolean
  /** What is remembered now, for whoever waits before making use of it. */
  moment(): Moment
  /** Whether nothing has changed since, as far as anybody has said so. What has waited for seconds is looked at anew in any case. */
  holds(moment: Moment): boolean
  /** After each commit whose events are not quiet. */
  forget(): void
  close(): Promise<void>
}

const leaseMilliseconds = 500
const longestWaitMilliseconds = 5_000
const mostEntries = 10_000

export type Moment = { entries: object; until: number }

type Entry = { value: Promise<unknown>; until: number }

export function openMemory(pool: pg.Pool, log: Logger): Memory {
  let entries = new Map<string, Entry>()
  let hears = false
  const forget = () => void (entries = new Map())
  const listening = listenOn(pool, {
    channel: eventChannel,
    begins() {
      forget()
      hears = true
    },
    heard: (payload) => void (payload !== quiet && forget()),
    ends: () => void (hears = false),
    failed: (error) => log.warn({ error }, 'changes made by other servers cannot be heard; nothing is remembered until they can'),
  })

  return {
    recall<T>(name: string, load: () => Promise<T>): Promise<T> {
      if (!hears) return load()
      const now = performance.now()
      const known = entries.get(name)
      // A name is always asked with the same kind of load.
      if (known !== undefined && now < known.until) return known.value as Promise<T>
      const value = load()
      if (entries.size >= mostEntries) forget()
      const into = entries
      into.set(name, { value, until: now + leaseMilliseconds })
      value.catch(() => into.delete(name))
      return value
    },
    hears: () => hears,
    moment: () => ({ entries, until: performance.now() + longestWaitMilliseconds }),
    holds: (moment) => hears && moment.entries === entries && performance.now() < moment.until,
    forget,
    close: listening.close,
  }
}
