// The confirmations of putting many certificates on hold, and of releasing many.

import type { BulkTexts, RunValues } from '#areas/bulk/bulk-actions.tsx'
import { certificates } from '#areas/certificates/contract.ts'
import { TextAreaField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'

const NoteField = ({ form }: { form: FormKit<RunValues> }) => (
  <TextAreaField
    {...form.field('parameters.note')}
    label={t('Note')}
    hint={t('For those who decide, and for the record. It is not published.')}
  />
)

const common: Pick<BulkTexts, 'Fields' | 'chosen' | 'request' | 'rowPath'> = {
  Fields: NoteField,
  chosen: ({ note }) => [{ label: t('Note'), value: typeof note === 'string' ? note : '' }],
  request: ({ targetId }) => ({
    path: to(revocation.screens.viewPending, { certId: targetId }),
    needs: revocation.screens.viewPending.needs,
  }),
  rowPath: (certId) => to(certificates.screens.view, { certId }),
}

const waits = (count: number) => t('{count, plural, one {Waits for others} other {Wait for others}}', { count })

export const holdTexts = (): BulkTexts => ({
  ...common,
  title: (count) => t('Put {count, plural, one {# certificate} other {# certificates}} on hold', { count }),
  submit: (count) => t('Put {count, plural, one {# certificate} other {# certificates}} on hold', { count }),
  keep: t('Keep certificates'),
  danger: true,
  consequence: ({ already = 0, held = 0, foreign = 0, approval = 0, holders = 0 }) => [
    t('Whoever verifies one of them refuses it until it is released.'),
    t('{count, plural, one {# person or device} other {# people and devices}} cannot use a valid certificate until then.', {
      count: holders,
    }),
    ...(approval > 0
      ? [t('{count, plural, one {# becomes a request} other {# become requests}}: others must agree.', { count: approval })]
      : []),
    ...(already + held > 0
      ? [
          t('{count, plural, one {# is revoked or on hold already and fails} other {# are revoked or on hold already and fail}}.', {
            count: already + held,
          }),
        ]
      : []),
    ...(foreign > 0
      ? [t('{count, plural, one {# was issued by others and fails} other {# were issued by others and fail}}.', { count: foreign })]
      : []),
  ],
  outcome: (word, count) => (word === 'pending' ? waits(count) : t('On hold')),
})

export const releaseTexts = (): BulkTexts => ({
  ...common,
  title: (count) => t('Release {count, plural, one {# certificate} other {# certificates}} from hold', { count }),
  submit: (count) => t('Release {count, plural, one {# certificate} other {# certificates}}', { count }),
  keep: t('Keep them on hold'),
  consequence: ({ held = 0, approval = 0 }, count) => [
    t('They are good again for everybody who verifies them.'),
    ...(held < count
      ? [t('{count, plural, one {# is not on hold and fails} other {# are not on hold and fail}}.', { count: count - held })]
      : []),
    ...(approval > 0
      ? [t('{count, plural, one {# becomes a request} other {# become requests}}: others must agree.', { count: approval })]
      : []),
  ],
  inVain: ({ held = 0 }) => (held === 0 ? t('None of these is on hold.') : undefined),
  outcome: (word, count) => (word === 'pending' ? waits(count) : t('Released')),
})
