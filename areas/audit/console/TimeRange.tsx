// From when until when, to the second, in the time of the browser; the address holds both in UTC.

import { Divider, Stack, TextInput } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { t } from '#core/console/text.ts'

/** What the field takes: `2026-03-04T10:00:05`, of the browser's own time. */
const localText = (instant: string): string => {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

export function TimeRange() {
  const [address, setAddress] = useSearchParams()
  const choose = (name: 'from' | 'to', text: string) =>
    setAddress(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('page')
        const at = new Date(text)
        if (text === '' || Number.isNaN(at.getTime())) after.delete(name)
        else after.set(name, at.toISOString())
        return after
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <Stack gap="xs" mt="sm" role="group" aria-label={t('A time of your own')}>
      <Divider />
      <Moment label={t('From')} value={localText(address.get('from') ?? '')} onChange={(text) => choose('from', text)} />
      <Moment label={t('Until')} value={localText(address.get('to') ?? '')} onChange={(text) => choose('to', text)} />
    </Stack>
  )
}

function Moment({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  return (
    <TextInput
      type="datetime-local"
      step={1}
      size="xs"
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
