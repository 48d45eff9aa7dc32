// What a licence is today, in a word, with the day on which that changes.

import { Group, Text } from '@mantine/core'
import { Status } from '#core/console/kit/Status.tsx'
import { formatLocale, t } from '#core/console/text.ts'
import type { LicenceState } from '../rules.ts'

export type LicenceView = { enabled: boolean; from?: string | undefined; until?: string | undefined; state: LicenceState }

/** The kind of status, and its word. */
const states = {
  none: { of: 'disabled', label: 'Not licensed' },
  off: { of: 'cancelled', label: 'Licence withdrawn' },
  notYet: { of: 'pending', label: 'Not yet' },
  active: { of: 'active', label: 'Active' },
  endsSoon: { of: 'expiring', label: 'Ends soon' },
  ended: { of: 'expired', label: 'Ended' },
} as const satisfies Record<LicenceState, { of: string; label: string }>

/** Days of a licence are days in UTC, wherever they are read. */
const dayText = (day: string): string =>
  new Intl.DateTimeFormat(formatLocale(), { timeZone: 'UTC', dateStyle: 'medium' }).format(new Date(day))

export function LicenceStatus({ of: { state } }: { of: LicenceView }) {
  const { of, label } = states[state]
  return <Status of={of} label={t(label)} />
}

export function licenceDays({ from, until, state }: LicenceView): string {
  if (state === 'notYet' && from !== undefined)
    return until === undefined
      ? t('From {from}', { from: dayText(from) })
      : t('From {from} until {until}', { from: dayText(from), until: dayText(until) })
  if (until === undefined) return t('No end date')
  return state === 'ended' ? t('Ended on {until}', { until: dayText(until) }) : t('Until {until}', { until: dayText(until) })
}

export function LicenceTerm({ licence }: { licence: LicenceView }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <LicenceStatus of={licence} />
      <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {licenceDays(licence)}
      </Text>
    </Group>
  )
}
