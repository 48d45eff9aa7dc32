// The lives of an authority and its successor under one scale: where they overlap, when the successor takes over, and until when the old one is
// still needed for what it has signed. The same is said in words beside it.

import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { mediumDate } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'
import classes from './authorities.module.css'

type Bar = { key: string; label: string; from: Date; until: Date; quiet?: boolean }
type Mark = { key: string; label: string; at: Date }

export type SuccessionTimelineProps = {
  old: { name: string; notBefore: string; notAfter: string }
  successor: { name: string; notBefore: string; notAfter: string }
  lastEnd?: string | undefined
  movesAt?: string | undefined
  movedAt?: string | undefined
}

export function SuccessionTimeline({ old, successor, lastEnd, movesAt, movedAt }: SuccessionTimelineProps) {
  const [today] = useState(() => new Date())
  const bars: Bar[] = [
    { key: 'old', label: old.name, from: new Date(old.notBefore), until: new Date(old.notAfter), quiet: movedAt !== undefined },
    { key: 'new', label: successor.name, from: new Date(successor.notBefore), until: new Date(successor.notAfter) },
  ]
  const moment = movedAt ?? movesAt
  const marks: Mark[] = [
    { key: 'now', label: t('Today'), at: today },
    ...(moment === undefined
      ? []
      : [{ key: 'moves', label: movedAt === undefined ? t('Takes over') : t('Took over'), at: new Date(moment) }]),
    ...(lastEnd === undefined ? [] : [{ key: 'last', label: t('Last certificate of the old one ends'), at: new Date(lastEnd) }]),
  ]
  const start = Math.min(...bars.map(({ from }) => from.getTime()))
  const end = Math.max(...bars.map(({ until }) => until.getTime()))
  const share = (time: Date): number => Math.min(100, Math.max(0, ((time.getTime() - start) / Math.max(1, end - start)) * 100))
  return (
    <Stack gap="xs">
      <div
        className={classes['lives']}
        role="img"
        aria-label={t('{old} until {oldEnd}, {successor} until {newEnd}', {
          old: old.name,
          oldEnd: mediumDate(new Date(old.notAfter), true),
          successor: successor.name,
          newEnd: mediumDate(new Date(successor.notAfter), true),
        })}
      >
        {bars.map(({ key, label, from, until, quiet }) => (
          <div key={key} className={classes['life']}>
            <span
              className={classes['span']}
              data-quiet={quiet || undefined}
              style={{ insetInlineStart: `${share(from)}%`, inlineSize: `${Math.max(1, share(until) - share(from))}%` }}
            />
            <span className={classes['lifeName']}>{label}</span>
          </div>
        ))}
        {marks.map(({ key, at }) => (
          <span key={key} className={classes['mark']} data-mark={key} style={{ insetInlineStart: `${share(at)}%` }} />
        ))}
      </div>
      <ul className={classes['legend']}>
        {marks.map(({ key, label, at }) => (
          <li key={key}>
            <span className={classes['key']} data-mark={key} aria-hidden />
            <Text span size="sm">
              {label}: {mediumDate(at, true)}
            </Text>
          </li>
        ))}
      </ul>
    </Stack>
  )
}
