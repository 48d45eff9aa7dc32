// The last refusal that somebody met, for who tells support about it. Of the person who met it alone: the next one on this machine has none.

import { bootstrapStore } from './bootstrap.ts'
import type { CallFault } from './call-fault.ts'

const keptMilliseconds = 15 * 60_000

type Met = { title: string; says: string; reference: string | undefined; at: number; who: string | undefined }

let last: Met | undefined

const who = (): string | undefined => bootstrapStore.getState().bootstrap?.viewer?.id

export function noteFault({ title, says, reference }: CallFault): void {
  last = { title, says, reference, at: Date.now(), who: who() }
}

/** Undefined where the person met none in the last quarter of an hour. */
export const lastFault = (): Omit<Met, 'at' | 'who'> | undefined =>
  last !== undefined && last.who === who() && Date.now() - last.at < keptMilliseconds ? last : undefined
