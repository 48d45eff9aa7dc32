// The routes, built from the contracts' screens. Each screen stands in its shell, behind its permission, in its own chunk.

import { Suspense, useEffect, useLayoutEffect, type ReactNode } from 'react'
import { matchPath, Navigate, Outlet, ScrollRestoration, useLocation, type RouteObject } from 'react-router'
import type { Screen } from '#core/contract/contract.ts'
import { homePath, ownPages } from '#core/contract/pages.ts'
import { paramNames } from '#core/contract/paths.ts'
import { satisfies, type Needs } from '#core/contract/permissions.ts'
import { searchScreen } from '#core/contract/search.ts'
import { isSelfServed } from '#core/contract/self-service.ts'
import { gatherOffers } from '#core/contract/slots.ts'
import { bootstrapStore, useBootstrap, type Viewer } from './bootstrap.ts'
import { fromFile } from './from-file.ts'
import { focusState } from './kit/page-focus.ts'
import { LoadingState } from './kit/states.tsx'
import { isSignedOutPath, loginPath } from './leave-session.ts'
import { visited } from './preferences.ts'
import { useReach } from './reach.ts'
import { componentOf, roomsStore, type Rooms } from './rooms.ts'
import { UnexpectedError } from './screens/UnexpectedError.tsx'
import { useCurrentScreen } from './shell/current-screen.ts'
import { lazy, type LazyScreen } from './show.ts'
import { homePanels } from './slots.ts'
import { t } from './text.ts'

const PublicShell = fromFile<{ children: ReactNode }>(() => import('./shell/PublicShell.tsx'))
const SelfShell = fromFile<{ children: ReactNode }>(() => import('./shell/SelfShell.tsx'))
const ConsoleShell = fromFile<{ children: ReactNode }>(() => import('./shell/ConsoleShell.tsx'))
const Denied = lazy(() => import('./screens/Denied.tsx'))
const NotFound = lazy(() => import('./screens/NotFound.tsx'))
const ErrorDemo = lazy(() => import('./screens/ErrorDemo.tsx'))

/** Fetches the screen of the address while the bootstrap is on its way, and what other rooms put into it. What they will ask is sent as soon as it is known who asks; `asked` has what the answers are waited for by. One that does not come is told of by the screen, which asks again. */
export function preloadScreen(
  rooms: Rooms,
  { pathname: path, search }: Pick<Location, 'pathname' | 'search'>,
  viewer: Promise<Viewer | undefined>,
): { here: Promise<unknown>; asked: Promise<readonly Promise<void>[]> } {
  const [fitting] = rooms.screens
    .filter((screen) => matchPath(screen.path, path) !== null)
    .toSorted((a, b) => paramNames(a.path).length - paramNames(b.path).length)
  const params = fitting === undefined ? {} : (matchPath(fitting.path, path)?.params ?? {})
  const searched = matchPath(searchScreen.path, path)?.params.searchType
  const parts: { load: LazyScreen | undefined; needs?: Needs }[] = [
    ...(fitting === undefined ? [] : [{ load: componentOf(rooms, fitting), needs: fitting.needs }]),
    ...rooms.records
      .filter(({ name }) => name === searched)
      .map(({ area, name, needs }) => ({
        load: rooms.consoleModules.find((consoleModule) => consoleModule.area === area)?.lists?.[name],
        needs,
      })),
    ...(path === homePath ? gatherOffers(rooms.consoleModules)(homePanels) : []),
  ]
  const here = Promise.all(parts.map(async ({ load, needs = 'signedIn' }) => ({ needs, ask: (await load?.preload())?.ask })))
  const asked = Promise.all([here, viewer])
    .then(([screens, who]) =>
      screens.flatMap(({ needs, ask }) =>
        ask === undefined || who === undefined || !satisfies(who.permission.View, needs)
          ? []
          : [ask(new URLSearchParams(search), params).catch(() => undefined)],
      ),
    )
    .catch(() => [])
  return { here, asked }
}

/** The same for where somebody is about to go. The session of who is signed in is there already. */
const fetchAhead = (address: URL): void =>
  void preloadScreen(roomsStore.getState(), address, Promise.resolve(bootstrapStore.getState().bootstrap?.viewer)).asked

/** Fetches the shell that the address will need while the bootstrap is on its way. */
export const preloadShell = (path: string): Promise<unknown> => (isSignedOutPath(path) ? PublicShell : ConsoleShell).preload()

const shellOf = (screen: Screen): 'public' | 'console' =>
  screen.shell === 'self' ? 'console' : (screen.shell ?? (screen.needs === 'public' ? 'public' : 'console'))

const routesIn = (rooms: Rooms, shell: 'public' | 'console'): RouteObject[] =>
  rooms.screens.flatMap((screen) => {
    const component = componentOf(rooms, screen)
    return component === undefined || shellOf(screen) !== shell
      ? []
      : [{ path: screen.path, element: <ScreenPlace key={screen.path} screen={screen} component={component} />, handle: screen }]
  })

/** Where the routes of the console hang, for those that come later. */
export const consoleRoutesId = 'console'
export const consoleRoutes = (rooms: Rooms): RouteObject[] => routesIn(rooms, 'console')

export function makeRoutes(rooms: Rooms): RouteObject[] {
  return [
    {
      element: <Root />,
      // Shows nothing until the routes are there: the start of the page holds the place.
      hydrateFallbackElement: <></>,
      errorElement: <UnexpectedError />,
      children: [
        { path: ownPages.root, element: <Navigate to={homePath} replace /> },
        { element: <Shelled shell="public" />, children: [{ errorElement: <UnexpectedError />, children: routesIn(rooms, 'public') }] },
        {
          element: <Shelled shell="console" />,
          children: [
            {
              id: consoleRoutesId,
              errorElement: <UnexpectedError />,
              children: [
                ...consoleRoutes(rooms),
                { path: ownPages.denied, element: <BuiltIn title="Denied" component={Denied} /> },
                { path: ownPages.errorBoundary, element: <BuiltIn title="Error demonstration" component={ErrorDemo} /> },
              ],
            },
          ],
        },
        { path: '*', element: <Unknown /> },
      ],
    },
  ]
}

function Root() {
  const { pathname } = useLocation()
  const { setupNeeded, signedIn } = useBootstrap()
  if (setupNeeded && !signedIn && !/^\/(bootstrapmode|activateaccount)/i.test(pathname)) return <Navigate to="/bootstrapmode" replace />
  return (
    <>
      <ScrollRestoration />
      <Outlet />
    </>
  )
}

function Shelled({ shell }: { shell: 'public' | 'console' }) {
  const { viewer } = useBootstrap()
  const location = useLocation()
  const screen = useCurrentScreen()
  useReach(fetchAhead)
  if (shell === 'console' && viewer === undefined) return <Navigate to={loginPath(location)} replace />
  const self = shell === 'console' && viewer !== undefined && (screen?.shell === 'self' || isSelfServed(viewer.permission))
  const Shell = shell === 'public' ? PublicShell : self ? SelfShell : ConsoleShell
  return (
    <Suspense fallback={<LoadingState />}>
      <Shell>
        <Outlet />
      </Shell>
    </Suspense>
  )
}

function ScreenPlace({ screen, component: Component }: { screen: Screen; component: LazyScreen }) {
  // The search hosts the lists and says itself which of them are for the viewer.
  const allowed = useAllowed(screen.lists === undefined ? screen.needs : 'search')
  const { pathname, search } = useLocation()
  useTitle(screen.title)
  const listed = allowed && screen.menu !== undefined
  useEffect(() => {
    if (listed) visited(pathname, screen.title)
  }, [listed, pathname, screen])
  if (!allowed)
    return (
      <Navigate
        to={ownPages.denied}
        replace
        state={{
          needs: screen.lists === undefined ? screen.needs : 'search',
          title: screen.title,
          area: screen.area,
          page: pathname + search,
        }}
      />
    )
  return (
    <Suspense key={screen.path} fallback={<LoadingState />}>
      <Component />
    </Suspense>
  )
}

function useAllowed(needs: Needs): boolean {
  const { viewer } = useBootstrap()
  return needs === 'public' || (viewer !== undefined && satisfies(viewer.permission.View, needs))
}

function BuiltIn({ title, component: Component }: { title: string; component: LazyScreen }) {
  useTitle(title)
  return (
    <Suspense fallback={<LoadingState />}>
      <Component />
    </Suspense>
  )
}

/** The contract's title until the screen gives its own, and the focus for the new page's h1. */
function useTitle(title: string): void {
  const { pathname } = useLocation()
  useLayoutEffect(() => {
    document.title = `${t(title)} · Chancery`
    focusState.navigated()
  }, [pathname, title])
}

/** An unknown path keeps the shell of somebody signed in; `/register...` is always without. */
function Unknown() {
  const { viewer } = useBootstrap()
  const { pathname } = useLocation()
  useTitle('Page Not Found')
  const Shell =
    viewer === undefined || /^\/register/i.test(pathname) ? PublicShell : isSelfServed(viewer.permission) ? SelfShell : ConsoleShell
  return (
    <Suspense fallback={<LoadingState />}>
      <Shell>
        <NotFound />
      </Shell>
    </Suspense>
  )
}
