// Asks name servers. Those of the system, or those that the installation names; never the hosts file and never a search list, so that a name means the same
// here as it does outside. c-ares asks, so that slow name servers hold none of the threads that sign.

import { Resolver } from 'node:dns/promises'
import { readAddress, type Address } from './addresses.ts'
import { OutwardError } from './refusal.ts'

export type Names = {
  /** Every address of a name; at least one. */
  addresses(host: string, signal: AbortSignal): Promise<Address[]>
  records<T extends RecordType>(name: string, type: T, signal: AbortSignal): Promise<Records[T]>
}

export type Records = {
  A: string[]
  AAAA: string[]
  CNAME: string[]
  NS: string[]
  PTR: string[]
  /** Each record as one text. */
  TXT: string[]
  MX: { exchange: string; priority: number }[]
  SRV: { name: string; port: number; priority: number; weight: number }[]
  CAA: { critical: boolean; tag: string; value: string }[]
}
export type RecordType = keyof Records

/** There is no such name, or it has no record of that type. Whatever else goes wrong is no answer, and must not be taken for an empty one. */
const empty = new Set(['ENOTFOUND', 'ENODATA'])

const mostLabels = /^(?=.{1,253}\.?$)([a-z0-9_*]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i

export function openNames(servers: readonly string[], { timeout = 3_000, tries = 2 } = {}): Names {
  const resolver = new Resolver({ timeout, tries })
  if (servers.length > 0) resolver.setServers(servers)

  async function ask<T>(name: string, question: Promise<T[]>, signal: AbortSignal): Promise<T[]> {
    try {
      return await untilAborted(question, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (empty.has(code)) return []
      throw new OutwardError('nameServer', { host: name }, { cause: error })
    }
  }

  const asked: { [T in RecordType]: (name: string) => Promise<Records[T]> } = {
    A: (name) => resolver.resolve4(name),
    AAAA: (name) => resolver.resolve6(name),
    CNAME: (name) => resolver.resolveCname(name),
    NS: (name) => resolver.resolveNs(name),
    PTR: (name) => resolver.resolvePtr(name),
    TXT: async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join('')),
    MX: (name) => resolver.resolveMx(name),
    SRV: (name) => resolver.resolveSrv(name),
    CAA: async (name) =>
      (await resolver.resolveCaa(name)).map(({ critical, ...rest }) => {
        const [tag = '', value = ''] = Object.entries(rest).find(([key]) => key !== 'type') ?? []
        return { critical: critical > 0, tag, value: String(value) }
      }),
  }

  const names: Names = {
    async records(name, type, signal) {
      if (!mostLabels.test(name)) throw new OutwardError('name', { host: name })
      // Each type's records are arrays of one kind; the table above says which.
      return (await ask(name, asked[type](name) as Promise<unknown[]>, signal)) as Records[typeof type]
    },

    async addresses(host, signal) {
      if (!mostLabels.test(host)) throw new OutwardError('name', { host })
      const [four, six] = await Promise.allSettled([names.records(host, 'A', signal), names.records(host, 'AAAA', signal)])
      const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const addresses = found.flatMap((text) => readAddress(text) ?? [])
      if (addresses.length > 0) return addresses
      for (const answer of [four, six]) if (answer.status === 'rejected') throw answer.reason
      throw new OutwardError('name', { host })
    },
  }
  return names
}

/** Stops waiting when the signal says so; what was asked ends by itself. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
