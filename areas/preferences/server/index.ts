import { deleteReader, keepReader, readerOf } from '#areas/mail/service.ts'
import { searchRoles } from '#areas/roles/service.ts'
import { countPeopleByWeek, fullName, newestPeople } from '#areas/users/service.ts'
import { offer } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { preferences } from '../contract.ts'
import { dateLocales, firstWeek, localeName, timeOfId, weekOf, weeksOf } from '../rules.ts'
import { deletePreferences, findFavourites, keepFavourites } from './store.ts'

const newestShown = 5
/** More roles than any tenancy has. */
const allRoles = 10_000

const pictureOf = (now: Date, counts: ReadonlyMap<number, number>) => {
  const weeks = weeksOf(now, counts)
  return {
    weeks: weeks.map(({ from, count }) => ({ from: from.toISOString(), count })),
    total: weeks.reduce((sum, { count }) => sum + count, 0),
  }
}

/** What a person chose is of the tenancy that they belong to. */
const atHome = (tenancy: Tenancy, { homeTenantId: tenantId }: Viewer): Tenancy => ({ ...tenancy, tenantId })

async function deleteOfPerson(db: Database, tenantId: string, userId: string): Promise<void> {
  await deletePreferences(db, tenantId, userId)
  await deleteReader({ db, tenantId, now: new Date(0) }, userId)
}

export default serve(
  preferences,
  {
    async favourites({ userId }, { db, viewer, fault }) {
      if (userId !== viewer.userId) fault('missing')
      return { savedfavourites: await findFavourites(db, viewer.homeTenantId, viewer.userId) }
    },

    async setFavourites({ query, userID }, { db, viewer, emit, fault }) {
      if (userID !== viewer.userId) fault('missing')
      const favourites = [...new Map(query.map((place) => [place.path, place])).values()]
      await keepFavourites(db, viewer.homeTenantId, viewer.userId, favourites)
      emit('favouritesKept', { count: favourites.length }, viewer.userId)
      return {}
    },

    locales: async () => ({
      locales: dateLocales.map((id) => ({ id, name: localeName(id) })),
      timeZones: ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')],
    }),

    async settings(_input, { tenancy, viewer }) {
      const stored = await readerOf(atHome(tenancy, viewer), viewer.userId)
      const dateLocale: (typeof dateLocales)[number] | '' = dateLocales.find((id) => id === stored.dateLocale) ?? ''
      return { dateLocale, timeZone: stored.timeZone, language: stored.language }
    },

    async saveSettings({ dateLocale, timeZone }, { tenancy, viewer, emit }) {
      await keepReader(atHome(tenancy, viewer), viewer.userId, { dateLocale, timeZone })
      emit('settingsKept', { dateLocale, timeZone }, viewer.userId)
      return {}
    },

    async saveLanguage({ language }, { tenancy, viewer, emit }) {
      await keepReader(atHome(tenancy, viewer), viewer.userId, { language })
      emit('languageKept', { language }, viewer.userId)
      return {}
    },

    async usersCreated(_input, { db, viewer, now }) {
      const newest = await newestPeople(db, viewer.tenantId, newestShown)
      return {
        ...pictureOf(now, await countPeopleByWeek(db, viewer.tenantId, firstWeek(now))),
        newest: newest.map(({ person, createdAt }) => ({ id: person.id, name: fullName(person), at: createdAt.toISOString() })),
      }
    },

    async rolesCreated(_input, { db, viewer, now }) {
      const made = (await searchRoles(db, viewer.tenantId, '', allRoles))
        .map(({ id, name }) => ({ id, name, at: timeOfId(id) }))
        .toSorted((a, b) => b.at.getTime() - a.at.getTime())
      const counts = new Map<number, number>()
      for (const { at } of made) counts.set(weekOf(now, at), (counts.get(weekOf(now, at)) ?? 0) + 1)
      return {
        ...pictureOf(now, counts),
        newest: made.slice(0, newestShown).map(({ id, name, at }) => ({ id, name, at: at.toISOString() })),
      }
    },
  },
  { offers: [offer(personalData, deleteOfPerson)], atHome: { usersCreated: [{}], rolesCreated: [{}] } },
)
