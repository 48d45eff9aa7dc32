// A period up to today, kept in the address, so that what is looked at can be sent to somebody as a link.

import { SegmentedControl } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { t } from '../text.ts'

/** The period that the address names; the fallback where it names none of them. */
export function usePeriod<Days extends number>(periods: readonly Days[], fallback: Days): Days {
  const [address] = useSearchParams()
  return periods.find((days) => String(days) === address.get('days')) ?? fallback
}

export function PeriodChoice({ periods, chosen }: { periods: readonly number[]; chosen: number }) {
  const [, setAddress] = useSearchParams()
  return (
    <SegmentedControl
      aria-label={t('Period')}
      style={{ alignSelf: 'flex-start' }}
      value={String(chosen)}
      onChange={(days) => setAddress((before) => (before.set('days', days), before), { replace: true, preventScrollReset: true })}
      data={periods.map((days) => ({ value: String(days), label: t('{days} days', { days }) }))}
    />
  )
}
