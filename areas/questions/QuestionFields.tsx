// The questions that somebody chooses, with their answers: the same fields the first time and after a reset link.

import { Stack } from '@mantine/core'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { AnswerField } from './AnswerField.tsx'
import { currentVersion, fewestQuestions, offeredQuestions, ownQuestion } from './rules.ts'

type Chosen = { question: string | undefined; customQuestion: string; answer_hash: string }
export type QuestionValues = { questions: Chosen[] }

export const emptyQuestions = (): QuestionValues => ({
  questions: Array.from({ length: fewestQuestions }, () => ({ question: undefined, customQuestion: '', answer_hash: '' })),
})

/** As it is sent: an own question goes by its text, any other by its name. */
export const sentQuestions = ({ questions }: QuestionValues) =>
  questions.map(({ question, customQuestion, answer_hash }) =>
    question === ownQuestion.value ? { customQuestion, answer_hash } : question === undefined ? { answer_hash } : { question, answer_hash },
  )

export function QuestionFields({ form, salt }: { form: FormKit<QuestionValues>; salt: string }) {
  const options = [
    ...Object.entries(offeredQuestions).map(([value, label]) => ({ value, label: t(label) })),
    { value: ownQuestion.value, label: t(ownQuestion.label) },
  ]
  return form.values.questions.map(({ question }, index) => {
    const number = index + 1
    return (
      // oxlint-disable-next-line react/no-array-index-key -- as many as there are, never moved
      <Section key={index} title={t('Question {number}', { number })}>
        <Stack gap="sm">
          <SelectField
            {...form.field(`questions.${index}.question`)}
            label={t('Question {number}', { number })}
            options={options}
            required
          />
          {question === ownQuestion.value && (
            <TextField {...form.field(`questions.${index}.customQuestion`)} label={t('Your question {number}', { number })} required />
          )}
          <AnswerField
            {...form.field(`questions.${index}.answer_hash`)}
            label={t('Answer {number}', { number })}
            salt={salt}
            version={currentVersion}
          />
        </Stack>
      </Section>
    )
  })
}
