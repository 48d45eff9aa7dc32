// What of a person's choices travels with the person: read when somebody comes in, sent when it changes, forgotten when they go. The copy in the
// browser only bridges the moment until the server has answered.

import { bootstrapStore } from '#core/console/bootstrap.ts'
import { onLeave } from '#core/console/leave-session.ts'
import { preferencesStore } from '#core/console/preferences.ts'
import { send } from '#core/console/send.ts'
import { languages, type Locale } from '#core/console/text.ts'
import { preferences } from '../contract.ts'

type Pinned = ReturnType<typeof preferencesStore.getState>['pinned']

/** Begins to keep them. Returns how to stop. */
export function keepPreferences(): () => void {
  let owner: string | undefined
  /** What the server has, as far as it is known here; nothing is sent before it is. */
  let savedPins: Pinned | undefined

  const comeIn = async (userId: string): Promise<void> => {
    owner = userId
    savedPins = undefined
    const before = preferencesStore.getState().pinned
    const [favourites, settings] = await Promise.all([send(preferences.calls.favourites, { userId }), send(preferences.calls.settings, {})])
    if (owner !== userId) return
    savedPins = favourites.savedfavourites
    const pinned = changedAlike(savedPins, before, preferencesStore.getState().pinned)
    const { dateLocale, timeZone } = settings
    preferencesStore.setState({ pinned, dateLocale, timeZone })
    const { locale } = preferencesStore.getState()
    if (isLanguage(locale) && locale !== settings.language) await send(preferences.calls.saveLanguage, { language: locale })
  }
  const go = (): void => {
    owner = undefined
    savedPins = undefined
    preferencesStore.setState({ pinned: [], dateLocale: '', timeZone: '' })
  }
  const seeViewer = (userId: string | undefined): void => {
    // Where they cannot be read, the browser's copy goes on.
    if (userId !== undefined && userId !== owner) comeIn(userId).catch(() => undefined)
  }
  const leaveViewer = bootstrapStore.subscribe(({ bootstrap }) => seeViewer(bootstrap?.viewer?.id))
  const leavePinned = preferencesStore.subscribe(({ pinned }) => {
    if (owner === undefined || savedPins === undefined || pinned === savedPins) return
    savedPins = pinned
    send(preferences.calls.setFavourites, { query: pinned, userID: owner }).catch(() => undefined)
  })
  onLeave(() => {
    if (bootstrapStore.getState().bootstrap?.viewer === undefined) return
    go()
  })
  seeViewer(bootstrapStore.getState().bootstrap?.viewer?.id)
  return () => {
    leaveViewer()
    leavePinned()
  }
}

/** Not that of tests, which nobody is written to in. */
const isLanguage = (locale: Locale): locale is 'en-GB' | 'de' => languages.some((one) => one.locale === locale)

/** Does to the saved places what the person did to those of the browser's copy before the saved ones had arrived. */
function changedAlike(saved: Pinned, before: Pinned, after: Pinned): Pinned {
  if (after === before) return saved
  const has = (places: Pinned, path: string) => places.some((place) => place.path === path)
  const kept = saved.filter(({ path }) => has(after, path) || !has(before, path))
  return [...kept, ...after.filter(({ path }) => !has(before, path) && !has(kept, path))]
}
