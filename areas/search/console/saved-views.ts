// Saved views follow a person from machine to machine: the kit keeps them in the settings of this browser, and here the two are brought
// together. What was saved or removed here since the last time goes to the server; what the server has besides comes here.

import { bootstrapStore } from '#core/console/bootstrap.ts'
import { preferencesStore, setPreference, type Preferences } from '#core/console/preferences.ts'
import { send } from '#core/console/send.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { search } from '../contract.ts'

type View = OutputOf<typeof search.calls.views>['views'][number]
type Views = Preferences['views']

const keyOf = ({ list, name }: Pick<View, 'list' | 'name'>): string => `${list}\n${name}`

export const viewsAsList = (views: Views): View[] =>
  Object.entries(views).flatMap(([list, mine]) => mine.map((view) => ({ list, ...view })))

export const viewsByList = (views: readonly View[]): Views => {
  const byList: Views = {}
  for (const { list, name, path, query } of views) byList[list] = [...(byList[list] ?? []), { name, path, query }]
  return byList
}

/** What must be told to the server, so that it has what is here. */
export function difference(before: readonly View[], now: readonly View[]): { keep: View[]; remove: View[] } {
  const known = new Map(before.map((view) => [keyOf(view), view]))
  const here = new Set(now.map(keyOf))
  return {
    keep: now.filter((view) => {
      const old = known.get(keyOf(view))
      return old === undefined || old.path !== view.path || old.query !== view.query
    }),
    remove: before.filter((view) => !here.has(keyOf(view))),
  }
}

/** Goes on until somebody else is there. */
export async function followViews(person: string): Promise<void> {
  const { views } = await send(search.calls.views, {})
  // The server's word goes for this person; another person's views on this machine are not theirs.
  setPreference('views', viewsByList(views))
  let sent: readonly View[] = views
  let busy = Promise.resolve()
  const stop = preferencesStore.subscribe((state, before) => {
    if (state.views === before.views) return
    if (bootstrapStore.getState().bootstrap?.viewer?.id !== person) return stop()
    const now = viewsAsList(state.views)
    const { keep, remove } = difference(sent, now)
    sent = now
    busy = busy.then(async () => {
      for (const view of keep) await send(search.calls.keepView, view).catch(() => {})
      for (const { list, name } of remove) await send(search.calls.removeView, { list, name }).catch(() => {})
    })
  })
}
