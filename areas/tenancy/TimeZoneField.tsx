// A time zone out of four hundred: typed and picked, a few shown at a time, so that the form stays quick.

import { Select } from '@mantine/core'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { t } from '#core/console/text.ts'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((value) => ({
  value,
  label: value.replaceAll('_', ' '),
}))
const shownAtOnce = 30

/** `none`: what stands for no choice, where a person need not choose. */
export function TimeZoneField({ name, value = '', onChange, onBlur, error, none }: FieldBinding<string | undefined> & { none?: string }) {
  const offered = none === undefined ? zones : [{ value: '', label: none }, ...zones]
  const known = offered.some((zone) => zone.value === value)
  return (
    <Select
      data-field={name}
      label={t('Time zone')}
      description={t('Type a town, such as London')}
      data={known ? offered : [{ value, label: value }, ...offered]}
      limit={shownAtOnce}
      searchable
      allowDeselect={false}
      required={none === undefined}
      value={value}
      error={error}
      nothingFoundMessage={t('Nothing found')}
      onBlur={onBlur}
      onChange={(picked) => onChange(picked ?? (none === undefined ? 'UTC' : ''))}
    />
  )
}
