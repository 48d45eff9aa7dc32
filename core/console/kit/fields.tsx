// Every field of a form under one name. Each takes what `form.field('name')` gives. The bundler follows the names, so a screen loads only
// the fields that it uses.

export { MultiSelectField, NumberField, SelectField, TagsField } from './choice-fields.tsx'
export { DateField } from './DateField.tsx'
export type { Option, OptionGroup } from './field-style.ts'
export { GroupedCheckboxField } from './GroupedCheckboxField.tsx'
export { CheckboxField, CheckboxGroupField, PasswordField, RadioField, SwitchField, TextAreaField, TextField } from './plain-fields.tsx'
