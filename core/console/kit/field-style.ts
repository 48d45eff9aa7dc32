// What every field has: label above, hint below it, error under the field.

import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react'
import type { FieldBinding } from './field-binding.ts'

export type FieldProps<T> = FieldBinding<T> & {
  label: string
  hint?: ReactNode
  required?: boolean
  /** Shown, but not to be changed: say why in the hint. */
  disabled?: boolean
}

export type Typed = { autoComplete?: HTMLInputAutoCompleteAttribute; placeholder?: string; autoFocus?: boolean }

export type Option<T extends string = string> = {
  value: T
  label: string
  hint?: string
  /** The heading that it stands under, in a select. */
  group?: string
}

/** Choices of one kind: what most people take is in view, the others are folded. */
export type OptionGroup<T extends string = string> = { label: string; recommended: T; options: readonly Option<T>[] }

export const fieldStyle = ({
  name,
  label,
  hint,
  required = false,
  disabled = false,
  error,
  onBlur,
}: FieldProps<never> | FieldProps<unknown>) => ({
  'data-field': name,
  label,
  required,
  disabled,
  error,
  onBlur,
  ...(hint === undefined ? {} : { description: hint }),
})

export const typedStyle = ({ autoComplete, placeholder, autoFocus }: Typed) => ({
  autoComplete: autoComplete ?? 'off',
  ...(placeholder === undefined ? {} : { placeholder }),
  ...(autoFocus === true ? { 'data-autofocus': true, autoFocus } : {}),
})
