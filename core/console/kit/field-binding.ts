// What a form gives to a field, and what any field takes.

export type FieldBinding<T> = {
  /** The path in the form's values: `subject.commonName`, `sans.0`. */
  name: string
  value: T
  onChange(value: T): void
  onBlur(): void
  error: string | undefined
}
