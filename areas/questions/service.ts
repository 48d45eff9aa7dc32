// What other rooms may ask: a person's secret questions, and whether answers are right. Answers alone never open anything: whoever asks has another proof
// besides, such as a mail, and records what was done by them.

import * as z from 'zod'
import { fits, hashPassword } from '#areas/users/passwords.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import {
  areAnswersTo,
  currentVersion,
  mostTries,
  noQuestions,
  pauseMilliseconds,
  QuestionText,
  typedVersion,
  type Answer,
  type OwnQuestions,
  type SecretAnswers,
} from './rules.ts'
import { findRow, lockRow, updateRow, type QuestionsRecord } from './server/store.ts'

const Stored = z.array(QuestionText)
const questionsIn = (row: QuestionsRecord) => Stored.parse(JSON.parse(row.questions))

export async function findQuestions(db: Database, tenantId: string, userId: string): Promise<OwnQuestions> {
  const row = await findRow(db, tenantId, userId)
  return row === undefined ? noQuestions : { clientSalt: row.client_salt, questions: questionsIn(row), version: row.version }
}

type Form = 'answer_hash' | 'answer_hash_updated'
/** All answers as one secret, so that they can be guessed only together. */
const joined = (answers: readonly Answer[], form: Form): string => answers.map((answer) => answer[form] ?? '').join('.')
const form = (answers: readonly Answer[]): Form =>
  answers.every((answer) => answer.answer_hash_updated !== undefined) ? 'answer_hash_updated' : 'answer_hash'

/** What is stored of new answers: treated as a password. Slow on purpose: never call it inside a transaction. */
export const hashAnswers = (house: House, answers: readonly Answer[]): Promise<string> =>
  hashPassword(house, joined(answers, form(answers)))

/**
 * Whether these are the person's answers. A try is counted before the work, so that parallel guesses cannot pass. `paused`: five wrong ones in a row were
 * given within the last day. Call it outside of a transaction.
 */
export async function judgeAnswers(
  house: House,
  { tenantId, userId }: { tenantId: string; userId: string },
  given: SecretAnswers,
): Promise<'right' | 'wrong' | 'paused'> {
  const now = house.now()
  const row = await inTenant(house.database, tenantId, async (db) => {
    const found = await lockRow(db, tenantId, userId)
    if (found === undefined) return undefined
    const over = found.tried_at !== null && now.getTime() - found.tried_at.getTime() >= pauseMilliseconds
    const tries = over ? 0 : found.tries
    if (tries >= mostTries) return 'paused' as const
    await updateRow(db, tenantId, userId, { tries: tries + 1, tried_at: now })
    return found
  })
  if (row === 'paused') return row
  const asked = row !== undefined && row.client_salt === given.client_salt && areAnswersTo(given.answers, questionsIn(row))
  const right = await fits(house, joined(given.answers, 'answer_hash'), asked ? row.answers_hash : undefined)
  if (!right || row === undefined) return 'wrong'
  const renews = row.version === typedVersion && form(given.answers) === 'answer_hash_updated'
  const renewed = renews ? { version: currentVersion, answers_hash: await hashAnswers(house, given.answers) } : {}
  return inTenant(house.database, tenantId, async (db) => {
    // Questions that were reset meanwhile have other answers.
    if ((await lockRow(db, tenantId, userId))?.answers_hash !== row.answers_hash) return 'wrong'
    await updateRow(db, tenantId, userId, { tries: 0, tried_at: null, ...renewed })
    return 'right'
  })
}
