// The confirmations of deciding on many requests, and of withdrawing many.

import type { BulkTexts, RunValues } from '#areas/bulk/bulk-actions.tsx'
import { RadioField, TextAreaField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { approvalPath } from '../paths.ts'

const verdicts = { approve: () => t('Approve requests'), deny: () => t('Deny requests') }

function DecisionFields({ form }: { form: FormKit<RunValues> }) {
  return (
    <>
      <RadioField
        {...form.field('parameters.verdict')}
        label={t('Your decision')}
        required
        options={[
          {
            value: 'approve',
            label: verdicts.approve(),
            hint: t(
              'Where yours is the last approval that is needed, the certificate is issued at once, or is ready to collect where its key is still to be made.',
            ),
          },
          { value: 'deny', label: verdicts.deny(), hint: t('One denial ends a request.') },
        ]}
      />
      <TextAreaField {...form.field('parameters.comment')} label={t('Comment')} hint={t('The requesters read it.')} />
    </>
  )
}

const outcomes: Record<string, () => string> = {
  approved: () => t('Approved'),
  denied: () => t('Denied'),
  voted: () => t('Approved, others must agree, too'),
  withdrawn: () => t('Withdrawn'),
}

export const decideTexts = (): BulkTexts => ({
  title: (count) => t('Decide on {count, plural, one {# request} other {# requests}}', { count }),
  submit: (count) => t('Decide on {count, plural, one {# request} other {# requests}}', { count }),
  keep: t('Decide on none'),
  consequence: () => [
    t('Each counts as your own decision, with this comment.'),
    t('Requests of your own, for you, or changed by you cannot be decided by you, and fail.'),
    t('A request that is changed after you ticked it, or before its turn, fails: you have not read what it asks for then.'),
  ],
  outcome: (word) => outcomes[word]?.() ?? word,
  Fields: DecisionFields,
  chosen: ({ verdict, comment }) => [
    { label: t('Decision'), value: verdict === 'approve' || verdict === 'deny' ? verdicts[verdict]() : '' },
    { label: t('Comment'), value: typeof comment === 'string' ? comment : '' },
  ],
  rowPath: approvalPath,
})

export const withdrawTexts = (): BulkTexts => ({
  title: (count) => t('Withdraw {count, plural, one {# request} other {# requests}}', { count }),
  submit: (count) => t('Withdraw {count, plural, one {# request} other {# requests}}', { count }),
  keep: t('Keep requests'),
  danger: true,
  consequence: () => [
    t('They end, and nobody can approve them any more. You can ask again.'),
    t('Only requests that you made and that are still open can be withdrawn; others fail.'),
  ],
  outcome: (word) => outcomes[word]?.() ?? word,
})
