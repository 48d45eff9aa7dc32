// The choices there are.

/** How dates may be written. The console's texts stay in their language. */
export const dateLocales = [
  'en-GB',
  'en-AU',
  'en-NZ',
  'en-CA',
  'en-US',
  'en-IE',
  'en-ZA',
  'en-IN',
  'de-DE',
  'de-CH',
  'fr-FR',
  'fr-CA',
  'es-ES',
  'it-IT',
  'nl-NL',
  'pt-BR',
  'pt-PT',
  'da-DK',
  'sv-SE',
  'nb-NO',
  'fi-FI',
  'pl-PL',
  'cs-CZ',
  'ja-JP',
  'ko-KR',
  'zh-CN',
  'zh-TW',
  'mi-NZ',
] as const

export const localeName = (id: string): string =>
  new Intl.DisplayNames('en-GB', { type: 'language', languageDisplay: 'standard' }).of(id) ?? id

export const mostFavourites = 50

/** Weeks of a picture, this one the last. */
const weeksShown = 12
const week = 7 * 86_400_000

/** Where the first week of the picture begins. */
export const firstWeek = (now: Date): Date => new Date(now.getTime() - weeksShown * week)

/** The moment that is written into a time-ordered id (RFC 9562 5.7). */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))

/** Counts by the number of the week, as one for each week of the picture; this very moment belongs to the last. */
export const weeksOf = (now: Date, counts: ReadonlyMap<number, number>): { from: Date; count: number }[] =>
  Array.from({ length: weeksShown }, (_, at) => ({
    from: new Date(firstWeek(now).getTime() + at * week),
    count: (counts.get(at) ?? 0) + (at === weeksShown - 1 ? (counts.get(weeksShown) ?? 0) : 0),
  }))

export const weekOf = (now: Date, at: Date): number => Math.floor((at.getTime() - firstWeek(now).getTime()) / week)
