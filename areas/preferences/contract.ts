import * as z from 'zod'
import { isTimeZone } from '#areas/tenancy/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { dateLocales, mostFavourites } from './rules.ts'

/** A page of this console: nothing that would lead elsewhere. */
const Place = z.object({
  path: z
    .string()
    .max(500, 'Use at most 500 characters')
    .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, 'Only pages of this console can be saved'),
  label: Line(200),
})

const DateLocale = z.union([z.literal(''), z.enum(dateLocales)]).default('')
const TimeZone = z.union([z.literal(''), Line(60).refine(isTimeZone, 'Choose one of the time zones')]).default('')

const Language = z.enum(['en-GB', 'de'])

const Created = z.object({
  weeks: z.array(z.object({ from: Instant, count: z.number().int() })),
  total: z.number().int(),
  /** Newest first. */
  newest: z.array(z.object({ id: Id, name: z.string(), at: Instant })),
})

export const preferences = contract({
  area: 'preferences',
  title: 'Preferences',
  screens: {
    settings: {
      path: '/self/settings',
      needs: 'signedIn',
      title: 'My settings',
      also: 'language, time zone, dates, shortcuts',
      parent: 'home.home',
    },
  },
  calls: {
    favourites: {
      does: 'Answers the caller’s pinned pages in their order.',
      method: 'GET',
      path: '/user/getFavourites/:userId',
      needs: 'signedIn',
      home: true,
      input: z.object({ userId: Id }),
      output: z.object({ savedfavourites: z.array(Place) }),
    },
    setFavourites: {
      does: 'Replaces the caller’s pinned pages.',
      title: 'Change their favourites',
      method: 'POST',
      path: '/user/setFavourites',
      needs: 'signedIn',
      home: true,
      input: z.object({ query: z.array(Place).max(mostFavourites, `At most ${mostFavourites} pages can be pinned`), userID: Id }),
      output: z.object({}),
      failed: 'Your favourites were not saved',
    },
    locales: {
      does: 'Answers the date formats and time zones that can be chosen.',
      method: 'GET',
      path: '/api2/IDM-v1/LocalesAndTimeZones',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({}),
      output: z.object({ locales: z.array(z.object({ id: z.string(), name: z.string() })), timeZones: z.array(z.string()) }),
    },
    settings: {
      does: 'Answers the caller’s date format, time zone and the language of their mail.',
      method: 'GET',
      path: '/api2/IDM-v1/UserSettings',
      needs: 'signedIn',
      home: true,
      input: z.object({}),
      output: z.object({ dateLocale: DateLocale, timeZone: TimeZone, language: Language }),
    },
    saveSettings: {
      does: 'Sets the caller’s date format and time zone.',
      title: 'Change how dates are shown',
      method: 'PUT',
      path: '/api2/IDM-v1/UserSettings',
      needs: 'signedIn',
      home: true,
      input: z.object({ dateLocale: DateLocale, timeZone: TimeZone }),
      output: z.object({}),
      done: 'Your settings are saved',
      failed: 'Your settings were not saved',
    },
    saveLanguage: {
      does: 'Sets the language of mail to the caller: the one in which they use the console.',
      title: 'Change the language of their mail',
      method: 'PUT',
      path: '/api2/IDM-v1/UserLanguage',
      needs: 'signedIn',
      home: true,
      input: z.object({ language: Language }),
      output: z.object({}),
      failed: 'The language of your mail was not saved',
    },
    usersCreated: {
      does: 'Counts the users made in each of the latest weeks, and answers the newest.',
      method: 'GET',
      path: '/api2/Monitoring-v1/UsersCreated',
      needs: 'userView',
      input: z.object({}),
      output: Created,
    },
    rolesCreated: {
      does: 'Counts the roles made in each of the latest weeks, and answers the newest.',
      method: 'GET',
      path: '/api2/Monitoring-v1/RolesCreated',
      needs: 'roleView',
      input: z.object({}),
      output: Created,
    },
  },
  events: {
    favouritesKept: { says: 'Changed their favourites', body: z.object({ count: z.number().int() }) },
    languageKept: { says: 'Changed the language of their mail', body: z.object({ language: z.string() }) },
    settingsKept: { says: 'Changed how dates are shown', body: z.object({ dateLocale: z.string(), timeZone: z.string() }) },
  },
})
