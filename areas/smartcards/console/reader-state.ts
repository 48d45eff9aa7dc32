// What is known of the readers, as pure steps: what the server tells of them, and what is being done with the card in each.

import type * as z from 'zod'
import type { ReaderView, StepView } from '../shapes.ts'

export type Reader = z.output<typeof ReaderView>
export type Step = z.output<typeof StepView>
export type ReaderState = Reader & {
  /** Something changed and is being read. */
  processing: boolean
  /** An operation goes on; `operation` is what it is called, also after it stopped. */
  showProgress: boolean
  operation: string | undefined
  events: readonly Step[]
}
export type Readers = { connected: boolean; readers: readonly ReaderState[] }
export type ReaderEvent = { type: 'new' | 'list'; connected: boolean; readers: readonly Reader[] }

const idle = { processing: false, showProgress: false, operation: undefined, events: [] } as const

/** `new` marks a reader as processing, and what was known of its card stands; `list` ends that and says what card it has. What is being done is kept by name. */
export const heard = (before: Readers | undefined, { type, connected, readers }: ReaderEvent): Readers => ({
  connected,
  readers: readers.map((reader) => {
    const known = before?.readers.find(({ name }) => name === reader.name)
    const doing = known ?? idle
    return {
      ...(type === 'new' ? (known ?? reader) : reader),
      processing: type === 'new',
      showProgress: doing.showProgress,
      operation: doing.operation,
      events: doing.events,
    }
  }),
})

const changed = (before: Readers | undefined, name: string, change: (reader: ReaderState) => Partial<ReaderState>): Readers | undefined =>
  before && { ...before, readers: before.readers.map((reader) => (reader.name === name ? { ...reader, ...change(reader) } : reader)) }

export const started = (before: Readers | undefined, name: string, operation: string): Readers | undefined =>
  changed(before, name, () => ({ operation, showProgress: true, events: [] }))

/** A step that is told again replaces what was said of it. */
export const stepped = (before: Readers | undefined, name: string, step: Step): Readers | undefined =>
  changed(before, name, ({ events }) => ({ events: [...events.filter(({ n }) => n !== step.n), step].toSorted((a, b) => a.n - b.n) }))

/** Its steps stay, so that one sees what was done, and where it failed. */
export const finished = (before: Readers | undefined, name: string): Readers | undefined =>
  changed(before, name, () => ({ showProgress: false }))
