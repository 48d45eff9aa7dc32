// One attribute in a form, by its kind.

import type { Attribute } from '#areas/users/attributes.ts'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { DateField, MultiSelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'

export function AttributeField({ attribute, binding }: { attribute: Attribute; binding: FieldBinding<string | undefined> }) {
  const { label, kind, options = [], protected: guarded } = attribute
  const said = { ...binding, label: t(label), ...(guarded === true ? { hint: t('Changing it asks who you are') } : {}) }
  if (kind === 'date')
    return <DateField {...said} value={binding.value === '' ? undefined : binding.value} onChange={(day) => binding.onChange(day ?? '')} />
  if (kind === 'text') return <TextAreaField {...said} rows={2} />
  if (kind === 'choices')
    return (
      <MultiSelectField
        {...said}
        options={options.map((option) => ({ value: option, label: t(option) }))}
        value={(binding.value ?? '').split('; ').filter((one) => one !== '')}
        onChange={(chosen) => binding.onChange((chosen ?? []).join('; '))}
      />
    )
  return <TextField {...said} />
}
