// The metrics as tiles: each count leads to the tickets that it counts.

import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '#core/console/kit/links.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'
import { countedAs } from '../rules.ts'
import { durationWords } from './duration.ts'

export function TicketMetrics() {
  const { data, error } = useCall(tickets.calls.metrics, {})
  if (error !== null) return <FaultAlert fault={error} />
  const counts = data?.ticketCounts
  const times = data?.timeMetrics
  const trends = data?.trends
  const count = (key: keyof typeof countedAs) => (
    <TextLink to={to(tickets.screens.mine, {}, { status: countedAs[key] })}>
      {counts === undefined ? '–' : formatNumber(counts[key])}
    </TextLink>
  )
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" role="group" aria-label={t('Ticket metrics')}>
      <Tile label={t('Open')} value={count('open')} />
      <Tile label={t('In Progress')} value={count('inProgress')} />
      <Tile label={t('Closed')} value={count('closed')} />
      <Tile label={t('First response, on average')} value={duration(times?.avgFirstResponseTime)} note={t('Last 30 days')} />
      <Tile label={t('Answered')} value={percent(times?.responseRate)} note={change(points(trends?.responseRateChange))} />
      <Tile
        label={t('Time until closed, on average')}
        value={duration(times?.avgResolutionTime)}
        note={change(signedDuration(trends?.resolutionTimeChange))}
      />
    </SimpleGrid>
  )
}

function Tile({ label, value, note }: { label: string; value: ReactNode; note?: string }) {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} size="lg" component="div">
        {value}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  )
}

type Maybe = number | null | undefined

const isThere = (value: Maybe): value is number => value !== null && value !== undefined

/** A dash where there is nothing to count: a rate of nothing is not 0. */
const duration = (seconds: Maybe): string => (isThere(seconds) ? durationWords(seconds) : '–')
const inPercent = (rate: number): string => t('{percent}%', { percent: Math.round(rate * 100) })
const percent = (rate: Maybe): string => (isThere(rate) ? inPercent(rate) : '–')
const sign = (value: number): string => (value > 0 ? '+' : value < 0 ? '−' : '±')
const points = (value: Maybe): string | undefined => (isThere(value) ? `${sign(value)}${inPercent(Math.abs(value))}` : undefined)
const signedDuration = (value: Maybe): string | undefined =>
  isThere(value) ? `${sign(value)}${durationWords(Math.abs(value))}` : undefined
const change = (text: string | undefined): string =>
  text === undefined ? t('Last 30 days') : t('{change} to the 30 days before', { change: text })
