// The fields of a profile. The same ones add and edit.

import { SelectField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import type { protocolRoom } from '../contract.ts'

export type ProfileValues = Omit<InputOf<typeof protocolRoom.calls.addProfile>, 'protocol'>
type Templates = OutputOf<typeof protocolRoom.calls.choices>['templates']

export const newProfile = (templates: Templates): ProfileValues => ({
  name: '',
  enabled: true,
  templateId: (templates.find(({ approvals }) => approvals === 0) ?? templates[0])?.templateId ?? '',
  renewal: true,
})

type Props = { form: FormKit<ProfileValues>; templates: Templates }

export function ProfileFields({ form, templates }: Props) {
  const approvals = templates.find(({ templateId }) => templateId === form.values.templateId)?.approvals ?? 0
  return (
    <>
      <FormSection title={t('Profile')}>
        <TextField {...form.field('name')} label={t('Name')} required />
        <SwitchField {...form.field('enabled')} label={t('Switched on')} />
        <SelectField
          {...form.field('templateId')}
          label={t('Template')}
          hint={
            approvals > 0
              ? t('Somebody must agree to each certificate: clients wait and ask again')
              : t('Its rules hold here as everywhere. Those of authorities of this tenancy can be chosen')
          }
          required
          options={templates.map(({ templateId, name }) => ({ value: templateId, label: name }))}
        />
        <SwitchField
          {...form.field('renewal')}
          label={t('Renew with the certificate that there is')}
          hint={t('Whoever holds a certificate of this template, that is good now, gets the next one for the same names')}
        />
      </FormSection>
    </>
  )
}
