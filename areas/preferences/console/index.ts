import { bootstrapStore } from '#core/console/bootstrap.ts'
import { lazy, show } from '#core/console/show.ts'
import { homePanels } from '#core/console/slots.ts'
import { whenShown } from '#core/console/when-shown.ts'
import { offer } from '#core/contract/slots.ts'
import type { preferences } from '../contract.ts'

// Not before somebody is signed in, and out of the first load.
const begin = (): void =>
  void whenShown(
    () =>
      void import('./keep.ts').then(
        ({ keepPreferences }) => keepPreferences(),
        () => undefined,
      ),
  )
if (bootstrapStore.getState().bootstrap?.viewer !== undefined) begin()
else {
  const stop = bootstrapStore.subscribe(({ bootstrap }) => {
    if (bootstrap?.viewer === undefined) return
    stop()
    begin()
  })
}

export default show<typeof preferences>(
  'preferences',
  { settings: lazy(() => import('./MySettings.tsx')) },
  {
    offers: [
      offer(
        homePanels,
        { key: 'users', title: 'New people', needs: 'userView', order: 95, load: lazy(() => import('./NewPeople.tsx')) },
        { key: 'roles', title: 'New roles', needs: 'roleView', order: 96, load: lazy(() => import('./NewRoles.tsx')) },
      ),
    ],
    help: () => import('./help.md?raw'),
  },
)
