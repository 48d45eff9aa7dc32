// The confirmation of renewing many certificates.

import type { BulkTexts, RunValues } from '#areas/bulk/bulk-actions.tsx'
import { certificates } from '#areas/certificates/contract.ts'
import { CheckboxField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { renewal } from '../contract.ts'
import type { RowWord } from '../rules.ts'

const outcomes: Record<RowWord, (count: number) => string> = {
  renewed: () => t('Renewed'),
  underWay: (count) => t('{count, plural, one {Is being issued} other {Are being issued}}', { count }),
  waiting: (count) => t('{count, plural, one {Waits for others} other {Wait for others}}', { count }),
  invited: (count) => t('{count, plural, one {Waits for a new key of its holder} other {Wait for new keys of their holders}}', { count }),
  collect: (count) =>
    t('{count, plural, one {Waits for its holder to collect the new key} other {Wait for their holders to collect the new key}}', {
      count,
    }),
}
const isOutcome = (word: string): word is RowWord => Object.hasOwn(outcomes, word)

/** Those whose time has come. */
const dueOf = ({ sameKey = 0, newKey = 0, byHand = 0 }: Readonly<Record<string, number>>): number => sameKey + newKey + byHand

function EarlyField({ form, facts: { early = 0 } }: { form: FormKit<RunValues>; facts: Readonly<Record<string, number>> }) {
  return early === 0 ? null : (
    <CheckboxField
      {...form.field('ticks.early')}
      label={t('Also renew those that are too early')}
      hint={t(
        '{count, plural, one {# is renewed now, before the time that its template says} other {# are renewed now, before the time that their templates say}}.',
        { count: early },
      )}
    />
  )
}

export const renewTexts = (): BulkTexts => ({
  title: (count) => t('Renew {count, plural, one {# certificate} other {# certificates}}', { count }),
  submit: (count) => t('Renew {count, plural, one {# certificate} other {# certificates}}', { count }),
  keep: t('Renew none'),
  inVain: (facts) =>
    dueOf(facts) + (facts['early'] ?? 0) > 0 ? undefined : t('Nothing would be renewed, so there is nothing to confirm.'),
  consequence: ({
    sameKey = 0,
    newKey = 0,
    byHand = 0,
    early = 0,
    tooEarly = 0,
    never = 0,
    over = 0,
    onHold = 0,
    already = 0,
    foreign = 0,
  }) => [
    ...(early + tooEarly > 0
      ? [
          t(
            '{due, plural, =0 {None is due} one {# is due} other {# are due}}, {count, plural, one {# is too early} other {# are too early}}.',
            { due: sameKey + newKey + byHand, count: early + tooEarly },
          ),
        ]
      : []),
    ...(sameKey > 0
      ? [
          t(
            '{count, plural, one {# keeps its key, and is issued anew} other {# keep their keys, and are issued anew}}, with the names that they have and the rules of today.',
            { count: sameKey },
          ),
        ]
      : []),
    ...(byHand > 0
      ? [
          t(
            '{count, plural, one {# is renewed by hand: you do that now, for the key that it has} other {# are renewed by hand: you do that now, for the keys that they have}}. Where the key will not do any more, its holder is asked by mail for a new one.',
            { count: byHand },
          ),
        ]
      : []),
    ...(newKey > 0
      ? [
          t(
            '{count, plural, one {# takes a new key} other {# take new keys}}: what was made here is granted and then collected by its holder; where the holder makes the key, a mail asks for a request of it.',
            { count: newKey },
          ),
        ]
      : []),
    ...(early > 0
      ? [
          t(
            '{count, plural, one {# whose time for renewal has not come fails} other {# whose time for renewal has not come fail}}, unless you choose below to renew early.',
            { count: early },
          ),
        ]
      : []),
    ...(tooEarly > 0
      ? [
          t(
            '{count, plural, one {# fails} other {# fail}} until the time for renewal comes: you may not renew early there, or the holder makes the next key.',
            { count: tooEarly },
          ),
        ]
      : []),
    ...(sameKey + newKey + byHand + early > 0
      ? [
          t('The old certificates stay valid until their end.'),
          t('Others must agree first where the template asks for approval, and where the key is a person’s own.'),
        ]
      : []),
    ...(never > 0
      ? [
          t(
            '{count, plural, one {# is never renewed and fails} other {# are never renewed and fail}}: their templates say so. Ask for new ones.',
            { count: never },
          ),
        ]
      : []),
    ...(over > 0
      ? [t('{count, plural, one {# is not valid any more and fails} other {# are not valid any more and fail}}.', { count: over })]
      : []),
    ...(onHold > 0
      ? [
          t('{count, plural, one {# is on hold and fails until it is released} other {# are on hold and fail until they are released}}.', {
            count: onHold,
          }),
        ]
      : []),
    ...(already > 0
      ? [t('{count, plural, one {# was renewed already and fails} other {# were renewed already and fail}}.', { count: already })]
      : []),
    ...(foreign > 0
      ? [
          t(
            '{count, plural, one {# was issued by others and fails} other {# were issued by others and fail}}: renew them where they were issued.',
            { count: foreign },
          ),
        ]
      : []),
  ],
  Fields: EarlyField,
  check: (facts, { ticks }) =>
    dueOf(facts) === 0 && ticks['early'] !== true ? { 'ticks.early': t('None is due: tick this, or renew none') } : {},
  chosen: ({ early }) => [{ label: t('Those that are too early'), value: early === true ? t('Renewed, too') : '' }],
  outcome: (word, count) => (isOutcome(word) ? outcomes[word](count) : word),
  // One's own, whatever it is for, stands among one's requests; those of others with who decides them.
  request: ({ requestId, own }) =>
    own
      ? { path: to(certificates.screens.add, { entity: 'user' }, { request: requestId }), needs: certificates.screens.add.needs }
      : { path: to(certificates.screens.approval, { id: requestId }), needs: certificates.screens.approval.needs },
  rowPath: (certId) => to(renewal.screens.view, { certId }),
})
