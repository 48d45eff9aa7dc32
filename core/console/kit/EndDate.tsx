// When a thing ends: the day, and how far that is in words, in the colour of its urgency. The words say it as well, so that colour alone tells nothing.

import { t } from '../text.ts'
import { DateTime, relativeTime } from './DateTime.tsx'
import classes from './EndDate.module.css'

export type EndDateProps = {
  at: string | number | Date
  /** Its end concerns nobody any more: it is revoked, or another has taken its place. */
  settled?: boolean
}

const day = 86_400_000
/** Days before the end at which it becomes urgent, and soon. */
const urgentDays = 7
const soonDays = 30

const timeLeft = (at: EndDateProps['at']): number => new Date(at).getTime() - Date.now()

export function EndDate({ at, settled = false }: EndDateProps) {
  const left = timeLeft(at)
  const tone = settled ? 'quiet' : left <= urgentDays * day ? 'bad' : left <= soonDays * day ? 'warn' : 'quiet'
  return (
    <span className={classes['end']}>
      <DateTime at={at} dateOnly />{' '}
      <span className={classes['left']} data-tone={tone}>
        {Math.abs(left) < day ? (left < 0 ? t('ended today') : t('within a day')) : relativeTime(at)}
      </span>
    </span>
  )
}
