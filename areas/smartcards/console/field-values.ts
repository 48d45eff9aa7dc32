// The values of a form that is sent by a stream instead of a call, with what is wrong with each.

import { useState } from 'react'

export function useFields<V extends object>(initial: V) {
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<{ [field in keyof V]?: string | undefined }>({})
  return {
    values,
    field: <F extends keyof V & string>(name: F) => ({
      name,
      value: values[name],
      error: errors[name],
      onBlur: () => {},
      onChange: (value: V[F]) => {
        setValues((before) => ({ ...before, [name]: value }))
        setErrors((before) => ({ ...before, [name]: undefined }))
      },
    }),
    /** True where nothing is wrong. */
    say(wrong: { [field in keyof V]?: string | undefined }): boolean {
      setErrors(wrong)
      return Object.values(wrong).every((says) => says === undefined)
    },
  }
}
