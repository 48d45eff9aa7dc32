// The fields of a profile. The same ones add and edit.

import { Alert } from '@mantine/core'
import { NumberField, SelectField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import type { protocolRoom } from '../contract.ts'
import { lineLengths, type Protocol } from '../rules.ts'

export type ProfileValues = Omit<InputOf<typeof protocolRoom.calls.addProfile>, 'protocol'>
type Templates = OutputOf<typeof protocolRoom.calls.choices>['templates']

export const newProfile = (templates: Templates): ProfileValues => ({
  name: '',
  enabled: true,
  templateId: (templates.find(({ approvals }) => approvals === 0) ?? templates[0])?.templateId ?? '',
  renewal: true,
  lineLength: 0,
  serverKeys: false,
  implicitConfirmation: true,
  confirmationMinutes: 60,
})

type Props = { protocol: Protocol; form: FormKit<ProfileValues>; templates: Templates }

export function ProfileFields({ protocol, form, templates }: Props) {
  const chosen = templates.find(({ templateId }) => templateId === form.values.templateId)
  const approvals = chosen?.approvals ?? 0
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
        {protocol === 'windows' && chosen?.identified === false && (
          <Alert color="yellow" title={t('Auto-enrolment will not know its certificates')}>
            {t('Switch on “Windows template identifier” in this template. Without it Windows asks for another certificate each time.')}
          </Alert>
        )}
        <SwitchField
          {...form.field('renewal')}
          label={t('Renew with the certificate that there is')}
          hint={t('Whoever holds a certificate of this template, that is good now, gets the next one for the same names')}
        />
      </FormSection>
      {protocol === 'est' && <EstFields form={form} />}
      {protocol === 'cmp' && <CmpFields form={form} />}
    </>
  )
}

function EstFields({ form }: Pick<Props, 'form'>) {
  const field = form.field('lineLength')
  return (
    <FormSection title={t('Clients')}>
      <SelectField
        {...field}
        value={String(field.value)}
        onChange={(value) => field.onChange(lineLengths.find((length) => String(length) === value) ?? 0)}
        label={t('Lines of base64')}
        hint={t('strongSwan reads one line; libest reads lines')}
        options={lineLengths.map((length) => ({
          value: String(length),
          label: length === 0 ? t('One line') : t('{length} characters', { length }),
        }))}
      />
      <SwitchField
        {...form.field('serverKeys')}
        label={t('Make keys for clients that ask for it')}
        hint={t('The key is sent once and not kept')}
      />
    </FormSection>
  )
}

const CmpFields = ({ form }: Pick<Props, 'form'>) => (
  <FormSection title={t('Confirmation')}>
    <SwitchField
      {...form.field('implicitConfirmation')}
      label={t('Clients may do without')}
      hint={t('A client that asks for it need not say that it has its certificate')}
    />
    <NumberField
      {...form.field('confirmationMinutes')}
      label={t('Minutes to confirm')}
      hint={t('A certificate that is not confirmed by then is revoked')}
      min={1}
      max={1440}
      required
    />
  </FormSection>
)
