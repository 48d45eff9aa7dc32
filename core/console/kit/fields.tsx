// The fields of a form: label above, hint below it, error under the field. Each takes what `form.field('name')` gives.

import { Checkbox, Input, MultiSelect, NumberInput, PasswordInput, Radio, Select, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react'
import { t } from '../text.ts'
import type { FieldBinding } from './field-binding.ts'

export type FieldProps<T> = FieldBinding<T> & {
  label: string
  hint?: ReactNode
  required?: boolean
  /** Shown, but not to be changed: say why in the hint. */
  disabled?: boolean
}

type Typed = { autoComplete?: HTMLInputAutoCompleteAttribute; placeholder?: string; autoFocus?: boolean }

export type Option<T extends string = string> = { value: T; label: string; hint?: string }

const shown = ({ name, label, hint, required = false, disabled = false, error, onBlur }: FieldProps<never> | FieldProps<unknown>) => ({
  'data-field': name,
  label,
  required,
  disabled,
  error,
  onBlur,
  ...(hint === undefined ? {} : { description: hint }),
})

const typed = ({ autoComplete, placeholder, autoFocus }: Typed) => ({
  autoComplete: autoComplete ?? 'off',
  ...(placeholder === undefined ? {} : { placeholder }),
  ...(autoFocus === true ? { 'data-autofocus': true, autoFocus } : {}),
})

export function TextField(props: FieldProps<string | undefined> & Typed & { type?: 'text' | 'email' | 'tel' | 'url'; inputMode?: 'numeric' | 'text' }) {
  return (
    <TextInput
      {...shown(props)}
      {...typed(props)}
      type={props.type ?? 'text'}
      {...(props.inputMode === undefined ? {} : { inputMode: props.inputMode })}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

export function PasswordField(props: FieldProps<string | undefined> & Typed) {
  return (
    <PasswordInput
      {...shown(props)}
      {...typed(props)}
      value={props.value ?? ''}
      visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password'), tabIndex: 0, 'aria-hidden': false }}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

export function TextAreaField(props: FieldProps<string | undefined> & Typed & { rows?: number }) {
  return <Textarea {...shown(props)} {...typed(props)} autosize minRows={props.rows ?? 3} maxRows={20} value={props.value ?? ''} onChange={(event) => props.onChange(event.currentTarget.value)} />
}

export function NumberField(props: FieldProps<number | undefined> & { min?: number; max?: number; step?: number; suffix?: string }) {
  return (
    <NumberInput
      {...shown(props)}
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
      {...shown(props)}
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
      {...shown(props)}
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

/** Several texts: each ends with Enter or a comma; a pasted list is split. */
export function TagsField(props: FieldProps<string[] | undefined> & { placeholder?: string; suggestions?: readonly string[] }) {
  return (
    <TagsInput
      {...shown(props)}
      data={[...(props.suggestions ?? [])]}
      value={props.value ?? []}
      splitChars={[',', ';', ' ', '\n']}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': t('Clear {label}', { label: props.label }) }}
      {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
      onChange={props.onChange}
    />
  )
}

export function CheckboxField(props: FieldProps<boolean | undefined>) {
  return <Checkbox {...withoutRequired(shown(props))} checked={props.value ?? false} onChange={(event) => props.onChange(event.currentTarget.checked)} />
}

export function SwitchField(props: FieldProps<boolean | undefined>) {
  return <Switch {...withoutRequired(shown(props))} checked={props.value ?? false} onChange={(event) => props.onChange(event.currentTarget.checked)} />
}

/** Few choices, each with its explanation in view. */
export function RadioField<T extends string>(props: FieldProps<T | undefined> & { options: readonly Option<NoInfer<T>>[] }) {
  const { options, value, onChange, onBlur, ...rest } = props
  return (
    <Radio.Group {...shown({ ...rest, onBlur: () => {}, onChange: () => {}, value: undefined })} value={value ?? ''} onChange={(picked) => onChange(options.find((option) => option.value === picked)?.value)}>
      <Stack gap="xs" mt={6} onBlur={onBlur}>
        {options.map(({ value, label, hint }) => (
          <Radio key={value} value={value} label={label} {...(hint === undefined ? {} : { description: hint })} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** Any number of few choices, all in view. */
export function CheckboxGroupField<T extends string>(props: FieldProps<T[] | undefined> & { options: readonly Option<NoInfer<T>>[]; columns?: number }) {
  const { options, value = [], onChange, columns = 1, onBlur, ...rest } = props
  return (
    <Checkbox.Group
      {...shown({ ...rest, onBlur: () => {}, onChange: () => {}, value: undefined })}
      value={value}
      onChange={(picked) => onChange(options.map((option) => option.value).filter((one) => picked.includes(one)))}
    >
      <div style={{ display: 'grid', gridTemplateColumns: `repeat(auto-fill, minmax(max(${Math.floor(100 / columns) - 2}%, 160px), 1fr))`, gap: 8, marginBlockStart: 6 }} onBlur={onBlur}>
        {options.map(({ value, label, hint }) => (
          <Checkbox key={value} value={value} label={label} {...(hint === undefined ? {} : { description: hint })} />
        ))}
      </div>
    </Checkbox.Group>
  )
}

/** A day (`2026-03-31`) or a moment (`2026-03-31T09:00`, local time), by the browser's own picker. */
export function DateField(props: FieldProps<string | undefined> & { withTime?: boolean; min?: string; max?: string }) {
  const { name, label, hint, required = false, disabled = false, error, value, onChange, onBlur, withTime = false, min, max } = props
  return (
    <Input.Wrapper label={label} {...(hint === undefined ? {} : { description: hint })} required={required} error={error}>
      <Input
        data-field={name}
        type={withTime ? 'datetime-local' : 'date'}
        value={value ?? ''}
        disabled={disabled}
        {...(min === undefined ? {} : { min })}
        {...(max === undefined ? {} : { max })}
        onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        onBlur={onBlur}
      />
    </Input.Wrapper>
  )
}

// A tick is never "required": not ticking it is an answer.
const withoutRequired = <T extends { required: boolean }>({ required: _, ...rest }: T) => rest
