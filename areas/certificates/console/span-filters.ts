// Stretches of time that a bar of the home page leads to. A filter for each stands above the list only while the address has one.

import type { Filter } from '#core/console/kit/filter.ts'
import { formatLocale, t } from '#core/console/text.ts'
import { readSpan } from '../rules.ts'

const names = ['ends', 'issued', 'revoked'] as const

export function spanFilters(address: URLSearchParams): { [N in (typeof names)[number]]?: Filter } {
  const labels = { ends: t('Ends'), issued: t('Issued'), revoked: t('Revoked') }
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = address.get(name)
      return value === null || readSpan(value) === undefined
        ? []
        : [[name, { label: labels[name], options: [{ value, label: spanLabels(value) }] }]]
    }),
  )
}

/** "23 Feb – 1 Mar 2026": the last day that is in it, not the moment that is no more. */
function spanLabels(value: string): string {
  const span = readSpan(value)
  if (span === undefined) return value
  return new Intl.DateTimeFormat(formatLocale(), { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    span.from,
    new Date(span.until.getTime() - 1),
  )
}
