// The labels of the log as the console shows them, in the language of whoever reads.

import { areas, names } from 'virtual:contracts/log'
import { t } from '#core/console/text.ts'

/** What happened, or what was attempted. A name that no contract has, as an older version may have written it, is read from itself. */
export function eventLabels(area: string, name: string): string {
  const known = names[area]?.[name]
  return known === undefined ? `${area}: ${name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()}` : t(known)
}

export const areaLabels = (area: string): string => t(areas[area] ?? area)
