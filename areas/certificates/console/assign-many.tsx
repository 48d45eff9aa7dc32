// The confirmation of giving owner and tags to many certificates.

import type { BulkTexts, RunValues } from '#areas/bulk/bulk-actions.tsx'
import { PersonField } from '#areas/users/PersonField.tsx'
import { RadioField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { certificatePath } from '../paths.ts'

function AssignFields({ form }: { form: FormKit<RunValues> }) {
  return (
    <>
      <RadioField
        {...form.field('parameters.owner')}
        label={t('Owner')}
        required
        options={[
          { value: 'keep', label: t('As it is') },
          { value: 'set', label: t('One person') },
          { value: 'none', label: t('Nobody') },
        ]}
      />
      {form.values.parameters['owner'] === 'set' && (
        <PersonField
          {...form.field('parameters.username')}
          label={t('Owner to be')}
          hint={t('The person who answers for them.')}
          typed={{ label: t('Username'), hint: t('The person who answers for them.') }}
          required
        />
      )}
      <TextField {...form.field('parameters.addTags')} label={t('Tags to add')} hint={t('Separated by commas')} />
      <TextField {...form.field('parameters.removeTags')} label={t('Tags to remove')} hint={t('Separated by commas')} />
    </>
  )
}

export const assignTexts = (): BulkTexts => ({
  title: (count) => t('Change owner and tags of {count, plural, one {# certificate} other {# certificates}}', { count }),
  submit: (count) => t('Change {count, plural, one {# certificate} other {# certificates}}', { count }),
  keep: t('Change nothing'),
  consequence: () => [t('Nothing happens to the certificates themselves. They are found by what is said here.')],
  outcome: (word) => (word === 'assigned' ? t('Changed') : word === 'asItWas' ? t('As it was') : word),
  Fields: AssignFields,
  rowPath: certificatePath,
})
