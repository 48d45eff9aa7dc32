// The fields with a list to choose from, and the one for numbers.

import { MultiSelect, NumberInput, Select, TagsInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../text.ts'
import { fieldLook, type FieldProps, type Option } from './field-look.ts'

export function NumberField(props: FieldProps<number | undefined> & { min?: number; max?: number; step?: number; suffix?: string }) {
  return (
    <NumberInput
      {...fieldLook(props)}
      allowDecimal={false}
      clampBehavior="none"
      {...(props.min === undefined ? {} : { min: props.min })}
      {...(props.max === undefined ? {} : { max: props.max })}
      {...(props.step === undefined ? {} : { step: props.step })}
      {...(props.suffix === undefined ? {} : { suffix: props.suffix })}
      value={props.value ?? ''}
      onChange={(value) => props.onChange(value === '' ? undefined : Number(value))}
    />
  )
}

export function SelectField<T extends string>(props: FieldProps<T | undefined> & { options: readonly Option<NoInfer<T>>[]; placeholder?: string; clearable?: boolean }) {
  const { options, value, onChange, clearable = false } = props
  return (
    <Select
      {...fieldLook(props)}
      data={options.map(({ value, label }) => ({ value, label }))}
      value={value ?? null}
      searchable={options.length > 8}
      clearable={clearable}
      allowDeselect={clearable}
      placeholder={props.placeholder ?? t('Choose')}
      clearButtonProps={{ 'aria-label': t('Clear {label}', { label: props.label }) }}
      nothingFoundMessage={t('Nothing found')}
      onChange={(picked) => onChange(options.find((option) => option.value === picked)?.value)}
    />
  )
}

export function MultiSelectField<T extends string>(props: FieldProps<T[] | undefined> & { options: readonly Option<NoInfer<T>>[]; placeholder?: string }) {
  const { options, value = [], onChange } = props
  return (
    <MultiSelect
      {...fieldLook(props)}
      data={options.map(({ value, label }) => ({ value, label }))}
      value={value}
      searchable
      clearable
      hidePickedOptions
      {...(value.length === 0 ? { placeholder: props.placeholder ?? t('Choose') } : {})}
      clearButtonProps={{ 'aria-label': t('Clear {label}', { label: props.label }) }}
      nothingFoundMessage={t('Nothing found')}
      onChange={(picked) => onChange(options.map((option) => option.value).filter((one) => picked.includes(one)))}
    />
  )
}

/** Several texts: each ends with Enter or a comma; a pasted list is split. What is typed and not ended counts, too: nobody means it to be lost. */
export function TagsField(props: FieldProps<string[] | undefined> & { placeholder?: string; suggestions?: readonly string[] }) {
  const [typed, setTyped] = useState('')
  const values = props.value ?? []
  const ended = useRef<string[]>([])
  // What is being typed stands last in the value and not among the tags.
  ended.current = typed.trim() !== '' && values.at(-1) === typed.trim() ? values.slice(0, -1) : values
  return (
    <TagsInput
      {...fieldLook(props)}
      data={[...(props.suggestions ?? [])]}
      value={ended.current}
      searchValue={typed}
      onSearchChange={(text) => {
        setTyped(text)
        if (text !== typed) props.onChange(text.trim() === '' ? ended.current : [...ended.current, text.trim()])
      }}
      splitChars={[',', ';', ' ', '\n']}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': t('Clear {label}', { label: props.label }) }}
      {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
      onChange={(tags) => {
        ended.current = tags
        props.onChange(tags)
      }}
    />
  )
}
