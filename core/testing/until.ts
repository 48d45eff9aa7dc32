// Waits for what must come, in tests and in what they start. A wait has a name and an end; who gives up says what was found instead.

import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'

/** Seconds. Guards against hanging alone, and leaves a test of the rooms (vitest.config.ts) time to say what was found. */
const patience = 120

export type Waiting = {
  /** What is told where it does not come, beside the answer that was found last. */
  state?: () => unknown
  every?: number
  /** Seconds, where a program with a database of its own must start. */
  patient?: number
}

/** Asks again until there is an answer: anything but `undefined` and `false`. An error that is thrown ends the wait. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer> | Answer,
  { state, every = 10, patient = patience }: Waiting = {},
): Promise<Exclude<Answer, undefined | false>> {
  const end = performance.now() + patient * 1_000
  for (;;) {
    const answer = await ask()
    if (isThere(answer)) return answer
    if (performance.now() > end) {
      const found = state === undefined ? answer : await state()
      throw new Error(`Waited ${patient} s in vain for ${what}. Found: ${inspect(found, { depth: 4 })}`)
    }
    await pause(every)
  }
}

const isThere = <Answer>(answer: Answer): answer is Exclude<Answer, undefined | false> => answer !== undefined && answer !== false
