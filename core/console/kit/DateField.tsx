// A day (`2026-03-31`) or a moment (`2026-03-31T09:00`, local time), typed in the order of the person's locale, or picked from the browser's calendar.

import { ActionIcon, TextInput } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { usePreference } from '../preferences.ts'
import { t } from '../text.ts'
import { fieldStyle, type FieldProps } from './field-style.ts'
import { dateLocale, dayPattern, readDay, withTypedDays, writtenDay } from './typed-date.ts'

type DateFieldProps = FieldProps<string | undefined> & { withTime?: boolean; min?: string; max?: string }

export function DateField(props: DateFieldProps) {
  const { label, disabled = false, value, onChange, withTime = false, min, max } = props
  usePreference('dateLocale')
  const locale = dateLocale()
  const [typed, setTyped] = useState<string>()
  const picker = useRef<HTMLInputElement>(null)
  // What was typed stays as it is until the field is left, unless another value has been put in its place since.
  const shown = typed !== undefined && readDay(typed, locale, withTime) === value ? typed : writtenDay(value, locale)
  return (
    <TextInput
      {...fieldStyle({ ...props, error: props.error && withTypedDays(props.error, locale) })}
      autoComplete="off"
      placeholder={dayPattern(locale, withTime)}
      value={shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(readDay(event.currentTarget.value, locale, withTime))
      }}
      onBlur={() => {
        setTyped(undefined)
        props.onBlur()
      }}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={disabled}
            aria-label={t('Calendar for {label}', { label })}
            onClick={() => picker.current?.showPicker()}
          >
            <IconCalendar size={16} stroke={1.8} aria-hidden />
          </ActionIcon>
          <input
            ref={picker}
            type={withTime ? 'datetime-local' : 'date'}
            tabIndex={-1}
            aria-hidden
            value={value !== undefined && /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(value) ? value : ''}
            {...(min === undefined ? {} : { min })}
            {...(max === undefined ? {} : { max })}
            onChange={(event) => {
              setTyped(undefined)
              onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)
            }}
            style={{ position: 'absolute', inset: 0, opacity: 0, pointerEvents: 'none' }}
          />
        </>
      }
    />
  )
}
