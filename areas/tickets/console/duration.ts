import { t } from '#core/console/text.ts'

/** A time in the largest unit that fits. */
export function durationWords(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return t('{minutes} min', { minutes })
  const hours = Math.round(minutes / 60)
  if (hours < 36) return t('{hours} h', { hours })
  return t('{days, plural, one {# day} other {# days}}', { days: Math.round(hours / 24) })
}
