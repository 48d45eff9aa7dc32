// The questions that are offered, how an answer is hashed before it leaves the browser, and how often one may try.

import * as z from 'zod'
import { Line } from '#core/contract/shapes.ts'

/** The specified choices; the last of the eight is to write a question of one's own. */
export const offeredQuestions = {
  firstStreet: 'First street you lived on',
  firstHoliday: 'First holiday',
  childhoodBook: 'Favourite childhood book',
  firstRecord: 'First single or album you bought',
  firstPet: 'First pet',
  firstPartner: 'Full name of your first boyfriend or girlfriend',
  childhoodPlace: 'Favourite childhood place to visit',
} as const
export type OfferedQuestion = keyof typeof offeredQuestions
export const isOffered = (name: string | undefined): name is OfferedQuestion => name !== undefined && Object.hasOwn(offeredQuestions, name)
export const ownQuestion = { value: 'own', label: 'Write your own question' } as const

export const fewestQuestions = 3
export const mostQuestions = 5
export const shortestAnswer = 3
/** What a person has who never set any. */
export const noVersion = -1
/** Answers of this version were hashed as typed: both forms are sent, and the lower-cased one takes the place of the other. */
export const typedVersion = 1
/** Answers of this version were lower-cased before they were hashed. */
export const currentVersion = 2

export const iterations = 100
export const saltBytes = 32

/** Wrong answers in a row, after which none are taken until the pause is over or other questions are set. */
export const mostTries = 5
export const pauseMilliseconds = 24 * 3_600_000
export const linkMinutes = 30

/** PBKDF2-SHA-256, 128 bits: 16 bytes in base64. */
const AnswerHash = z.string().regex(/^[A-Za-z0-9+/]{21}[AQgw]==$/, `Enter an answer of at least ${shortestAnswer} characters`)
export const ClientSalt = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, 'A salt has 32 bytes, in base64')
  .meta({ examples: [`${'A'.repeat(43)}=`] })

/** A person's question: one that is offered, or their own. */
export const QuestionText = z.object({
  question: z.string().max(40).optional(),
  customQuestion: Line(200).optional(),
})
const Answer = QuestionText.extend({ answer_hash: AnswerHash, answer_hash_updated: AnswerHash.optional() })
export type Answer = z.infer<typeof Answer>

const keyOf = ({ question, customQuestion }: z.infer<typeof QuestionText>): string =>
  customQuestion === undefined ? `${question}` : `own ${customQuestion.toLowerCase()}`

/** The questions that somebody sets: each one offered or written by themselves, none twice, no answer for two of them. */
export const NewQuestions = z
  .array(Answer)
  .min(fewestQuestions, `Choose at least ${fewestQuestions} questions`)
  .max(mostQuestions, `Choose at most ${mostQuestions} questions`)
  .superRefine((list, context) => {
    const say = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
    list.forEach((one, index) => {
      const { question, customQuestion, answer_hash } = one
      const before = list.slice(0, index)
      if ((question === undefined) === (customQuestion === undefined)) say([index, 'question'], 'Choose a question')
      else if (question !== undefined && !isOffered(question)) say([index, 'question'], 'There is no such question')
      else if (customQuestion !== undefined && customQuestion.length < 5) say([index, 'customQuestion'], 'Write a question')
      else if (before.some((other) => keyOf(other) === keyOf(one))) say([index, 'question'], 'Choose each question once')
      if (before.some((other) => other.answer_hash === answer_hash)) say([index, 'answer_hash'], 'Give each question an answer of its own')
    })
  })
  .meta({
    examples: [
      Array.from({ length: fewestQuestions }, (_, at) => ({
        customQuestion: `Question ${at + 1}`,
        answer_hash: `${String.fromCharCode(65 + at).repeat(21)}A==`,
      })),
    ],
  })

/** What proves the owner: the answers to all of the person's questions, in their order. */
export const SecretAnswers = z.object({ client_salt: ClientSalt, answers: z.array(Answer).min(1).max(mostQuestions) }).meta({
  examples: [{ client_salt: `${'A'.repeat(43)}=`, answers: [{ customQuestion: `Question ${1}`, answer_hash: `${'A'.repeat(21)}A==` }] }],
})
export type SecretAnswers = z.infer<typeof SecretAnswers>

/** A person's questions, as whoever may answer them sees them. */
export const OwnQuestions = z.object({ clientSalt: z.string(), questions: z.array(QuestionText), version: z.number().int() })
export type OwnQuestions = z.infer<typeof OwnQuestions>
export const noQuestions: OwnQuestions = { clientSalt: '', questions: [], version: noVersion }

/** Whether these are answers to exactly these questions. */
export const areAnswersTo = (given: readonly Answer[], asked: readonly z.infer<typeof QuestionText>[]): boolean =>
  given.length === asked.length && given.every((answer, index) => keyOf(answer) === keyOf(asked[index] ?? {}))

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

export const makeClientSalt = (): string => toBase64(crypto.getRandomValues(new Uint8Array(saltBytes)))

async function hashOf(text: string, salt: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(text), 'PBKDF2', false, ['deriveBits'])
  const bits = await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64(salt), iterations }, key, 128)
  return toBase64(new Uint8Array(bits))
}

/** The hash of an answer as it is sent: lower-cased, and for version 1 both as typed and lower-cased. */
export async function hashAnswer(
  answer: string,
  salt: string,
  version: number,
): Promise<{ answer_hash: string; answer_hash_updated?: string }> {
  const lowered = await hashOf(answer.toLowerCase(), salt)
  return version === typedVersion ? { answer_hash: await hashOf(answer, salt), answer_hash_updated: lowered } : { answer_hash: lowered }
}
