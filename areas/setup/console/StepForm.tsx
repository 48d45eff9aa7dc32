// One step of the wizard: its own part of the values, checked by its own shape when it is left. Nothing is sent until the end.

import { Button, Group, Stack } from '@mantine/core'
import { useRef, useState, type ReactNode } from 'react'
import type * as z from 'zod'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { valueAt } from '#core/console/kit/form-paths.ts'
import { useLeaving } from '#core/console/kit/leaving.ts'
import { shapeErrors } from '#core/console/kit/shape-errors.ts'
import { t } from '#core/console/text.ts'

export type StepFields<V extends object> = { values: V; field<K extends keyof V & string>(name: K): FieldBinding<V[K]> }

type StepFormProps<V extends object> = {
  shape: z.ZodType
  values: V
  onChange: (values: V) => void
  /** What the server said about fields of this step, by name, when the step is opened. */
  refused: Record<string, string>
  /** What only the server knows, by field: asked together with the shape. */
  ask?: () => Promise<Record<string, string>>
  onNext: () => void
  onBack?: () => void
  children: (step: StepFields<V>) => ReactNode
}

export function StepForm<V extends object>({ shape, values, onChange, refused, ask, onNext, onBack, children }: StepFormProps<V>) {
  const [errors, setErrors] = useState<Record<string, string>>(refused)
  const [asking, setAsking] = useState(false)
  const box = useRef<HTMLFormElement>(null)
  const without = (name: string) => Object.fromEntries(Object.entries(errors).filter(([field]) => field !== name))
  const leaving = useLeaving((name) => {
    const says = shapeErrors(shape, values)[name]
    if (says !== undefined && valueAt(values, name) !== '') setErrors({ ...errors, [name]: says })
  })
  const step: StepFields<V> = {
    values,
    field: (name) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: (value) => {
        setErrors(without(name))
        onChange({ ...values, [name]: value })
      },
      onBlur: () => leaving.leave(name),
    }),
  }
  return (
    <form
      ref={box}
      noValidate
      onSubmit={async (event) => {
        event.preventDefault()
        if (asking) return
        leaving.forget()
        let found = shapeErrors(shape, values)
        if (ask !== undefined) {
          setAsking(true)
          // Who cannot be asked now is asked again at the end.
          const asked = await ask().catch(() => ({}))
          // All that is wrong is said in one round; of one field the form's own words.
          found = { ...asked, ...found }
          setAsking(false)
        }
        setErrors(found)
        const [first] = Object.keys(found)
        if (first === undefined) return onNext()
        const node = box.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first)}"]`)
        ;(node?.matches('input, textarea') === true ? node : node?.querySelector<HTMLElement>('input, textarea'))?.focus()
      }}
    >
      <Stack gap="md">
        {children(step)}
        <Group gap="xs">
          {onBack !== undefined && (
            <Button variant="default" onClick={onBack}>
              {t('Back')}
            </Button>
          )}
          <Button type="submit" aria-busy={asking}>
            {t('Next')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
