import { bootstrapStore } from '#core/console/bootstrap.ts'
import { lazy, show } from '#core/console/show.ts'
import { whenShown } from '#core/console/when-shown.ts'
import type { search } from '../contract.ts'

const screen = lazy(() => import('./Search.tsx'))

// Saved views come with the person, wherever they are saved: from sign-in on, without holding up the first page.
bootstrapStore.subscribe((state, before) => {
  const person = state.bootstrap?.viewer?.id
  if (person === undefined || person === before.bootstrap?.viewer?.id) return
  whenShown(() => void import('./kept-views.ts').then((file) => file.followViews(person)).catch(() => {}))
})

export default show<typeof search>('search', { search: screen, users: screen, roles: screen }, { help: () => import('./help.md?raw') })
