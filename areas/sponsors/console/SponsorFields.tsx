// The terms of a sponsor. The same ones add and edit.

import { SimpleGrid } from '@mantine/core'
import { useOrganisationSearch } from '#areas/organisations/organisation-search.tsx'
import { DateField, NumberField, SelectField, TagsField, TextAreaField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'

export type SponsorValues = {
  organisationId: string | undefined
  from: string | undefined
  until: string | undefined
  most: number | undefined
  passTypes: string[]
  note: string
}

/** What the calls take: what is empty is left out. */
export const termsOf = ({ organisationId, from, until, most, passTypes, note }: SponsorValues) => ({
  from: from ?? '',
  most: most ?? Number.NaN,
  passTypes,
  note,
  ...(organisationId === undefined ? {} : { organisationId }),
  ...(until === undefined || until === '' ? {} : { until }),
})

export function SponsorFields({
  form,
  organisation,
}: {
  form: FormKit<SponsorValues>
  organisation?: { id: string; name: string } | undefined
}) {
  const { options, onSearch } = useOrganisationSearch()
  const held =
    organisation === undefined || options.some(({ value }) => value === organisation.id)
      ? []
      : [{ value: organisation.id, label: organisation.name }]
  return (
    <Section title={t('Terms')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DateField {...form.field('from')} label={t('From')} required />
        <DateField {...form.field('until')} label={t('Until')} hint={t('Empty: for good')} />
        <NumberField {...form.field('most')} label={t('Most people')} min={1} max={10_000} />
        <SelectField
          {...form.field('organisationId')}
          label={t('Organisation')}
          options={[...options, ...held]}
          onSearch={onSearch}
          clearable
        />
      </SimpleGrid>
      <TagsField {...form.field('passTypes')} label={t('Pass types')} hint={t('Of the people sponsored, such as Contractor or Guest')} />
      <TextAreaField {...form.field('note')} label={t('Note')} rows={3} />
    </Section>
  )
}
