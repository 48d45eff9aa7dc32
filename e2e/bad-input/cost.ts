// What an answer to nonsense may cost. Computing is counted in the product's processor time; waiting is counted in plain questions that are
// answered meanwhile, one after another. A busy machine lengthens neither count.

import { setTimeout as pause } from 'node:timers/promises'
import { referenceSeconds } from '#standards/processor-time.fixture.ts'
import { computedSeconds } from '../support/processor.ts'
import type { Product } from '../support/product.ts'

/** Two seconds on a server of 2026. */
const mostReferences = 200
/** With the pauses between them two seconds where nothing else goes on. */
const mostQuestions = 80
const pauseMilliseconds = 25
let reference: number | undefined

/** `tooMuch` is empty where it is right. */
export async function costOf<Answer>(
  { pid, origin }: Product,
  ask: () => Promise<Answer>,
): Promise<{ answer: Answer; seconds: number; tooMuch: string }> {
  reference ??= referenceSeconds()
  const before = computedSeconds(pid)
  const asked = ask()
  const [answer, questions] = await Promise.all([asked, questionsUntil(asked, origin)])
  const seconds = computedSeconds(pid) - before
  const tooMuch =
    seconds > mostReferences * reference
      ? `The product computed for ${seconds.toFixed(2)} s`
      : questions > mostQuestions
        ? `It was answered after ${questions} plain questions`
        : ''
  return { answer, seconds, tooMuch }
}

async function questionsUntil(answered: Promise<unknown>, origin: string): Promise<number> {
  let isOver = false
  const over = answered.finally(() => (isOver = true)).catch(() => {})
  for (let questions = 0; ; questions += 1) {
    await Promise.race([over, pause(pauseMilliseconds)])
    if (isOver) return questions
    await (await fetch(`${origin}/healthz`)).text()
  }
}
