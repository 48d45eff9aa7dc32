import { t } from '#core/console/text.ts'
import { isOffered, offeredQuestions } from './rules.ts'

/** What a question says: an offered one in the language of the reader, one's own as it was written. */
export const questionLabel = ({
  question,
  customQuestion = '',
}: {
  question?: string | undefined
  customQuestion?: string | undefined
}): string => (isOffered(question) ? t(offeredQuestions[question]) : customQuestion)
