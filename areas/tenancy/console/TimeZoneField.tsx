// A time zone out of four hundred: typed and picked, a few shown at a time, so that the form stays quick.

import { Select } from '@mantine/core'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { t } from '#core/console/text.ts'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((value) => ({ value, label: value.replaceAll('_', ' ') }))
const shownAtOnce = 30

export function TimeZoneField({ name, value = 'UTC', onChange, onBlur, error }: FieldBinding<string | undefined>) {
  const known = zones.some((zone) => zone.value === value)
  return (
    <Select
      data-field={name}
      label={t('Time zone')}
      description={t('Type a town, such as London')}
      data={known ? zones : [{ value, label: value }, ...zones]}
      limit={shownAtOnce}
      searchable
      allowDeselect={false}
      required
      value={value}
      error={error}
      nothingFoundMessage={t('Nothing found')}
      onBlur={onBlur}
      onChange={(picked) => onChange(picked ?? 'UTC')}
    />
  )
}
