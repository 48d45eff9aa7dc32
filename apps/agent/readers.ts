// Several sources of readers as one: those of the machine and those of software.

import { ReaderFault, type ReaderSource } from '#core/agent-link/reader-host.ts'

export function joinReaders(sources: readonly ReaderSource[]): ReaderSource {
  return {
    list: () => sources.flatMap((source) => source.list()),
    watch(changed) {
      const stops = sources.map((source) => source.watch(changed))
      return () => stops.forEach((stop) => stop())
    },
    async begin(reader) {
      const source = sources.find((one) => one.list().some(({ name }) => name === reader))
      if (source === undefined) throw new ReaderFault('gone', 'There is no such reader')
      return source.begin(reader)
    },
    async close() {
      for (const source of sources) await source.close()
    },
  }
}
