// The news of a tenancy that has written none. On the server alone: a page would carry it for nothing. A page says it in the language of who reads it.

import { say } from '#standards/say/say.ts'

/** As specified. */
export const defaultVersion = '5'
export const defaultText = say`# Welcome

What is new in this release:

- **Performance improvements**: lists, searches and the home screen answer sooner.
- **Dependency audit**: every library was looked through and brought up to date.
- **Release notes**: they say the rest, with the number of the release under [About](/about).`
