// What the last transaction in each reader came to, for whoever helps: the application that was selected, and the command that ended it. Of commands only their
// name is kept and of answers only their status word, so that no PIN and no key is.

import type { Activity, CardSession, ReaderSource } from '#core/agent-link/reader-host.ts'

export type Diagnosis = { reader: string; applet: string; failed: string }

const commandNames: Readonly<Record<number, string>> = {
  0x20: 'VERIFY',
  0x24: 'CHANGE REFERENCE DATA',
  0x2c: 'RESET RETRY COUNTER',
  0x47: 'GENERATE ASYMMETRIC KEY PAIR',
  0x87: 'GENERAL AUTHENTICATE',
  0xa4: 'SELECT',
  0xcb: 'GET DATA',
  0xdb: 'PUT DATA',
}
const appletNames: readonly (readonly [string, string])[] = [
  ['A000000308', 'PIV'],
  ['A000000151', 'card manager'],
  ['A0000006472F', 'FIDO'],
]

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase()
const nameOfCommand = (command: Uint8Array): string => commandNames[command[1] ?? 0] ?? `command ${hex(command.subarray(1, 2))}`
const nameOfApplet = (aid: string): string => {
  const name = appletNames.find(([begin]) => aid.startsWith(begin))?.[1]
  return name === undefined ? aid : `${name} (${aid})`
}
/** Done, or with more to be fetched. */
const isGood = (status: string): boolean => status === '9000' || status.startsWith('61')

export function diagnosed(source: ReaderSource): { source: ReaderSource; note(activity: Activity): void; all(): Diagnosis[] } {
  const found = new Map<string, Diagnosis>()
  const work = new Map<string, string>()
  const of = (reader: string): Diagnosis => found.get(reader) ?? { reader, applet: '', failed: '' }
  const set = (reader: string, change: Partial<Diagnosis>) => void found.set(reader, { ...of(reader), ...change })
  const watched = (reader: string, session: CardSession): CardSession => {
    let last = ''
    return {
      atr: session.atr,
      async transmit(command) {
        const name = nameOfCommand(command)
        last = `${name}: no answer`
        const answer = await session.transmit(command)
        const status = hex(answer.subarray(-2))
        last = isGood(status) ? '' : `${name} was answered by ${status}`
        const isByName = command[1] === 0xa4 && command[2] === 0x04
        if (isByName) set(reader, { applet: isGood(status) ? nameOfApplet(hex(command.subarray(5, 5 + (command[4] ?? 0)))) : '' })
        return answer
      },
      async end() {
        // The server goes on after what it expected, such as an empty object: only what came last ended the work.
        set(reader, { failed: last === '' ? '' : [work.get(reader) ?? '', last].filter((text) => text !== '').join(': ') })
        await session.end()
      },
    }
  }
  return {
    source: { ...source, begin: async (reader) => watched(reader, await source.begin(reader)) },
    note: (activity) => {
      if (activity !== undefined) work.set(activity.reader, activity.says)
    },
    all: () => [...found.values()],
  }
}
