// A person, by username: chosen from those found for what is typed, or typed by who may not see people.

import { useMay } from '#core/console/bootstrap.ts'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { SelectField, TextField, type Option } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'
import { usePersonSearch } from './person-search.tsx'

type PersonFieldProps = Omit<FieldBinding<string>, 'value' | 'onChange'> & {
  value: string | undefined
  onChange(value: string): void
  label: string
  hint?: string
  placeholder?: string
  required?: boolean
  /** Choices beside people: nobody. */
  others?: readonly Option[]
  /** What the field says where the username is typed. */
  typed: { label: string; hint: string }
}

export function PersonField({ typed, others = [], placeholder, ...field }: PersonFieldProps) {
  const sees = useMay()('userView')
  const { people, onSearch } = usePersonSearch()
  if (!sees) return <TextField {...field} value={field.value ?? ''} label={typed.label} hint={typed.hint} />
  return (
    <SelectField
      {...field}
      value={field.value === '' ? undefined : field.value}
      onChange={(picked) => field.onChange(picked ?? '')}
      clearable
      onSearch={onSearch}
      {...(placeholder === undefined ? {} : { placeholder })}
      options={[
        ...others,
        ...people.map(({ username, givenName, familyName }) => ({
          value: username,
          label: t('{name} ({username})', { name: `${givenName} ${familyName}`, username }),
        })),
      ]}
    />
  )
}
