// The console's start: can this browser run it, the person's settings, the one bootstrap request, then the routes.

import { StrictMode } from 'react'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { create } from 'zustand'
import { bootstrapStore, refreshBootstrap, type LoadBootstrap, type Viewer } from './bootstrap.ts'
import { asCallFault, type CallFault } from './call-fault.ts'
import { chunkFailed } from './chunks.ts'
import { ConsoleRoot } from './ConsoleRoot.tsx'
import { ErrorState, LoadingState, patienceMilliseconds } from './kit/states.tsx'
import { isSignedOutPath } from './leave-session.ts'
import { navigationStore } from './navigate.ts'
import { preferencesStore, startPreferences } from './preferences.ts'
import { roomsStore, type Rooms } from './rooms.ts'
import { consoleRoutes, consoleRoutesId, makeRoutes, preloadScreen, preloadShell } from './routes.tsx'
import { BrowserOutdated, lacksFeatures } from './screens/BrowserOutdated.tsx'
import { rememberViewer } from './session.ts'
import { formatLocale, loadLocale } from './text.ts'
import { watchErrors } from './watch-errors.ts'

export type Start = {
  /** What a page needs before anybody has signed in. */
  open: Rooms
  loadRooms: () => Promise<Rooms>
  loadBootstrap: LoadBootstrap
  element: HTMLElement
}

type Router = ReturnType<typeof createBrowserRouter>

/** `drawn`: what draws the first page is here. */
const newStart = () =>
  create<{ fault: CallFault | undefined; router: Router | undefined; drawn: boolean }>(() => ({
    fault: undefined,
    router: undefined,
    drawn: false,
  }))
type StartStore = ReturnType<typeof newStart>

/** Answers how to end it, which a page that is left needs not. */
export async function startConsole({ open, loadRooms, loadBootstrap, element }: Start): Promise<() => void> {
  // The page's policy forbids code made from text; zod asks by trying, and the browser would report each try. Zod is not loaded yet.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  startPreferences()
  const texts = loadLocale(preferencesStore.getState().locale).catch(chunkFailed)
  const drawing = import('./draw.ts').catch(chunkFailed)
  if (lacksFeatures()) {
    const outdated = (await drawing).createRoot(element)
    outdated.render(<BrowserOutdated />)
    return () => outdated.unmount()
  }
  watchErrors()
  const start = newStart()
  bootstrapStore.setState({ load: loadBootstrap })
  const path = location.pathname
  const shell = preloadShell(path)
  const viewer = readFirst(start)
  const prepare = async (rooms: Rooms, loadRest?: () => Promise<Rooms>): Promise<void> => {
    // What a screen asks ahead may depend on what the rooms offer.
    roomsStore.setState(rooms)
    const { here, asked } = preloadScreen(rooms, location, viewer)
    const drawn = Promise.all([shell, here]).then(() => start.setState({ drawn: true }))
    // What the screen asks is sent before the routes of all screens are made. Who is led to the sign-in page waits for no screen.
    const elsewhere = loadRest === undefined && (await viewer) === undefined
    if (!elsewhere) await asked
    await texts
    document.documentElement.lang = formatLocale()
    begin(start, rooms, loadRest)
    if (!elsewhere) await Promise.all([drawn, ...(await asked)])
  }
  const prepared = isSignedOutPath(path)
    ? prepare(open, loadRooms)
    : loadRooms()
        .catch(chunkFailed)
        .then((rooms) => prepare(rooms))
  const { createRoot } = await drawing
  // Where all is here sooner, the page is drawn once and whole.
  await Promise.race([prepared, new Promise((resolve) => setTimeout(resolve, patienceMilliseconds))])
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <ConsoleRoot>
        <Started start={start} />
      </ConsoleRoot>
    </StrictMode>,
  )
  return () => {
    root.unmount()
    start.getState().router?.dispose()
  }
}

/** `loadRest` where these are only some of them: the rest comes when somebody goes to where it is needed, once. */
function begin(start: StartStore, rooms: Rooms, loadRest?: () => Promise<Rooms>): void {
  let whole = loadRest === undefined
  const router = createBrowserRouter(makeRoutes(rooms), {
    async patchRoutesOnNavigation({ path, patch, signal }) {
      if (whole || loadRest === undefined || isSignedOutPath(path)) return
      const rest = await loadRest().catch(chunkFailed)
      // The router takes nothing from a navigation that another one has overtaken, as after a sign-in: the other one brings the rest.
      if (whole || signal.aborted) return
      whole = true
      roomsStore.setState(rest)
      patch(consoleRoutesId, consoleRoutes(rest))
    },
  })
  navigationStore.setState({ go: (path, options) => void router.navigate(path, options) })
  start.setState({ router })
}

/** Asked before React draws anything, so that the request and the shell's chunk travel together. */
async function readFirst(start: StartStore): Promise<Viewer | undefined> {
  start.setState({ fault: undefined })
  try {
    const { viewer } = await refreshBootstrap()
    rememberViewer()
    return viewer
  } catch (error) {
    start.setState({ fault: asCallFault(error) })
    return undefined
  }
}

function Started({ start }: { start: StartStore }) {
  const bootstrap = bootstrapStore((state) => state.bootstrap)
  const { fault, router, drawn } = start()
  // Shell, screen and list one after another would each show a sign of loading, which stands for a while so that it does not flicker. Who
  // is led to the sign-in page waits for none of them.
  const elsewhere = bootstrap?.viewer === undefined && !isSignedOutPath(location.pathname)
  if (bootstrap !== undefined && router !== undefined && (drawn || elsewhere)) return <RouterProvider router={router} />
  return fault === undefined ? <LoadingState /> : <ErrorState fault={fault} retry={() => void readFirst(start)} />
}
