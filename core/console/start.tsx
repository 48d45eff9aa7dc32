// The console's start: can this browser run it, the person's settings, the one bootstrap request, then the routes.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { create } from 'zustand'
import type { Screen } from '#core/contract/contract.ts'
import { bootstrapStore, refreshBootstrap, type LoadBootstrap } from './bootstrap.ts'
import { asCallFault, type CallFault } from './call-fault.ts'
import { ConsoleRoot } from './ConsoleRoot.tsx'
import { houseStore } from './house.ts'
import { ErrorState, LoadingState } from './kit/states.tsx'
import { navigationStore } from './navigate.ts'
import { preferencesStore, startPreferences } from './preferences.ts'
import { makeRoutes, preloadScreen, preloadShell } from './routes.tsx'
import { BrowserOutdated, lacksFeatures } from './screens/BrowserOutdated.tsx'
import { rememberViewer } from './session.ts'
import type { Face } from './show.ts'
import { setLocale } from './text.ts'
import { watchErrors } from './watch-errors.ts'

export type Start = { faces: readonly Face[]; screens: readonly Screen[]; loadBootstrap: LoadBootstrap; element: HTMLElement }

export function startConsole({ faces, screens, loadBootstrap, element }: Start): void {
  // The page's policy forbids code made from text; zod asks by trying, and the browser would report each try. Zod is not loaded yet.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  startPreferences()
  setLocale(preferencesStore.getState().locale)
  const root = createRoot(element)
  if (lacksFeatures()) return root.render(<BrowserOutdated />)
  watchErrors()
  houseStore.setState({ faces, screens })
  bootstrapStore.setState({ load: loadBootstrap })
  void preloadShell(location.pathname)
  preloadScreen({ faces, screens }, location.pathname)
  readFirst()
  const router = createBrowserRouter(makeRoutes({ faces, screens }))
  navigationStore.setState({ go: (path, options) => void router.navigate(path, options) })
  root.render(
    <StrictMode>
      <ConsoleRoot>
        <Started router={router} />
      </ConsoleRoot>
    </StrictMode>,
  )
}

const startStore = create<{ fault: CallFault | undefined }>(() => ({ fault: undefined }))

/** Asked before React draws anything, so that the request and the shell's chunk travel together. */
function readFirst(): void {
  startStore.setState({ fault: undefined })
  refreshBootstrap().then(rememberViewer, (error: unknown) => startStore.setState({ fault: asCallFault(error) }))
}

function Started({ router }: { router: ReturnType<typeof createBrowserRouter> }) {
  const ready = bootstrapStore((state) => state.bootstrap !== undefined)
  const { fault } = startStore()
  if (ready) return <RouterProvider router={router} />
  return fault === undefined ? <LoadingState /> : <ErrorState fault={fault} retry={readFirst} />
}
