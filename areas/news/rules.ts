// What the news is where nobody has written any, and whether it is shown today.

/** As specified. */
export const defaultVersion = '5'
export const defaultText = `# Welcome

What is new in this release:

- **Performance improvements**: lists, searches and the home screen answer sooner.
- **Dependency audit**: every library was looked through and brought up to date.
- **Release notes**: they say the rest, with the number of the release under [About](/about).`

export const mostText = 20_000

/** A version is a number that goes up: who has seen one is shown the next. */
export const isLower = (version: string, than: string): boolean => Number(version) < Number(than)

type Span = { from?: string | undefined; until?: string | undefined }

/** Whether a day, `2026-03-31`, lies in the span; both ends belong to it. */
export const isShownOn = (day: string, { from, until }: Span): boolean =>
  (from === undefined || day >= from) && (until === undefined || day <= until)
