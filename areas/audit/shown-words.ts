// The words of the log as the console shows them, in the language of whoever reads.

import { t } from '#core/console/text.ts'
import { areaTexts, eventTexts } from './event-words.ts'

/** What happened, or what was attempted. A name that is not in the table, as an older version may have written it, is read from itself. */
export function eventWords(area: string, name: string): string {
  const known = eventTexts[area]?.[name]
  return known === undefined ? `${area}: ${name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()}` : t(known)
}

export const areaWords = (area: string): string => t(areaTexts[area] ?? area)
