// The last refusal that somebody met, for who tells support about it. Of the person who met it alone: the next one on this machine has none.

import { bootstrapStore } from './bootstrap.ts'
import type { CallFault } from './call-fault.ts'

const keptMilliseconds = 15 * 60_000
const handedKey = 'chancery-refusal'

/** `fields`: what was wrong with each of them, a line each. */
export type Refusal = { title: string; says: string; fields: readonly string[]; reference: string | undefined }
type Met = Refusal & { at: number; who: string | undefined }

let last: Met | undefined

const who = (): string | undefined => bootstrapStore.getState().bootstrap?.viewer?.id

export function noteFault({ title, says, fields, reference }: CallFault): void {
  noteRefusal({ title, says, fields: [...new Set(fields.map((field) => field.says))], reference })
}

export function noteRefusal(refusal: Refusal): void {
  last = { ...refusal, at: Date.now(), who: who() }
}

export const forgetFault = (): void => {
  last = undefined
}

/** Says the fields by the words that stand above them, which only the form knows. */
export function nameFields(fields: readonly string[]): void {
  if (last !== undefined && last.who === who()) last = { ...last, fields }
}

/** Leaves it for the tab that is about to be opened from this one, which begins with a copy of what is stored here. */
export function handOver(): void {
  if (last !== undefined) sessionStorage.setItem(handedKey, JSON.stringify(last))
}

/** Undefined where the person met none in the last quarter of an hour. */
export function lastFault(): Refusal | undefined {
  const met = last ?? handed()
  return met !== undefined && met.who === who() && Date.now() - met.at < keptMilliseconds ? met : undefined
}

function handed(): Met | undefined {
  const text = sessionStorage.getItem(handedKey)
  sessionStorage.removeItem(handedKey)
  // What stands there was written by `handOver`, of this origin.
  return text === null ? undefined : (JSON.parse(text) as Met)
}
