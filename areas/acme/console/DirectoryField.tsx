// The directory that a form is about: the first of the list until somebody types, then what the server finds, however many there are.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { FieldProps } from '#core/console/kit/field-style.ts'
import { SelectField } from '#core/console/kit/fields.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { acme } from '../contract.ts'
import { mostDirectories } from './use-directories.ts'

export function DirectoryField({
  field,
  first,
}: {
  field: Omit<FieldProps<string | undefined>, 'label'>
  first: readonly { id: string; name: string }[]
}) {
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(acme.calls.directories, { text, size: mostDirectories }, { enabled: text !== '', keepPrevious: true })
  const rows = text === '' ? first : (found.data?.rows ?? [])
  return (
    <SelectField
      {...field}
      label={t('Directory')}
      options={rows.map(({ id, name }) => ({ value: id, label: name }))}
      onSearch={onSearch}
      required
    />
  )
}
