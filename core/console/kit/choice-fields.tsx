// The fields with a list to choose from, and the one for numbers.

import { MultiSelect, Select, TagsInput, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useRef, useState } from 'react'
import { clamp, typedInteger } from '#core/contract/typed-number.ts'
import { t } from '../text.ts'
import { fieldStyle, type FieldProps, type Option } from './field-style.ts'

/**
 * A whole number, as it is typed: what is none stays in view and is NaN to the form, whose shape refuses it. It is required unless told otherwise; the hint of
 * an optional one says what empty means.
 */
export function NumberField(props: FieldProps<number | undefined> & { optional?: boolean; min?: number; max?: number; suffix?: string }) {
  const { hint, optional = false, min = -Infinity, max = Infinity, suffix, value, onChange } = props
  const [typed, setTyped] = useState('')
  const numberOf = (text: string) => typedInteger(text, { sign: min < 0 })
  const put = (text: string): void => {
    setTyped(text)
    onChange(numberOf(text))
  }
  const step = (by: 1 | -1): void => put(String(clamp((value ?? Math.max(min, 0) - by) + by, min, max)))
  return (
    <TextInput
      {...fieldStyle({ ...props, required: !optional })}
      {...(suffix === undefined
        ? {}
        : {
            rightSection: (
              <Text c="dimmed" size="sm" aria-hidden>
                {suffix}
              </Text>
            ),
            rightSectionWidth: `calc(${suffix.length}ch + 20px)`,
            // In the corner of the field it is for the eye.
            description: (
              <>
                {hint} <VisuallyHidden>{suffix}</VisuallyHidden>
              </>
            ),
          })}
      inputMode={min < 0 ? 'text' : 'numeric'}
      autoComplete="off"
      // What was typed, unless another value has been put in its place since.
      value={Object.is(numberOf(typed), value) ? typed : value === undefined || Number.isNaN(value) ? '' : String(value)}
      onChange={(event) => put(event.currentTarget.value)}
      onKeyDown={(event) => {
        if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || Number.isNaN(value)) return
        event.preventDefault()
        step(event.key === 'ArrowUp' ? 1 : -1)
      }}
    />
  )
}

/** Where the options are what a search on the server found: it hears what is typed, and nothing is left out of its answer here. */
type Searched = { onSearch?: (text: string) => void }

const asFound = <O,>({ options }: { options: O }): O => options

/** Adds what was picked and is not among the options any more, with the label that it had. */
function useWithPicked<T extends string>(options: readonly Option<T>[], picked: readonly T[]): readonly Option<T>[] {
  const known = useRef(new Map<T, Option<T>>())
  for (const option of options) known.current.set(option.value, option)
  const missing = picked.filter((one) => !options.some(({ value }) => value === one))
  return [...options, ...missing.flatMap((one) => known.current.get(one) ?? [])]
}

type Item = { value: string; label: string }
type Heading = { group: string; items: Item[] }

/** Options of one group stand together, in the order of the first of each. */
function underHeadings(options: readonly Option[]): (Item | Heading)[] {
  const item = ({ value, label }: Option): Item => ({ value, label })
  return [...Map.groupBy(options, ({ group }) => group)].flatMap(([group, some]): (Item | Heading)[] =>
    group === undefined ? some.map(item) : [{ group, items: some.map(item) }],
  )
}

/** Draws under each option what it says of itself. */
const withHints = (options: readonly Option[]) =>
  options.some(({ hint }) => hint !== undefined)
    ? {
        renderOption: ({ option }: { option: Item }) => (
          <div>
            {option.label}
            <Text size="xs" c="dimmed">
              {options.find(({ value }) => value === option.value)?.hint}
            </Text>
          </div>
        ),
      }
    : {}

export function SelectField<T extends string>(
  props: FieldProps<T | undefined> & { options: readonly Option<NoInfer<T>>[]; placeholder?: string; clearable?: boolean } & Searched,
) {
  const { value, onChange, clearable = false, onSearch } = props
  const options = useWithPicked(props.options, value === undefined ? [] : [value])
  const labelOfPicked = options.find((option) => option.value === value)?.label
  return (
    <Select
      {...fieldStyle(props)}
      data={underHeadings(options)}
      {...withHints(options)}
      value={value ?? null}
      searchable={onSearch !== undefined || options.length > 8}
      {...(onSearch === undefined
        ? {}
        : // The label of what is picked stands in the field; nobody has typed it.
          { filter: asFound, onSearchChange: (text: string) => onSearch(text === labelOfPicked ? '' : text) })}
      clearable={clearable}
      allowDeselect={clearable}
      placeholder={props.placeholder ?? t('Choose')}
      clearButtonProps={{ 'aria-label': t('Clear {label}', { label: props.label }) }}
      nothingFoundMessage={t('Nothing found')}
      onChange={(picked) => onChange(options.find((option) => option.value === picked)?.value)}
    />
  )
}

export function MultiSelectField<T extends string>(
  props: FieldProps<T[] | undefined> & { options: readonly Option<NoInfer<T>>[]; placeholder?: string } & Searched,
) {
  const { value = [], onChange, onSearch } = props
  const options = useWithPicked(props.options, value)
  return (
    <MultiSelect
      {...fieldStyle(props)}
      data={options.map(({ value, label }) => ({ value, label }))}
      value={value}
      searchable
      {...(onSearch === undefined ? {} : { filter: asFound, onSearchChange: onSearch })}
      clearable
      hidePickedOptions
      {...withHints(options)}
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
      {...fieldStyle(props)}
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
