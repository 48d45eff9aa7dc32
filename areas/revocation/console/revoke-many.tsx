// The confirmation of revoking many certificates.

import type { BulkTexts, RunValues } from '#areas/bulk/bulk-actions.tsx'
import { certificates } from '#areas/certificates/contract.ts'
import { RadioField, TextAreaField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { reasonsForMany, reasonTexts } from '../rules.ts'

const isReason = (reason: unknown): reason is keyof typeof reasonTexts => typeof reason === 'string' && Object.hasOwn(reasonTexts, reason)

function ReasonFields({ form }: { form: FormKit<RunValues> }) {
  return (
    <>
      <RadioField
        {...form.field('parameters.reason')}
        label={t('Reason')}
        required
        options={reasonsForMany.map((value) => ({ value, label: t(reasonTexts[value].label), hint: t(reasonTexts[value].hint) }))}
      />
      <TextAreaField
        {...form.field('parameters.note')}
        label={t('Note')}
        hint={t('For those who decide, and for the record. It is not published.')}
      />
    </>
  )
}

export const revokeTexts = (): BulkTexts => ({
  title: (count) => t('Revoke {count, plural, one {# certificate} other {# certificates}}', { count }),
  submit: (count) => t('Revoke {count, plural, one {# certificate} other {# certificates}}', { count }),
  keep: t('Keep certificates'),
  danger: true,
  consequence: ({ already = 0, held = 0, foreign = 0, approval = 0, expired = 0, holders = 0 }, count) => [
    t('Whoever verifies one of them will refuse it. This cannot be undone.'),
    t('{count, plural, one {# person or device loses} other {# people and devices lose}} a valid certificate.', { count: holders }),
    ...(approval > 0
      ? [
          t(
            '{count, plural, one {# of them becomes a request: its template says that others must agree.} other {# of them become requests: their templates say that others must agree.}}',
            { count: approval },
          ),
        ]
      : []),
    ...(already > 0
      ? [
          t(
            '{count, plural, one {# is revoked already and fails, unless the reason is key compromise} other {# are revoked already and fail, unless the reason is key compromise}}.',
            { count: already },
          ),
        ]
      : []),
    ...(held > 0
      ? [
          t(
            '{count, plural, one {# is on hold: revoked for good it cannot be released any more} other {# are on hold: revoked for good they cannot be released any more}}. To put them on hold again fails.',
            { count: held },
          ),
        ]
      : []),
    ...(foreign > 0
      ? [
          t(
            '{count, plural, one {# was issued by others and fails} other {# were issued by others and fail}}: revoke them where they were issued.',
            { count: foreign },
          ),
        ]
      : []),
    ...(expired > 0
      ? [
          t('{count, plural, one {# has expired} other {# have expired}}: revoking them changes nothing for those who verify.', {
            count: expired,
          }),
        ]
      : []),
    ...(count > 10_000 ? [t('Revocation lists grow by as many entries. A drill measures by how much.')] : []),
  ],
  outcome: (word, count) =>
    word === 'revoked' ? t('Revoked') : t('{count, plural, one {Waits for others} other {Wait for others}}', { count }),
  Fields: ReasonFields,
  check: (_facts, { parameters }) => (isReason(parameters['reason']) ? {} : { 'parameters.reason': t('Choose a reason') }),
  chosen: ({ reason, note }) => [
    { label: t('Reason'), value: isReason(reason) ? t(reasonTexts[reason].label) : '' },
    { label: t('Note'), value: typeof note === 'string' ? note : '' },
  ],
  request: ({ targetId }) => ({
    path: to(revocation.screens.viewPending, { certId: targetId }),
    needs: revocation.screens.viewPending.needs,
  }),
  rowPath: (certId) => to(certificates.screens.view, { certId }),
})
