import { bootstrapStore } from '#core/console/bootstrap.ts'
import { lazy, show } from '#core/console/show.ts'
import { searchSources } from '#core/console/slots.ts'
import { whenShown } from '#core/console/when-shown.ts'
import { offer } from '#core/contract/slots.ts'
import type { search } from '../contract.ts'

let callOff = (): void => {}

// Saved views come with the person, wherever they are saved: from sign-in on, without holding up the first page. Who has left by then gets none.
bootstrapStore.subscribe((state, before) => {
  const person = state.bootstrap?.viewer?.id
  if (person === before.bootstrap?.viewer?.id) return
  callOff()
  if (person === undefined) return
  callOff = whenShown(() => void import('./saved-views.ts').then((file) => file.followViews(person)).catch(() => {}))
})

export default show<typeof search>(
  'search',
  { search: lazy(() => import('./Search.tsx')) },
  {
    offers: [offer(searchSources, async (text, signal) => (await import('./find.ts')).findRecords(text, signal))],
    help: () => import('./help.md?raw'),
  },
)
