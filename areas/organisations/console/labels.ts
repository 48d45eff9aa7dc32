// What people call the types of organisations, and the countries.

import { formatLocale } from '#core/console/text.ts'
import { countryCodes } from '../countries.ts'

export const typeLabels = {
  organisation: { label: 'Organisation' },
  company: { label: 'Company' },
  government: { label: 'Government body' },
  department: { label: 'Department' },
  division: { label: 'Division' },
  branch: { label: 'Branch' },
  team: { label: 'Team' },
  partner: { label: 'Partner' },
} as const

export const countryName = (code: string): string =>
  code === '' ? '' : (new Intl.DisplayNames(formatLocale(), { type: 'region' }).of(code) ?? code)

/** In the order of the language. */
export function countryOptions(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(formatLocale(), { type: 'region' })
  return countryCodes
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((a, b) => a.label.localeCompare(b.label, formatLocale()))
}
