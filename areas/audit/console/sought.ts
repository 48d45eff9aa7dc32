// What a text was searched for, in words: so that nobody believes that an event is not there when it was not looked for.

import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { audit } from '../contract.ts'
import { eventLabels } from '../event-labels.ts'

/** So many events are named; the others are counted. */
const mostNamed = 3

export function soughtText(sought: OutputOf<typeof audit.calls.search>['sought']): string | undefined {
  if (sought === undefined) return undefined
  const { events, things, moreThings, newest } = sought
  const words = [...new Set(events.map((event) => eventLabels(event.slice(0, event.indexOf('.')), event.slice(event.indexOf('.') + 1))))]
  const names = words
    .slice(0, mostNamed)
    .map((name) => `“${name}”`)
    .join(', ')
  const parts = [
    words.length > mostNamed
      ? t('{names} and {count, plural, one {# other event} other {# other events}}', { names, count: words.length - mostNamed })
      : names,
    things > 0 &&
      (moreThings
        ? t('what is about, or was done by, the first {count} of that name', { count: formatNumber(things) })
        : t('what is about, or was done by, {count, plural, one {the one of that name} other {the # of that name}}', { count: things })),
    t('the text in the newest {count} events', { count: formatNumber(newest) }),
  ]
  return t('Searched for: {parts}.', { parts: parts.filter((part) => part !== false && part !== '').join('; ') })
}
