import { t } from '#core/console/text.ts'
import type { accessLevels, ValidityUnit } from '../rules.ts'

export const accessLevelLabels: Record<(typeof accessLevels)[number], string> = {
  OPERATOR: 'Who may upload requests',
  ADMINISTRATOR: 'Who may manage templates',
}

export const unitLabels: Record<ValidityUnit, string> = {
  UNKNOWN: 'Unknown',
  HOURS: 'Hours',
  DAYS: 'Days',
  MONTHS: 'Months',
  YEARS: 'Years',
}

export function validityText(count: number, unit: ValidityUnit): string {
  switch (unit) {
    case 'HOURS':
      return t('{count, plural, one {# hour} other {# hours}}', { count })
    case 'DAYS':
      return t('{count, plural, one {# day} other {# days}}', { count })
    case 'MONTHS':
      return t('{count, plural, one {# month} other {# months}}', { count })
    case 'YEARS':
      return t('{count, plural, one {# year} other {# years}}', { count })
    default:
      return String(count)
  }
}

export const approversText = (count: number): string =>
  t('{count, plural, =0 {Nobody} one {One other person} other {# other people}}', { count })

/** In a list, where on a telephone no heading stands above it. */
export const approvalText = (count: number): string =>
  t('{count, plural, =0 {No approval} one {One other approves} other {# others approve}}', { count })
