// Stretches of time that a bar of the home page leads to. A filter for each stands above the list only while the address has one.

import { spanDays } from '#core/console/kit/day-text.ts'
import type { Filter } from '#core/console/kit/filter.ts'
import { t } from '#core/console/text.ts'
import { readSpan } from '../rules.ts'

const names = ['ends', 'issued', 'revoked'] as const

export function spanFilters(address: URLSearchParams): { [N in (typeof names)[number]]?: Filter } {
  const labels = { ends: t('Ends'), issued: t('Issued'), revoked: t('Revoked') }
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = address.get(name)
      const span = readSpan(value ?? '')
      return value === null || span === undefined ? [] : [[name, { label: labels[name], options: [{ value, label: spanDays(span) }] }]]
    }),
  )
}
