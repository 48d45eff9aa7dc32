// The fields of an organisation. The same ones add and edit.

import { SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { CheckboxField, SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { checkBusinessNumber } from '../business-numbers.ts'
import { organisationTypes, type OrganisationType } from '../rules.ts'
import { countryOptions, typeLabels } from './labels.ts'

export type OrganisationValues = {
  name: string
  type: OrganisationType
  country: string
  businessNumber: string
  address: string
  contact: string
  note: string
  keepWrongNumber: boolean
}

export function OrganisationFields({ form }: { form: FormKit<OrganisationValues> }) {
  const [countries] = useState(countryOptions)
  const country = form.field('country')
  return (
    <>
      <Section title={t('Details')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField {...form.field('name')} label={t('Name')} autoFocus required />
          <SelectField
            {...form.field('type')}
            label={t('Type')}
            options={organisationTypes.map((value) => ({ value, label: t(typeLabels[value].label) }))}
          />
        </SimpleGrid>
      </Section>
      <Section title={t('Business number')} intro={t('What the register of the country knows it by, such as an ABN.')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <SelectField
            {...country}
            value={country.value === '' ? undefined : country.value}
            onChange={(code) => country.onChange(code ?? '')}
            label={t('Country')}
            options={countries}
            clearable
          />
          <TextField {...form.field('businessNumber')} label={t('Business number')} />
        </SimpleGrid>
        <NumberVerdict form={form} />
      </Section>
      <Section title={t('Contact')}>
        <TextField {...form.field('contact')} label={t('Contact')} hint={t('An e-mail address, a telephone number or a name')} />
        <TextAreaField {...form.field('address')} label={t('Address')} rows={3} />
        <TextAreaField {...form.field('note')} label={t('Note')} hint={t('For your colleagues; nobody else sees it')} rows={3} />
      </Section>
    </>
  )
}

/** Says while one types whether the number can be right. A wrong one is saved only where somebody says so: it is shown as wrong until it is mended. */
function NumberVerdict({ form }: { form: FormKit<OrganisationValues> }) {
  const { businessNumber, country } = form.values
  const { valid, normalised, error } = checkBusinessNumber(businessNumber, country)
  if (businessNumber.trim() === '' || country === '') return null
  if (valid)
    return (
      <Text size="sm" role="status" c="dimmed">
        {t('Written as {number}', { number: normalised })}
      </Text>
    )
  return (
    <>
      {form.error('businessNumber') === undefined && (
        <Text size="sm" role="status" c="var(--chancery-warn)">
          {t(error ?? '')}
        </Text>
      )}
      <CheckboxField
        {...form.field('keepWrongNumber')}
        label={t('Keep this number')}
        hint={t('It is shown as wrong, and the list finds it, until somebody mends it')}
      />
    </>
  )
}
