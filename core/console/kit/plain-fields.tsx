// The plain fields of a form: text, ticks, one of a few, a day. The ones with lists and numbers stand in choice-fields.tsx, so that the
// sign-in page does not load them.

import { Checkbox, PasswordInput, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { t } from '../text.ts'
import { fieldStyle, typedStyle, type FieldProps, type Option, type Typed } from './field-style.ts'

export function TextField(
  props: FieldProps<string | undefined> & Typed & { type?: 'text' | 'email' | 'tel' | 'url'; inputMode?: 'numeric' | 'text' },
) {
  return (
    <TextInput
      {...fieldStyle(props)}
      {...typedStyle(props)}
      type={props.type ?? 'text'}
      {...(props.inputMode === undefined ? {} : { inputMode: props.inputMode })}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

/** `eye`: what the button that shows it is called, where it is no password. */
export function PasswordField(props: FieldProps<string | undefined> & Typed & { eye?: string }) {
  return (
    <PasswordInput
      {...fieldStyle(props)}
      {...typedStyle(props)}
      value={props.value ?? ''}
      visibilityToggleButtonProps={{ 'aria-label': props.eye ?? t('Show or hide the password'), tabIndex: 0, 'aria-hidden': false }}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

export function TextAreaField(props: FieldProps<string | undefined> & Typed & { rows?: number }) {
  return (
    <Textarea
      {...fieldStyle(props)}
      {...typedStyle(props)}
      autosize
      minRows={props.rows ?? 3}
      maxRows={20}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

export function CheckboxField(props: FieldProps<boolean | undefined>) {
  return (
    <Checkbox
      {...withoutRequired(fieldStyle(props))}
      checked={props.value ?? false}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  )
}

export function SwitchField(props: FieldProps<boolean | undefined>) {
  return (
    <Switch
      {...withoutRequired(fieldStyle(props))}
      checked={props.value ?? false}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  )
}

/** Few choices, each with its explanation in view. */
export function RadioField<T extends string>(props: FieldProps<T | undefined> & { options: readonly Option<NoInfer<T>>[] }) {
  const { options, value, onChange, onBlur, ...rest } = props
  return (
    <Radio.Group
      {...fieldStyle({ ...rest, onBlur: () => {}, onChange: () => {}, value: undefined })}
      value={value ?? ''}
      onChange={(picked) => onChange(options.find((option) => option.value === picked)?.value)}
    >
      <Stack gap="xs" mt={6} onBlur={onBlur}>
        {options.map(({ value, label, hint }) => (
          <Radio key={value} value={value} label={label} {...(hint === undefined ? {} : { description: hint })} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** Any number of few choices, all in view. */
export function CheckboxGroupField<T extends string>(
  props: FieldProps<T[] | undefined> & { options: readonly Option<NoInfer<T>>[]; columns?: number },
) {
  const { options, value = [], onChange, columns = 1, onBlur, ...rest } = props
  return (
    <Checkbox.Group
      {...fieldStyle({ ...rest, onBlur: () => {}, onChange: () => {}, value: undefined })}
      value={value}
      onChange={(picked) => onChange(options.map((option) => option.value).filter((one) => picked.includes(one)))}
    >
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: `repeat(auto-fill, minmax(max(${Math.floor(100 / columns) - 2}%, 160px), 1fr))`,
          gap: 8,
          marginBlockStart: 6,
        }}
        onBlur={onBlur}
      >
        {options.map(({ value, label, hint }) => (
          <Checkbox key={value} value={value} label={label} {...(hint === undefined ? {} : { description: hint })} />
        ))}
      </div>
    </Checkbox.Group>
  )
}

// A tick is never "required": not ticking it is an answer.
const withoutRequired = <T extends { required: boolean }>({ required: _, ...rest }: T) => rest
